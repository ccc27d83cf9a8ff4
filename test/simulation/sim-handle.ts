import { createRequire } from "node:module";
import { ok } from "../../packages/protocol/src/index.ts";
import { sha256 } from "../../apps/client/src/platform/hash.ts";
import { openStore } from "../../apps/client/src/store/open.ts";
import type { ReplicaStore, Taken } from "../../apps/client/src/store/replica-store.ts";
import type { Store, StoreIdentity } from "../../apps/client/src/store/store.ts";
import { glassCipher } from "./glass.ts";
import type { Run } from "./world-state.ts";

/** What a process is doing, for the names of crash points. */
export type Phase = "migrate" | "capture" | "hello" | "push" | "pull" | "heal" | "read";

/** Where in its work: before a transaction, in it, before its commit, after it. */
export type Stage = "begin" | "statement" | "commit" | "committed";

/** A process that is gone: its calls end here. */
export class Gone extends Error {}

/** What is about to go wrong in a process: after so many more statements of a phase. */
export interface Trap {
  readonly kind: "crash" | "busy" | "full";
  readonly phase: Phase | "any";
  readonly stage: Stage | "any";
  left: number;
}

interface SqliteErrorClass {
  new (message: string, code: string): Error;
}

const { SqliteError } = createRequire(
  createRequire(import.meta.url).resolve("../../apps/client/package.json"),
)("better-sqlite3") as { readonly SqliteError: SqliteErrorClass };

/** What a process is opened with. */
export interface HandleOptions {
  readonly name: string;
  readonly path: string;
  /** Native part of the database's driver; its own unless it says otherwise. */
  readonly native?: object | undefined;
  readonly random: { bytes(count: number): Uint8Array };
  readonly clock: { nowMs(): number };
  readonly identity: StoreIdentity;
  readonly trap?: Trap | undefined;
  readonly onCrash: () => void;
  /** Told of each transaction that is on disk. */
  readonly onCommit?: (() => void) | undefined;
}

/** One process's connection to a device's database; several may be open on one file. */
export class SimHandle {
  readonly store!: Store;
  readonly replicas: ReplicaStore;
  readonly #run: Run;
  readonly #name: string;
  #isGone = false;
  #isClosed = false;
  #phase: Phase = "migrate";
  #trap: Trap | undefined;
  readonly #onCrash: () => void;

  constructor(run: Run, options: HandleOptions) {
    const { native } = options;
    this.#run = run;
    this.#name = options.name;
    this.#trap = options.trap;
    this.#onCrash = options.onCrash;
    const opened = openStore({
      path: options.path,
      nativeBinding: native && (() => native),
      sha256,
      random: options.random,
      clock: options.clock,
      cipher: glassCipher,
      // The file is there, or SQLite makes it: whose it is does not matter here.
      createPrivateFile: () => ok(undefined),
      identity: options.identity,
      probe: (statement) => {
        if (statement === "COMMITTED") options.onCommit?.();
        this.#probe(statement);
      },
    });
    if (!opened.ok) throw new Error(`${opened.error.kind}: ${opened.error.message}`);
    this.store = opened.value;
    this.replicas = this.#watched(opened.value.replicas);
    this.#phase = "read";
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Lets something go wrong later. */
  set(trap: Trap): void {
    // A crash waits for its place; what is put over it would mostly be somewhere else.
    if (this.#trap?.kind !== "crash") this.#trap = trap;
  }

  /** Nothing more goes wrong. */
  disarm(): void {
    this.#trap = undefined;
  }

  /** Runs work of a phase. */
  during<T>(phase: Phase, work: () => T): T {
    const before = this.#phase;
    this.#phase = phase;
    try {
      return work();
    } finally {
      this.#phase = before;
    }
  }

  /** Ends the process: whatever it still does comes to nothing. */
  kill(): void {
    this.#isGone = true;
    this.#trap = undefined;
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.store.close();
  }

  #probe(statement: string): void {
    if (this.#isGone) throw new Gone();
    const trap = this.#trap;
    if (trap === undefined || (trap.phase !== "any" && trap.phase !== this.#phase)) return;
    const stage = stageOf(statement);
    if (trap.stage !== "any" && trap.stage !== stage) return;
    if (trap.kind === "busy" && stage !== "begin") return;
    if (trap.kind === "full" && stage !== "statement" && stage !== "commit") return;
    trap.left -= 1;
    if (trap.left > 0) return;
    this.#trap = undefined;
    const point = `${this.#phase}:${stage}`;
    this.#run.trace(`${trap.kind} in ${this.#name} at ${point}`);
    if (trap.kind === "busy") throw new SqliteError("database is locked", "SQLITE_BUSY");
    if (trap.kind === "full") throw new SqliteError("database or disk is full", "SQLITE_FULL");
    this.#run.crashPoints.set(point, (this.#run.crashPoints.get(point) ?? 0) + 1);
    this.#isGone = true;
    // The operating system closes what a dead process had open, once it is out of the statement.
    this.#run.time.after(0, () => {
      if (this.store !== undefined) this.kill();
    });
    this.#onCrash();
    throw new Gone();
  }

  #noteHeal(taken: Taken): void {
    if (taken.kind === "heal-due") this.#run.healReasons.add(taken.why);
  }

  #watched(replicas: ReplicaStore): ReplicaStore {
    return new Proxy(replicas, {
      get: (target, name, receiver) => {
        const value: unknown = Reflect.get(target, name, receiver);
        if (typeof value !== "function") return value;
        const phase = phases[String(name)] ?? "read";
        return (...args: unknown[]): unknown => {
          if (this.#isGone) throw new Gone();
          const result: unknown = this.during(
            phase,
            () => Reflect.apply(value, target, args) as unknown,
          );
          if (healing.has(String(name))) this.#noteHeal(result as Taken);
          return result;
        };
      },
    });
  }
}

/** Whose answers tell that a heal is due. */
const healing: ReadonlySet<string> = new Set(["takePage", "takePushAnswer", "takePosition"]);

const phases: Readonly<Record<string, Phase>> = {
  takeNamespaces: "hello",
  planPush: "push",
  takePushAnswer: "push",
  advance: "push",
  takePosition: "push",
  rejectOp: "push",
  restampLamports: "push",
  planPull: "pull",
  takePage: "pull",
  demandHeal: "heal",
  bucketDigests: "heal",
  bucket: "heal",
  healLines: "heal",
  takeHealed: "heal",
  finishHeal: "heal",
};

function stageOf(statement: string): Stage {
  if (statement === "BEGIN") return "begin";
  if (statement === "COMMIT") return "commit";
  return statement === "COMMITTED" ? "committed" : "statement";
}
