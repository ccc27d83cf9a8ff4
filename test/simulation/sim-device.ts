import { copyFileSync, rmSync } from "node:fs";
import { deviceId, type DeviceId, type UserId } from "../../packages/protocol/src/index.ts";
import { createCredentials } from "../../apps/client/src/sync/access/auth.ts";
import { SyncEngine } from "../../apps/client/src/sync/engine.ts";
import { createHttpTransport } from "../../apps/client/src/sync/http-transport.ts";
import { createCaller, type Caller } from "../../apps/client/src/sync/http/caller.ts";
import type { Keeper } from "../../apps/client/src/sync/sealed/keeper.ts";
import { mendSecrets } from "../../apps/client/src/memory/mend-secrets.ts";
import type { ReplicaStore } from "../../apps/client/src/store/replica-store.ts";
import type { Store } from "../../apps/client/src/store/store.ts";
import { openKeyring, type Keyring } from "../../apps/client/src/wiring/keyring.ts";
import { sha256 } from "../../apps/client/src/platform/hash.ts";
import type { Timers } from "../../apps/client/src/sync/ports.ts";
import { syncLimits } from "../../apps/client/src/sync/sync-limits.ts";
import { Inspector } from "./inspector.ts";
import { instantKey } from "./instant-crypto.ts";
import { Gone, SimHandle, type HandleOptions, type Trap } from "./sim-handle.ts";
import { withSmallPages } from "../integration/small-pages.ts";
import { givingPages } from "./pages-beside.ts";
import type { Shelf } from "./shelf.ts";
import { createSimNetwork, type Passed } from "./sim-network.ts";
import { serverUrl, type SimServer } from "./sim-server.ts";
import { seededBytes } from "./tape.ts";
import { knowingScrub, unknowingScrub } from "./wary.ts";
import type { Run } from "./world-state.ts";

/** What a device has seen: the tokens of each field that stood in its view at some time. */
export type Knowledge = Map<string, Set<string>>;

/** What makes a device the device it is; a copied home has the same. */
export interface Identity {
  readonly id: DeviceId;
  readonly user: UserId;
  readonly userName: string;
  readonly key: ReturnType<typeof instantKey>;
}

/** What a device needs of its world. */
export interface DeviceWorld {
  readonly run: Run;
  readonly server: SimServer;
  readonly serverId: string;
  readonly shelf: Shelf;
  readonly pageRecords: number;
  readonly pushOps: number;
  /** Servers find secrets that programs know by then, or do not. */
  readonly isWary: boolean;
  /** Who asks is who its process was when it started: it may have paired again since. */
  readonly watch: (device: SimDevice, asking: Identity) => (passed: Passed) => void;
  readonly onHealed: (device: SimDevice, facts: object) => void;
}

interface HomeCopy {
  readonly path: string;
  readonly knowledge: Knowledge;
  readonly counter: number;
}

/**
 * How often an engine looks into its outbox where nobody wrote; every two seconds, as it asks for,
 * would be most of what a run does. What was written it finds after two seconds at the latest.
 */
const idlePollMs = 5 * syncLimits.outboxPollMs;

/** Waits for ever. A promise of its own each time: one that all share would hold every world. */
async function never(): Promise<never> {
  return await new Promise<never>(() => undefined);
}

/** One machine: a home with a database, a daemon that syncs it, and hooks that write to it. */
export class SimDevice {
  readonly name: string;
  /** Another one once it paired again. */
  identity: Identity;
  readonly path: string;
  knowledge: Knowledge;
  /** How far its clock is off. */
  skewMs = 0;
  isOffline = false;
  /** Its program is a version older than the server's. */
  isBehind = false;
  readonly #world: DeviceWorld;
  readonly #random: { bytes(count: number): Uint8Array };
  /** Its pages ahead are read as by another thread. */
  readonly #readsBeside: boolean;
  /** Its scrubber knows by now what servers find. */
  readonly knowsSecrets: boolean;
  /** Looks at what is stored, past the product's code. */
  readonly inspector: Inspector;
  #engine: SyncEngine | undefined;
  #isLookDue = false;
  #daemon: SimHandle | undefined;
  #writer: SimHandle | undefined;
  #copy: HomeCopy | undefined;
  #counter = 0;

  constructor(
    world: DeviceWorld,
    options: {
      readonly name: string;
      readonly identity: Identity;
      readonly seed: number;
      /** Where its database is, or will be made. */
      readonly path: string;
      readonly knowledge?: Knowledge;
    },
  ) {
    this.#world = world;
    this.name = options.name;
    this.identity = options.identity;
    this.path = options.path;
    this.inspector = new Inspector(this.path, world.shelf);
    this.knowledge = options.knowledge ?? new Map();
    this.#random = seededBytes(options.seed, 4);
    this.#readsBeside = options.seed % 2 === 0;
    this.knowsSecrets = options.seed % 3 > 0;
  }

  readonly clock = { nowMs: (): number => this.#world.run.time.nowMs() + this.skewMs };

  get isSyncing(): boolean {
    return this.#daemon !== undefined && !this.#daemon.isGone;
  }

  /** The process of a hook or command; a dead one is followed by the next. */
  writer(): SimHandle {
    if (this.#writer === undefined || this.#writer.isGone) {
      this.#writer = this.#open("writer", {
        onCrash: () => undefined,
        onCommit: () => {
          this.#lookSoon();
        },
      });
    }
    return this.#writer;
  }

  /** Whatever process is there, to look through its eyes. */
  reader(): SimHandle {
    return this.daemon() ?? this.writer();
  }

  daemon(): SimHandle | undefined {
    return this.isSyncing ? this.#daemon : undefined;
  }

  /** Starts the process that syncs, unless one runs. */
  start(trap?: Trap): void {
    if (this.isSyncing) return;
    const { run, serverId } = this.#world;
    let handle: SimHandle | undefined;
    try {
      const onCrash = (): void => {
        this.#world.run.time.after(1_000 + run.tape.draw(30_000), () => {
          this.start();
        });
      };
      handle = this.#open("daemon", { trap, onCrash });
    } catch (cause) {
      // It died while it opened its database; a later start finishes what it began.
      if (cause instanceof Gone) return;
      throw cause;
    }
    const own = handle;
    this.#daemon = own;
    const { caller: signing, timers, keyring } = this.#connect(own);
    const caller = withSmallPages(signing, () => this.#world.pageRecords);
    const engine = new SyncEngine({
      store: this.#syncedStore(own),
      transport: createHttpTransport({ caller, timers }),
      keys: keyring.exchange(storeOf(own)),
      clock: this.clock,
      random: this.#random,
      timers,
      log: {
        info: (event, facts) => {
          if (event === "healed") this.#world.onHealed(this, facts);
        },
        warn: (event, facts) => {
          const { code } = facts;
          run.trace(`${this.name} ${event} ${String(code ?? facts["kind"] ?? "")}`);
          if (code === "defect" && !own.isGone) run.broken("EN1", `a defect in ${this.name}`);
        },
      },
      serverId,
    });
    this.#engine = engine;
    // It ends with its process, never by itself.
    void engine.run(new AbortController().signal);
  }

  /** What sync works on: secrets that the server finds are taken out where this program knows them. */
  #syncedStore(own: SimHandle): ReplicaStore {
    if (!this.#world.isWary) return own.replicas;
    const scrub = this.knowsSecrets ? knowingScrub : unknowingScrub;
    return mendSecrets({ store: storeOf(own), scrub });
  }

  /** What a person does here with the keys of encrypted namespaces, by a command of its own. */
  keeper(): Keeper {
    const handle = this.writer();
    return this.#connect(handle).keyring.keeper(storeOf(handle));
  }

  /** The way of one of its processes to the server. */
  #connect(own: SimHandle): { caller: Caller; timers: Timers; keyring: Keyring } {
    const { run, server, serverId } = this.#world;
    const { identity: asking } = this;
    const isGone = (): boolean => own.isGone;
    const timers: Timers = {
      sleep: async (ms, signal) => {
        await run.time.sleep(ms === syncLimits.outboxPollMs ? idlePollMs : ms, signal);
        if (own.isGone) await never();
      },
    };
    const way = createSimNetwork({
      run,
      name: this.name,
      server,
      isGone,
      isOffline: () => this.isOffline,
      isBehind: this.isBehind,
      pushOps: this.#world.pushOps,
      watch: () => this.#world.watch(this, asking),
    });
    const network = this.#readsBeside ? givingPages(way) : way;
    const { id, user, userName, key } = asking;
    const credentials = createCredentials({
      caller: createCaller({ serverUrl, network, timers }),
      device: id,
      key,
      clock: this.clock,
      random: this.#random,
      sha256,
      nextCounter: (above) => (this.#counter = Math.max(this.#counter, above) + 1),
    });
    const caller = createCaller({ serverUrl, network, timers, credentials });
    const identity = {
      device: { id, name: this.name },
      user: { id: user, name: userName },
      server: { id: serverId, url: serverUrl },
      pairedAtMs: 0,
    };
    const keyring = openKeyring({ caller, key, identity, clock: this.clock, random: this.#random });
    return { caller, timers, keyring };
  }

  /** Ends all processes, as when the machine is switched off. */
  kill(): void {
    this.inspector.close();
    this.#daemon?.kill();
    this.#writer?.kill();
    this.#daemon = undefined;
    this.#writer = undefined;
  }

  /** Nothing more goes wrong in its processes. */
  disarm(): void {
    this.#daemon?.disarm();
    this.#writer?.disarm();
  }

  /** Keeps a copy of the home for later. */
  keepCopy(): void {
    this.disarm();
    const path = this.#world.shelf.newPath();
    this.writer().store.upkeep.backupTo(path);
    this.#copy = { path, knowledge: copyOf(this.knowledge), counter: this.#counter };
  }

  get hasCopy(): boolean {
    return this.#copy !== undefined;
  }

  /** Sets the home back to its copy, as a restored backup does. */
  restoreCopy(): void {
    if (this.#copy === undefined) return;
    this.kill();
    this.#world.shelf.letGo(this.path);
    for (const side of ["", "-wal", "-shm"]) rmSync(this.path + side, { force: true });
    copyFileSync(this.#copy.path, this.path);
    this.knowledge = copyOf(this.#copy.knowledge);
    this.#counter = this.#copy.counter;
  }

  /** What its home will be called where it pairs again. */
  nextIdentity({ hasNewKey }: { readonly hasNewKey: boolean }): Identity {
    const id = deviceId(this.#random.bytes(16));
    const key = hasNewKey ? instantKey(this.#random.bytes(32)) : this.identity.key;
    return { ...this.identity, id, key };
  }

  /** Is somebody new to its server, as after pairing again; the program may die before it goes on. */
  pairAs(identity: Identity, { isCutOff }: { readonly isCutOff: boolean }): void {
    this.kill();
    this.identity = identity;
    if (!isCutOff) this.writer().replicas.renewWriters();
  }

  /** Another machine with a copy of this home. */
  clone(name: string, seed: number): SimDevice {
    this.disarm();
    const twin = new SimDevice(this.#world, {
      name,
      identity: this.identity,
      seed,
      path: this.#world.shelf.newPath(),
      knowledge: copyOf(this.knowledge),
    });
    this.writer().store.upkeep.backupTo(twin.path);
    twin.#counter = this.#counter;
    twin.isBehind = this.isBehind;
    return twin;
  }

  /** Lets the engine look into the outbox when it would have looked anyway. */
  #lookSoon(): void {
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    const { time } = this.#world.run;
    const pollMs = syncLimits.outboxPollMs;
    time.after(pollMs - (time.nowMs() % pollMs), () => {
      this.#isLookDue = false;
      this.#engine?.wake();
    });
  }

  #open(
    role: "daemon" | "writer",
    how: Pick<HandleOptions, "trap" | "onCrash" | "onCommit">,
  ): SimHandle {
    const { id, user, userName } = this.identity;
    return new SimHandle(this.#world.run, {
      name: `${this.name}/${role}`,
      path: this.path,
      native: this.#world.shelf.native,
      random: this.#random,
      clock: this.clock,
      identity: { device: { id, name: this.name }, user: { id: user, name: userName } },
      ...how,
    });
  }
}

/** A process's store, whose calls end with it. */
function storeOf(handle: SimHandle): Store {
  return { ...handle.store, replicas: handle.replicas };
}

function copyOf(knowledge: Knowledge): Knowledge {
  return new Map([...knowledge].map(([place, seen]) => [place, new Set(seen)]));
}
