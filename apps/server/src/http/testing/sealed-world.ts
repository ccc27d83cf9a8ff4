/** An encrypted namespace of real keys on a server under test: what an honest client would send. */
import {
  chainNext,
  chainStart,
  createKeyRing,
  encryptedNamespaceId,
  hex,
  opLine,
  sealOp,
  type KeyRing,
  type NamespaceId,
  type Op,
  type RecordId,
  type SealCipher,
  type WriterId,
} from "@tidemark/protocol";
import {
  ndjsonType,
  type KeysAnswer,
  type KeyWrap,
  type NamespaceInfo,
} from "@tidemark/protocol/wire";
import { createCipheriv, createHmac } from "node:crypto";
import { sha256 } from "../../platform/hash.ts";
import { outcome, type TestClient } from "./client.ts";

const cipher: SealCipher = {
  hmac: (key, text) => createHmac("sha256", key).update(text).digest(),
  encrypt: (key, { nonce, text, additional }) => {
    const made = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(additional));
    const parts = [nonce, made.update(text, "utf8"), made.final(), made.getAuthTag()];
    return Buffer.concat(parts).toString("base64url");
  },
  decrypt: () => undefined,
};

const hashOf = (text: string): string => hex(sha256(text));

/** What an entry says beside its signer and what it follows. */
export type Said = Readonly<Record<string, unknown>>;

/** One encrypted namespace, as the device that made it drives it. */
export interface SealedWorld {
  readonly id: NamespaceId;
  readonly genesis: string;
  /** The log as this side has made it. */
  log: readonly string[];
  /** A signed entry that follows the log. */
  entry(by: TestClient, said: Said): Promise<string>;
  /** The same of several that follow each other. */
  entries(by: TestClient, said: readonly Said[]): Promise<readonly string[]>;
  keys(client: TestClient): Promise<KeysAnswer>;
  /** Tries to add entries and wraps; gives status and code. */
  change(
    by: TestClient,
    entries: readonly string[],
    wraps?: readonly KeyWrap[],
    after?: number,
  ): Promise<string>;
  ring(epoch: number): KeyRing;
}

/** Gives a device a key for wraps, which makes it one that sees encrypted namespaces. */
export async function announce(client: TestClient): Promise<void> {
  await client.call("POST", "/v1/sealing-key", { statement: "a.b.c" });
}

/** What an entry says of a device's keys. */
export function keysOf({ device, admission }: TestClient): object {
  const { id } = admission.device;
  const enc = Buffer.from(sha256(`enc ${id}`)).toString("base64url");
  return { device: id, user: admission.user.id, sig: device.key.x, enc };
}

/** The first entry of a log. */
export async function genesisOf(client: TestClient, nonce: string): Promise<string> {
  const said = { kind: "genesis", keys: keysOf(client), nonce, commit: hashOf("key 1") };
  return await signed(client, said);
}

/** Signs an entry, as its device would. */
export async function signed(client: TestClient, said: Said): Promise<string> {
  return await client.device.sign({ alg: "Ed25519", typ: "tidemark-log+jws" }, said);
}

/** Makes the namespace. */
export async function createSealed(client: TestClient, nonce = "n1"): Promise<SealedWorld> {
  await announce(client);
  const genesis = await genesisOf(client, nonce);
  const wraps = [{ recipient: client.admission.device.id, epoch: 1, wrap: "w.1" }];
  const sealed = { genesis, wraps };
  const { id } = await client.call<NamespaceInfo>("POST", "/v1/namespaces", {
    name: "box",
    sealed,
  });
  if (id !== encryptedNamespaceId(sha256, genesis)) throw new Error("the id is another");
  const path = `/v1/namespaces/${id}/keys`;
  const world: SealedWorld = {
    id,
    genesis,
    log: [genesis],
    entry: async (by, said) => (await world.entries(by, [said]))[0] ?? "",
    entries: async (by, all) => {
      const made: string[] = [];
      for (const said of all) {
        const prev = hashOf(made.at(-1) ?? world.log.at(-1) ?? "");
        made.push(await signed(by, { prev, by: by.admission.device.id, ...said }));
      }
      return made;
    },
    keys: async (by) => await by.call<KeysAnswer>("GET", path),
    change: async (by, entries, added = [], after = world.log.length) => {
      const body = JSON.stringify({ after, entries, wraps: added });
      const headers = { "content-type": "application/json" };
      const response = await by.send(path, { method: "POST", body, headers });
      if (response.status === 200) world.log = [...world.log, ...entries];
      return await outcome(response);
    },
    ring: (epoch) => {
      const epochs = new Map([[epoch, new Uint8Array(32).fill(epoch)]]);
      return createKeyRing(cipher, { namespace: id, names: new Uint8Array(32), epochs });
    },
  };
  return world;
}

/** Pushes one put as a writer's first op; sealed by the ring, or plain without one. */
export async function pushPut(
  client: TestClient,
  place: { readonly id: NamespaceId; readonly epoch?: number | undefined },
  put: { readonly writer: string; readonly title: string; readonly ring?: KeyRing | undefined },
): Promise<Response> {
  const writer = put.writer as WriterId;
  const op: Op = {
    n: 1,
    record: `r-${put.writer}` as RecordId,
    collection: "observation",
    lamport: 1,
    at: 1_790_000_000_000,
    op: "put",
    fields: { title: put.title },
  };
  const line = opLine(put.ring === undefined ? op : (sealOp(put.ring, op, writer) ?? op));
  const chain = chainStart(sha256, writer);
  const header = {
    writer,
    after: 0,
    chain,
    ...(place.epoch === undefined ? {} : { epoch: place.epoch }),
  };
  const body = `${JSON.stringify(header)}\n${line}\n`;
  if (chainNext(sha256, chain, line) === chain) throw new Error("a chain moves");
  const headers = { "content-type": ndjsonType };
  return await client.send(`/v1/namespaces/${place.id}/ops`, { method: "POST", body, headers });
}
