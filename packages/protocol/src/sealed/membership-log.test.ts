import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { NamespaceId } from "../ids.ts";
import { sha256 } from "../testing/sha256.ts";
import { encryptedNamespaceId, isEncryptedId } from "./encrypted-id.ts";
import { parseLogBody, type LogBody, type LogKeys } from "./log-body.ts";
import {
  readLog,
  type LogDeps,
  type LogPin,
  type LogRefusal,
  type LogState,
} from "./membership-log.ts";

interface Device extends LogKeys {
  readonly pem: string;
}

function newDevice(name: string, user: string): Device {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { x = "" } = privateKey.export({ format: "jwk" });
  const enc = createHash("sha256").update(name).digest("base64url");
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  return { device: name, user, sig: x, enc, pem };
}

const hashOf = (entry: string): string => createHash("sha256").update(entry).digest("hex");
const commitOf = (epoch: number): string => hashOf(`key ${epoch}`);
const keysOf = ({ device, user, sig, enc }: Device): LogKeys => ({ device, user, sig, enc });

function signed(by: Device, body: unknown): string {
  const payload = Buffer.from(JSON.stringify(body));
  const signature = sign(null, payload, createPrivateKey(by.pem));
  return `${payload.toString("base64url")}.${signature.toString("base64url")}`;
}

const payloadOf = (entry: string): string =>
  Buffer.from(entry.split(".")[0] ?? "", "base64url").toString();
const deps: LogDeps = {
  sha256,
  unverified: payloadOf,
  verify: (entry, sig) => {
    const [payload = "", signature = ""] = entry.split(".");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: sig }, format: "jwk" });
    const isGood = verify(
      null,
      Buffer.from(payload, "base64url"),
      key,
      Buffer.from(signature, "base64url"),
    );
    return Promise.resolve(isGood ? payloadOf(entry) : undefined);
  },
};

const alice = newDevice("dev_a", "usr_a");
const alices = newDevice("dev_a2", "usr_a");
const bob = newDevice("dev_b", "usr_b");
const mallory = newDevice("dev_m", "usr_m");
const genesis = signed(alice, {
  kind: "genesis",
  keys: keysOf(alice),
  nonce: "n1",
  commit: commitOf(1),
});
const namespace = encryptedNamespaceId(sha256, genesis);

function add(log: readonly string[], by: Device, body: object): readonly string[] {
  const prev = hashOf(log.at(-1) ?? "");
  return [...log, signed(by, { prev, by: by.device, ...body })];
}
const admit = (who: Device, role = "member"): object => ({
  kind: "admit",
  keys: keysOf(who),
  role,
});
const remove = (who: Device): object => ({ kind: "remove", device: who.device });
const epoch = (number: number): object => ({
  kind: "epoch",
  epoch: number,
  commit: commitOf(number),
});

async function read(log: readonly string[], pin?: LogPin): Promise<LogState | LogRefusal> {
  return await readLog(deps, log, { namespace, pin });
}

async function why(log: readonly string[], pin?: LogPin): Promise<string> {
  const read_ = await read(log, pin);
  return "why" in read_ ? `${read_.why} ${read_.at}` : "believed";
}

test("[EE6] a log tells devices, epochs and whether the next key is due", async () => {
  let log = add([genesis], alice, admit(alices, "admin"));
  log = add(log, alices, admit(bob));
  const before = await read(log);
  expect(before).toMatchObject({
    epoch: 1,
    isRotationDue: false,
    length: 3,
    head: hashOf(log[2] ?? ""),
  });
  log = add(log, alice, remove(bob));
  expect(await read(log)).toMatchObject({ epoch: 1, isRotationDue: true });
  log = add(log, alices, epoch(2));
  const state = await read(log);
  if ("why" in state) throw new Error(state.why);
  expect(state).toMatchObject({ epoch: 2, isRotationDue: false, namespace });
  expect([...state.epochs].map(([epoch, { commit }]) => [epoch, commit])).toEqual([
    [1, commitOf(1)],
    [2, commitOf(2)],
  ]);
  expect(
    [...state.devices.values()].map((each) => [each.device, each.role, each.isRemoved]),
  ).toEqual([
    ["dev_a", "admin", false],
    ["dev_a2", "admin", false],
    ["dev_b", "member", true],
  ]);
});

test("[EE6] an encrypted namespace is named after its log's first entry, and shows that it is one", async () => {
  expect(isEncryptedId(namespace)).toBe(true);
  expect(isEncryptedId("ns_abc")).toBe(false);
  const other = signed(mallory, {
    kind: "genesis",
    keys: keysOf(mallory),
    nonce: "n",
    commit: commitOf(1),
  });
  expect(await why([other])).toBe("foreign 0");
  expect(await why([])).toBe("foreign 0");
  expect(encryptedNamespaceId(sha256, other)).not.toBe(namespace);
});

test("[EE6] a ghost device that a server puts in is refused (abuse 142)", async () => {
  expect(await why(add([genesis], mallory, admit(mallory)))).toBe("not-allowed 1");
  const asAlice = add([genesis], mallory, { ...admit(mallory), by: alice.device });
  expect(await why(asAlice)).toBe("bad-signature 1");
});

test("[EE6] members admit their own devices as members, and nobody else (abuse 142)", async () => {
  const log = add([genesis], alice, admit(bob));
  const bobs = newDevice("dev_b2", "usr_b");
  expect(await why(add(log, bob, admit(bobs)))).toBe("believed");
  expect(await why(add(log, bob, admit(bobs, "admin")))).toBe("not-allowed 2");
  expect(await why(add(log, bob, admit(mallory)))).toBe("not-allowed 2");
  expect(await why(add(log, bob, remove(alice)))).toBe("not-allowed 2");
  expect(await why(add(log, bob, epoch(2)))).toBe("not-allowed 2");
  expect(await why(add(log, bob, remove(bob)))).toBe("believed");
});

test("[EE6] what a removed device signs counts no more, and it comes back by an admin's word alone, as itself (abuse 142)", async () => {
  const log = add(add([genesis], alice, admit(bob, "admin")), alice, remove(bob));
  expect(await why(add(log, bob, admit(mallory)))).toBe("not-allowed 3");
  expect(await why(add(log, alice, remove(bob)))).toBe("not-allowed 3");
  expect(await why(add(log, alice, remove(mallory)))).toBe("not-allowed 3");
  const back = add(log, alice, admit(bob));
  expect(await read(back)).toMatchObject({ isRotationDue: true, length: 4 });
  expect(await why(add(back, alice, admit(bob)))).toBe("not-allowed 4");
  const as = (keys: object) =>
    add(log, alice, { ...admit(bob), keys: { ...keysOf(bob), ...keys } });
  expect(await why(as({ enc: "A".repeat(43) }))).toBe("not-allowed 3");
  expect(await why(as({ sig: "A".repeat(43) }))).toBe("not-allowed 3");
  expect(await why(as({ user: "usr_m" }))).toBe("not-allowed 3");
  const bobs = newDevice("dev_b2", "usr_b");
  const own = add(add(add([genesis], alice, admit(bob)), bob, admit(bobs)), alice, remove(bob));
  expect(await why(add(own, bobs, admit(bob)))).toBe("not-allowed 4");
});

test("[EE25] an admin's word gives a device that is in another right, with its keys and no others", async () => {
  const log = add(add([genesis], alice, admit(bob)), alice, admit(alices));
  const raised = add(log, alice, admit(bob, "admin"));
  const state = await read(raised);
  if ("why" in state) throw new Error(state.why);
  expect(state).toMatchObject({ isRotationDue: false, length: 4, epoch: 1 });
  expect(state.devices.get(bob.device)).toMatchObject({ role: "admin", wasAdmin: true });
  expect(state.devices.get(bob.device)).toMatchObject({ isRemoved: false, by: alice.device });
  expect(await why(add(raised, bob, admit(mallory)))).toBe("believed");
  expect(await why(add(raised, bob, epoch(2)))).toBe("believed");
  // Who let it in stays who let it in, whoever gives it the right.
  const byAnother = await read(add(add(log, alice, admit(alices, "admin")), alices, admit(bob, "admin"))); // prettier-ignore
  if ("why" in byAnother) throw new Error(byAnother.why);
  expect(byAnother.devices.get(bob.device)).toMatchObject({ role: "admin", by: alice.device });
  // Nobody gives it to themselves, and a person's own devices do not either.
  expect(await why(add(log, bob, admit(bob, "admin")))).toBe("not-allowed 3");
  expect(await why(add(log, alices, admit(alices, "admin")))).toBe("not-allowed 3");
  expect(await why(add(log, alices, admit(bob, "admin")))).toBe("not-allowed 3");
  expect(await why(add(raised, alice, admit(bob, "admin")))).toBe("not-allowed 4");
  for (const other of [{ enc: "A".repeat(43) }, { sig: "A".repeat(43) }, { user: "usr_m" }]) {
    const as = { ...admit(bob, "admin"), keys: { ...keysOf(bob), ...other } };
    expect(await why(add(log, alice, as))).toBe("not-allowed 3");
  }
});

test("[EE25] whose right was taken lets nobody in, and is known to have had it", async () => {
  const raised = add(add([genesis], alice, admit(bob)), alice, admit(bob, "admin"));
  const lowered = add(raised, alice, admit(bob));
  const state = await read(lowered);
  if ("why" in state) throw new Error(state.why);
  expect(state.devices.get(bob.device)).toMatchObject({ role: "member", wasAdmin: true });
  expect(await why(add(lowered, bob, admit(mallory)))).toBe("not-allowed 4");
  expect(await why(add(lowered, bob, epoch(2)))).toBe("not-allowed 4");
  // One that was taken out and came back as a member's had it as well.
  const back = await read(add(add(raised, alice, remove(bob)), alice, admit(bob)));
  if ("why" in back) throw new Error(back.why);
  expect(back.devices.get(bob.device)).toMatchObject({ role: "member", wasAdmin: true });
  const member = await read(add(add([genesis], alice, admit(bob)), alice, remove(bob)));
  if ("why" in member) throw new Error(member.why);
  expect(member.devices.get(bob.device)?.wasAdmin).toBe(false);
});

test("[EE6] a log that is cut, reordered or has an entry left out is refused (abuse 142)", async () => {
  const log = add(add(add([genesis], alice, admit(bob)), alice, remove(bob)), alice, epoch(2));
  const [zero = "", one = "", two = "", three = ""] = log;
  expect(await why([zero, two, one, three])).toBe("broken-chain 1");
  expect(await why([zero, one, three])).toBe("broken-chain 2");
  expect(await why([zero, zero])).toBe("broken-chain 1");
  const pin = { length: 4, head: hashOf(three) };
  expect(await why(log, pin)).toBe("believed");
  expect(await why(add(log, alice, epoch(3)), pin)).toBe("believed");
  expect(await why([zero, one], pin)).toBe("rolled-back 2");
});

test("[EE6] two forks of one log: who has seen one refuses the other (abuse 143)", async () => {
  const log = add([genesis], alice, admit(bob));
  const one = add(log, alice, remove(bob));
  const other = add(log, alice, admit(alices));
  const pin = { length: 3, head: hashOf(one[2] ?? "") };
  expect(await why(other)).toBe("believed");
  expect(await why(other, pin)).toBe("rolled-back 2");
  expect(await why(add(other, alice, epoch(2)), pin)).toBe("rolled-back 2");
});

test("[EE6] of two that begin an epoch at once one is in the log, and no epoch is left out (abuse 148)", async () => {
  const log = add([genesis], alice, epoch(2));
  expect(await why(add(log, alice, epoch(2)))).toBe("not-allowed 2");
  expect(await why(add([genesis], alice, epoch(3)))).toBe("not-allowed 1");
  expect(await why(add(log, alice, epoch(3)))).toBe("believed");
});

test("[EE6] no entry makes the reader throw, and none that was changed is believed", async () => {
  const log = add([genesis], alice, admit(bob));
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: (log[1] ?? "").length - 1 }), fc.string(), async (at, noise) => {
      const entry = log[1] ?? "";
      const bent = entry.slice(0, at) + noise + entry.slice(at + 1);
      const outcome = await why([genesis, bent]);
      // Base64url has spare bits at its end, which change nothing of what was signed.
      if (outcome === "believed") expect(payloadOf(bent)).toBe(payloadOf(entry));
    }),
    { numRuns: 300, seed: 20261123 },
  );
});

test.each([
  undefined,
  "",
  "[]",
  "7",
  '{"kind":"genesis"}',
  ...[
    { kind: "admit", prev: "x", by: "dev_a", keys: keysOf(bob), role: "member" },
    { kind: "admit", prev: commitOf(1), by: "dev a", keys: keysOf(bob), role: "member" },
    {
      kind: "admit",
      prev: commitOf(1),
      by: "dev_a",
      keys: { ...keysOf(bob), sig: "short" },
      role: "member",
    },
    {
      kind: "admit",
      prev: commitOf(1),
      by: "dev_a",
      keys: { ...keysOf(bob), enc: 7 },
      role: "member",
    },
    {
      kind: "admit",
      prev: commitOf(1),
      by: "dev_a",
      keys: { ...keysOf(bob), device: "" },
      role: "member",
    },
    {
      kind: "admit",
      prev: commitOf(1),
      by: "dev_a",
      keys: { ...keysOf(bob), user: "!" },
      role: "member",
    },
    { kind: "admit", prev: commitOf(1), by: "dev_a", keys: keysOf(bob), role: "owner" },
    { kind: "admit", prev: commitOf(1), by: "dev_a", role: "member" },
    { kind: "remove", prev: commitOf(1), by: "dev_a" },
    { kind: "epoch", prev: commitOf(1), by: "dev_a", epoch: 1.5, commit: commitOf(2) },
    { kind: "epoch", prev: commitOf(1), by: "dev_a", epoch: 2, commit: "no" },
    { kind: "later", prev: commitOf(1), by: "dev_a" },
    { kind: "genesis", keys: keysOf(alice), nonce: "", commit: commitOf(1) },
    { kind: "genesis", keys: keysOf(alice), nonce: "n", commit: "no" },
  ].map((body) => JSON.stringify(body)),
])("[EE6] %s says nothing", async (text) => {
  expect(parseLogBody(text)).toBeUndefined();
  expect(await why([genesis, signed(alice, text ?? "")])).toBe("unreadable 1");
});

test("[EE6] an entry that reads as another once it is verified is refused", async () => {
  const log = add([genesis], alice, admit(bob));
  const lying: LogDeps = { ...deps, verify: () => Promise.resolve("nothing") };
  expect(await readLog(lying, log, { namespace })).toEqual({ why: "bad-signature", at: 0 });
  const body: LogBody | undefined = parseLogBody(payloadOf(log[1] ?? ""));
  expect(body?.kind).toBe("admit");
});

const unknown = "nse_other" as NamespaceId;
test("[EE6] a log of another namespace is foreign (abuse 142)", async () => {
  expect(await readLog(deps, [genesis], { namespace: unknown })).toEqual({ why: "foreign", at: 0 });
});
