/** Real devices (engine, HTTP, SQLite) and a real server (Hono app, store in memory) in one process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  deviceId,
  namespaceId,
  unpairedNamespace,
  userId,
  type DeviceId,
  type NamespaceId,
  type RecordId,
} from "../../packages/protocol/src/index.ts";
import { hmacSha256, sha256 } from "../../apps/client/src/platform/hash.ts";
import { mendSecrets } from "../../apps/client/src/memory/mend-secrets.ts";
import { createScrub } from "../../apps/client/src/memory/scrub.ts";
import { newDeviceKey, type DeviceKey } from "../../apps/client/src/platform/device-key.ts";
import { createPrivateFile } from "../../apps/client/src/platform/private-file.ts";
import { systemRandom } from "../../apps/client/src/platform/random.ts";
import { sealCipher } from "../../apps/client/src/platform/seal-cipher.ts";
import { systemTimers } from "../../apps/client/src/platform/timers.ts";
import { openStore } from "../../apps/client/src/store/open.ts";
import type { ScrubbedFields, Store as ClientStore } from "../../apps/client/src/store/store.ts";
import { createCredentials } from "../../apps/client/src/sync/access/auth.ts";
import { linkBinding, linkMac } from "../../apps/client/src/sync/access/link-secrets.ts";
import { SyncEngine } from "../../apps/client/src/sync/engine.ts";
import { createHttpTransport } from "../../apps/client/src/sync/http-transport.ts";
import { createCaller, type Caller } from "../../apps/client/src/sync/http/caller.ts";
import type { Network } from "../../apps/client/src/sync/http/network.ts";
import type { Timers } from "../../apps/client/src/sync/ports.ts";
import type { Report } from "../../apps/client/src/sync/machine/effect.ts";
import type { SyncOutcome } from "../../apps/client/src/sync/outcome.ts";
import type { Keeper } from "../../apps/client/src/sync/sealed/keeper.ts";
import { createLinkBook, type LinkBook } from "../../apps/client/src/sync/sealed/link-book.ts";
import { openKeyring } from "../../apps/client/src/wiring/keyring.ts";
import { createHarness, type Harness } from "../../apps/server/src/http/testing/harness.ts";
import { createSecretCheck } from "../../apps/server/src/platform/secret-look/secret-check.ts";
import { createMemoryStore } from "../../apps/server/src/store/memory/memory-store.ts";
import type { Store as ServerStore } from "../../apps/server/src/store/port.ts";

export const serverUrl = "https://tidemark.example";
const serverId = "srv_test";
const personal = namespaceId(new Uint8Array(16).fill(1));
const user = userId(new Uint8Array(16).fill(2));

/** Hashes for links, as the client uses them. */
export const linkHashes = { sha256, hmacSha256 };

/** The link by which the second device came in; neither keeps it unless a test says so. */
export const linkOfB = {
  id: "link-of-b",
  binding: linkBinding(linkHashes, "0123456789abcdef0123456789"),
} as const;

/** A device: its key, its store and its engine. */
export interface Device {
  readonly id: DeviceId;
  readonly key: DeviceKey;
  readonly store: ClientStore;
  readonly reports: Report[];
  readonly engine: SyncEngine;
  readonly caller: Caller;
  /** What a person does with keys of encrypted namespaces. */
  readonly keeper: Keeper;
  /** The pairing links that it keeps. */
  readonly links: LinkBook;
  sync(): Promise<SyncOutcome>;
  put(id: string, fields: Readonly<Record<string, string>>): void;
  set(id: string, fields: Readonly<Record<string, string>>): void;
  forget(id: string): void;
  /** Titles by record, as the person sees them. */
  titles(): Readonly<Record<string, unknown>>;
}

/** Two devices of one person, and their server. */
export interface World {
  readonly a: Device;
  readonly b: Device;
  readonly namespace: NamespaceId;
  readonly network: Network;
  readonly clock: { nowMs(): number };
  /** The server comes back from a backup that was made before anything was pushed. */
  restoreServer(): Promise<void>;
  /**
   * Copies a device's home, as a cloned virtual machine does.
   *
   * @param tamper does something to the copy before it is opened
   */
  clone(device: Device, tamper?: (path: string) => void): Device;
  close(): void;
}

/** What happens to a request on its way; it may reject, where no answer comes. */
export type Fate = (request: Request, deliver: () => Promise<Response>) => Promise<Response>;

/** Delays pass a hundred times as fast, and still in their order. */
const fastTimers: Timers = { sleep: (ms, signal) => systemTimers.sleep(ms / 100, signal) };

/** Opens the server's empty store, at the start and whenever it is restored. */
export type MakeStore = (clock: { nowMs(): number }) => ServerStore;

/** How a world may be otherwise. */
export interface WorldOptions {
  /** Whether devices exchange keys of encrypted namespaces as they sync. */
  readonly isSealed?: boolean;
  /** Theirs. */
  readonly timers?: Timers;
}

/** Builds the world; `fate` stands between the devices and their server. */
export async function createWorld(
  fate: Fate = (_, deliver) => deliver(),
  makeStore: MakeStore = (clock) => createMemoryStore({ clock }),
  { isSealed = false, timers = fastTimers }: WorldOptions = {},
): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-integration-"));
  const clock = { nowMs: () => 1_764_000_000_000 };
  const keys = [newDeviceKey(), newDeviceKey()] as const;
  let server = await pairedServer(clock, keys, makeStore);
  const network: Network = {
    send: ({ method, url, headers, body, signal }) => {
      const request = (): Request =>
        new Request(url, { method, headers, signal, ...(body === undefined ? {} : { body }) });
      return fate(request(), () => server.app.fetch(request()));
    },
  };
  const opened: ClientStore[] = [];
  const open = (index: 0 | 1, name: string): Device => {
    const device = createDevice(
      { clock, network, key: keys[index], index, isSealed, timers },
      join(folder, name),
    );
    opened.push(device.store);
    return device;
  };
  let clones = 0;
  return {
    a: open(0, "a.db"),
    b: open(1, "b.db"),
    namespace: personal,
    network,
    clock,
    restoreServer: async () => {
      server = await pairedServer(clock, keys, makeStore);
    },
    clone: (device, tamper = () => {}) => {
      clones += 1;
      const name = `clone-${String(clones)}.db`;
      device.store.upkeep.backupTo(join(folder, name));
      tamper(join(folder, name));
      return open(device.id === deviceOf(0) ? 0 : 1, name);
    },
    close: () => {
      for (const store of opened) store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function deviceOf(index: number): DeviceId {
  return deviceId(new Uint8Array(16).fill(10 + index));
}

/** A server on which both devices are known and nothing was pushed yet; the same one each time. */
async function pairedServer(
  clock: { nowMs(): number },
  keys: readonly DeviceKey[],
  makeStore: MakeStore,
): Promise<Harness> {
  const store = makeStore(clock);
  const secrets = createSecretCheck();
  const server = createHarness({ store, clock, publicUrls: [serverUrl], secrets });
  await server.setupSecret();
  await admit(store, clock.nowMs(), keys);
  return server;
}

async function admit(
  { accounts }: ServerStore,
  nowMs: number,
  keys: readonly DeviceKey[],
): Promise<void> {
  const expiresAtMs = nowMs + 1_000_000;
  await accounts.saveSetupSecret("hash", expiresAtMs);
  for (const [index, key] of keys.entries()) {
    const { publicJwk, thumbprint } = key;
    const device = {
      id: deviceOf(index),
      name: `device-${String(index)}`,
      platform: "test",
      key: publicJwk,
      thumbprint,
    };
    if (index === 0) {
      const owner = {
        id: user,
        name: "Ada",
        personal: { id: personal, name: "personal", mark: "mark-of-the-empty-namespace" },
      };
      await accounts.claim({ secretHash: "hash", nowMs, user: owner, device });
      continue;
    }
    await accounts.createLink({
      id: linkOfB.id,
      kind: "device",
      authHash: "hash",
      createdBy: user,
      createdByDevice: deviceOf(0),
      namespace: undefined,
      role: undefined,
      expiresAtMs,
    });
    const { name } = device;
    const mac = linkMac(linkHashes, linkOfB.binding, { thumbprint, name, serverId });
    const redeemed = { id: linkOfB.id, authHash: "hash", mac, nowMs, device };
    await accounts.redeemLink({ ...redeemed, user: undefined });
  }
}

interface DeviceParts {
  readonly clock: { nowMs(): number };
  readonly network: Network;
  readonly key: DeviceKey;
  readonly index: number;
  /** Whether it exchanges keys of encrypted namespaces as it syncs. */
  readonly isSealed: boolean;
  readonly timers: Timers;
}

function createDevice(parts: DeviceParts, path: string): Device {
  const { clock, network, key, index, isSealed, timers } = parts;
  const id = deviceOf(index);
  const opened = openStore({
    path,
    sha256,
    random: systemRandom,
    clock,
    cipher: sealCipher,
    createPrivateFile,
    identity: { device: { id, name: `device-${String(index)}` } },
  });
  if (!opened.ok) throw new Error(opened.error.message);
  const store = opened.value;
  let counter = 0;
  const open = createCaller({ serverUrl, network, timers });
  const credentials = createCredentials({
    caller: open,
    device: id,
    key,
    clock,
    random: systemRandom,
    sha256,
    nextCounter: (above) => (counter = Math.max(counter, above) + 1),
  });
  const caller = createCaller({ serverUrl, network, timers, credentials });
  const reports: Report[] = [];
  const name = `device-${String(index)}`;
  const keyring = openKeyring({
    caller,
    key,
    identity: {
      device: { id, name },
      user: { id: user, name: "Ada" },
      server: { id: serverId, url: serverUrl },
      pairedAtMs: 0,
    },
    clock,
    random: systemRandom,
  });
  const engine = new SyncEngine({
    store: mendSecrets({ store, scrub: createScrub(systemRandom.bytes(32), hmacSha256) }),
    transport: createHttpTransport({ caller, timers }),
    clock,
    random: systemRandom,
    timers,
    log: { info: () => undefined, warn: () => undefined },
    serverId,
    ...(isSealed ? { keys: keyring.exchange(store) } : {}),
    onReport: (_, report) => {
      reports.push(report);
    },
  });
  const change = (changes: Parameters<ClientStore["changes"]["change"]>[1]): void => {
    const changed = store.changes.change(unpairedNamespace, changes, clock.nowMs());
    if (!changed.ok) throw new Error(changed.error.kind);
  };
  return {
    id,
    key,
    store,
    reports,
    engine,
    caller,
    keeper: keyring.keeper(store),
    links: createLinkBook({ facts: store.upkeep, clock, serverId }),
    sync: () => engine.syncOnce({ signal: new AbortController().signal }),
    put: (record, fields) => {
      const scrubbed = fields as unknown as ScrubbedFields;
      change([
        { kind: "put", id: record as RecordId, collection: "observation", fields: scrubbed },
      ]);
    },
    set: (record, fields) => {
      const scrubbed = fields as unknown as ScrubbedFields;
      change([{ kind: "set", id: record as RecordId, fields: scrubbed }]);
    },
    forget: (record) => {
      change([{ kind: "forget", id: record as RecordId }]);
    },
    titles: () =>
      Object.fromEntries(
        store.reads.records("observation").map((view) => [view.id, view.fields["title"]]),
      ),
  };
}
