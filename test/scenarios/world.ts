/** Devices and their server in one process, taken step by step through a trace of faults. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";
import {
  isSameSet,
  isTombstone,
  unpairedNamespace,
  type NamespaceId,
  type RecordId,
  type RecordState,
  type Role,
} from "../../packages/protocol/src/index.ts";
import { newDeviceKey } from "../../apps/client/src/platform/device-key.ts";
import { sha256 } from "../../apps/client/src/platform/hash.ts";
import { systemTimers } from "../../apps/client/src/platform/timers.ts";
import type { Store } from "../../apps/client/src/store/store.ts";
import { seededRandom } from "../../apps/client/src/store/testing/test-store.ts";
import { createAccounts } from "../../apps/client/src/sync/access/accounts.ts";
import { createCredentials } from "../../apps/client/src/sync/access/auth.ts";
import { openLink, readLink } from "../../apps/client/src/sync/access/pairing.ts";
import { withSmallPages } from "../integration/small-pages.ts";
import { createHttpTransport } from "../../apps/client/src/sync/http-transport.ts";
import { createCaller } from "../../apps/client/src/sync/http/caller.ts";
import type { Network, NetworkRequest } from "../../apps/client/src/sync/http/network.ts";
import {
  createTestClock,
  createTestRandom,
  type TestClock,
} from "../../apps/server/src/auth/testing/auth-deps.ts";
import { quotaPreset, type Quota } from "../../apps/server/src/domain/quota.ts";
import { createHarness, type Harness } from "../../apps/server/src/http/testing/harness.ts";
import {
  emptyAccounts,
  type AccountState,
} from "../../apps/server/src/store/memory/account-state.ts";
import { copyAccounts } from "../../apps/server/src/store/memory/copy-accounts.ts";
import { createMemoryStore } from "../../apps/server/src/store/memory/memory-store.ts";
import type { NamespaceState } from "../../apps/server/src/store/memory/namespace-state.ts";
import { stateOfForm } from "../../apps/server/src/store/stored-form.ts";
import { withoutAdvance } from "../integration/earlier-server.ts";
import { linkHashes } from "../integration/world.ts";
import { openDevice, type Device } from "./device.ts";
import { createWay } from "./way.ts";

/** The server as whoever runs it may handle it. */
export interface Server {
  /** Everything it holds now. */
  accounts(): AccountState;
  namespace(id: NamespaceId): NamespaceState;
  state(namespace: NamespaceId, record: string): RecordState | undefined;
  /** A field's value; undefined where the record is forgotten or unknown. */
  title(namespace: NamespaceId, record: string): unknown;
  backup(): AccountState;
  /** It comes back from a backup, as another process. */
  restore(backup: AccountState): void;
  /** What a namespace may hold. */
  quota: Quota;
  /** Most records of a page, and of one of a bucket's list. */
  pageRecords: number | undefined;
  /** Whether answers to pushes say what the push alone made of the namespace (PS12). */
  tellsAdvance: boolean;
  /** Namespaces whose requests fail. */
  readonly broken: Set<NamespaceId>;
}

/** Three devices of one person, and their server. */
export interface World {
  readonly server: Server;
  readonly a: Device;
  readonly b: Device;
  readonly c: Device;
  readonly namespace: NamespaceId;
  /** One more device of the same person, which has nothing yet. */
  fresh(name: string): Promise<Device>;
  /** A team namespace that the owner of a, b and c makes. */
  team(name: string): Promise<NamespaceId>;
  /** Another person's device, a member of a team namespace. */
  member(name: string, namespace: NamespaceId, role: Role): Promise<Device>;
  close(): void;
}

// A world is some forty requests with real signatures; a busy machine needs its time.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const url = "https://tidemark.example";
const { signal } = new AbortController();

/** Builds the world and pairs the devices as people do, by links. */
export async function createWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-scenario-"));
  const opened: Store[] = [];
  let uniques = 0;
  const unique = (name: string): string => `${name}-${String((uniques += 1))}`;
  const running = createServer();
  const pair = createPairing({
    running,
    folder,
    unique,
    onOpen: (store) => {
      opened.push(store);
    },
  });
  const a = await pair("a", `${url}/#s=${await running.harness().setupSecret()}`);
  const { namespace } = a;
  const fresh = async (name: string): Promise<Device> =>
    (await pair(name, valueOf(await a.accounts.addDevice({}, signal)).link)).at(namespace);
  const b = await fresh("b");
  const c = await fresh("c");
  return {
    server: running.server,
    a,
    b,
    c,
    namespace,
    fresh,
    team: async (name) => {
      const { id } = valueOf(await a.accounts.createNamespace(name, signal));
      for (const device of [a, b, c]) await device.hello();
      return id;
    },
    member: async (name, team, role) => {
      const invite = await a.accounts.invite({ namespace: team, role }, signal);
      return (await pair(name, valueOf(invite).link)).at(team);
    },
    close: () => {
      for (const store of opened) store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a result holds; a scenario does not go on without it. */
export function valueOf<T>(result: { ok: true; value: T } | { ok: false; error: object }): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

interface Running {
  readonly server: Server;
  readonly clock: TestClock;
  harness(): Harness;
  take(request: NetworkRequest): Promise<Response>;
}

function createServer(): Running {
  const clock = createTestClock();
  let accounts = emptyAccounts();
  let starts = 0;
  let harness: Harness;
  const start = (state: AccountState): void => {
    starts += 1;
    accounts = state;
    const store = createMemoryStore({ clock, accounts });
    // A restarted server draws other marks than the one before it.
    const random = createTestRandom(`server ${String(starts)}`);
    const quota = {
      get recordsMax() {
        return server.quota.recordsMax;
      },
      get bytesMax() {
        return server.quota.bytesMax;
      },
      get deviceOpsMax() {
        return server.quota.deviceOpsMax;
      },
    };
    harness = createHarness({ store, clock, random, quota, publicUrls: [url] });
  };
  const namespaceOf = (id: NamespaceId): NamespaceState => {
    const state = accounts.namespaces.get(id);
    if (state === undefined) throw new Error("the server has no such namespace");
    return state;
  };
  const stateOf = (namespace: NamespaceId, record: string): RecordState | undefined => {
    const row = namespaceOf(namespace).records.get(record as RecordId);
    return row === undefined ? undefined : stateOfForm(row.form);
  };
  const server: Server = {
    accounts: () => accounts,
    namespace: namespaceOf,
    state: stateOf,
    title: (namespace, record) => {
      const state = stateOf(namespace, record);
      if (state === undefined || isTombstone(state)) return undefined;
      return state.registers["title"]?.value;
    },
    backup: () => copyAccounts(accounts),
    restore: (backup) => {
      start(copyAccounts(backup));
    },
    quota: quotaPreset,
    pageRecords: undefined,
    tellsAdvance: true,
    broken: new Set(),
  };
  start(accounts);
  return {
    server,
    clock,
    harness: () => harness,
    take: async (request) => {
      clock.advance(20);
      const { method, headers, body } = request;
      if ([...server.broken].some((id) => request.url.includes(id))) {
        return new Response("<html>500</html>", { status: 500 });
      }
      const init = { method, headers, ...(body === undefined ? {} : { body }) };
      const answer = await harness.app.fetch(new Request(request.url, init));
      return server.tellsAdvance ? answer : await asEarlier(request.url, answer);
    },
  };
}

// Then every op waits for its echo.
async function asEarlier(target: string, answer: Response): Promise<Response> {
  if (!target.endsWith("/ops") || !answer.ok) return answer;
  const { status, headers } = answer;
  return new Response(withoutAdvance(await answer.text()), { status, headers });
}

interface Pairing {
  readonly running: Running;
  readonly folder: string;
  readonly unique: (name: string) => string;
  readonly onOpen: (store: Store) => void;
}

/** Makes what opens a link on a new device and syncs nothing yet. */
function createPairing({ running, folder, unique, onOpen }: Pairing) {
  return async (name: string, link: string): Promise<Device> => {
    const way = createWay((request) => running.take(request));
    const key = newDeviceKey();
    const callerFor = (serverUrl: string) =>
      createCaller({ serverUrl, network: way satisfies Network, timers: systemTimers });
    const paired = await openLink(
      { callerFor, hashes: linkHashes },
      valueOf(readLink(link, { allowPlainLan: false })),
      { deviceName: name, platform: "test", userName: name, ...key },
      signal,
    );
    const { admission } = valueOf(paired);
    const { clock } = running;
    const random = seededRandom(`access of ${name}`);
    let counter = 0;
    const credentials = createCredentials({
      caller: callerFor(url),
      device: admission.device.id,
      key,
      clock,
      random,
      sha256,
      nextCounter: (above) => (counter = Math.max(counter, above) + 1),
    });
    const signing = createCaller({
      serverUrl: url,
      network: way,
      timers: systemTimers,
      credentials,
    });
    const caller = withSmallPages(signing, () => running.server.pageRecords);
    const device = openDevice(
      {
        name,
        user: admission.user.id,
        folder,
        clock,
        serverId: admission.server.id,
        way,
        transport: createHttpTransport({ caller, timers: systemTimers }),
        accounts: createAccounts({ caller, hashes: linkHashes, random }),
        identity: admission.device,
        unique,
        onOpen,
      },
      unpairedNamespace,
    );
    await device.hello();
    return device.at(device.store.bindings.personal());
  };
}

/** Lets everybody sync until they hold what the server holds, and asserts that they do. */
export async function settle(world: World, ...devices: readonly Device[]): Promise<void> {
  for (let round = 0; round < 6 && !isConverged(world, devices); round += 1) {
    for (const device of devices) await device.sync();
  }
  for (const device of devices) {
    const { digest, count } = world.server.namespace(device.namespace).head;
    const { confirmed, unsent, unverified, needsHeal, verified } = device.replica;
    expect.soft({ name: device.name, confirmed, unsent, unverified, needsHeal, verified }).toEqual({
      name: device.name,
      confirmed: { digest, count },
      unsent: 0,
      unverified: 0,
      needsHeal: false,
      verified: true,
    });
    expect.soft(device.store.upkeep.check()).toEqual([]);
  }
}

function isConverged({ server }: World, devices: readonly Device[]): boolean {
  return devices.every(({ namespace, replica }) => {
    const { head } = server.namespace(namespace);
    const isSame = isSameSet(replica.confirmed, head) && replica.head === head.head;
    const isQuiet = replica.verified && !replica.needsHeal;
    return isSame && isQuiet && replica.unsent + replica.unverified === 0;
  });
}
