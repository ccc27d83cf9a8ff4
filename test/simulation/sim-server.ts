import { gunzipSync, gzipSync } from "node:zlib";
import type { Digest, NamespaceId } from "../../packages/protocol/src/index.ts";
import { openVault } from "../../apps/server/src/auth/testing/auth-deps.ts";
import { quotaPreset, type Quota } from "../../apps/server/src/domain/quota.ts";
import { applyRetention } from "../../apps/server/src/domain/retention.ts";
import { createApp, type App } from "../../apps/server/src/http/app.ts";
import type { Expander } from "../../apps/server/src/http/app-deps.ts";
import { hmacSha256, sha256, timingSafeEqual } from "../../apps/server/src/platform/hash.ts";
import type { AccountState } from "../../apps/server/src/store/memory/account-state.ts";
import { emptyAccounts } from "../../apps/server/src/store/memory/account-state.ts";
import { copyAccounts } from "../../apps/server/src/store/memory/copy-accounts.ts";
import { createMemoryStore } from "../../apps/server/src/store/memory/memory-store.ts";
import type { Store } from "../../apps/server/src/store/port.ts";
import { StoreUnavailable } from "../../apps/server/src/store/store-unavailable.ts";
import { watchRights } from "./rights.ts";
import { seededBytes } from "./tape.ts";
import { secondLook } from "./wary.ts";
import { strikes, type Run } from "./world-state.ts";

export const serverUrl = "https://tidemark.example";

/** One replica of the server: the real application over the store that all replicas share. */
export interface Instance {
  readonly app: App;
  isUp: boolean;
  /** Told when the replica dies: open streams end with it. */
  readonly onDeath: Set<() => void>;
}

interface Backup {
  readonly accounts: AccountState;
  readonly atMs: number;
}

interface ServerOptions {
  readonly seed: number;
  readonly replicas: number;
  /** Replicas run on while the database is set back. */
  readonly isFailover: boolean;
  /** It looks for secrets. */
  readonly isWary: boolean;
}

/** The server side of a world: a database that can be set back, and replicas that can die. */
export class SimServer {
  readonly #run: Run;
  readonly #isFailover: boolean;
  readonly #isWary: boolean;
  readonly #random: { bytes(count: number): Uint8Array<ArrayBuffer> };
  readonly #slots: (Instance | undefined)[];
  #accounts: AccountState = emptyAccounts();
  #inner: Store;
  #backup: Backup | undefined;
  #epoch = 0;
  #writes = 0;
  #quota: Quota = quotaPreset;
  readonly #waiting: (() => void)[] = [];
  /** What each head's digest was, in the present history: a device that says "synced" is held to it. */
  readonly #digests = new Map<string, Digest>();

  constructor(run: Run, { seed, replicas, isFailover, isWary }: ServerOptions) {
    this.#run = run;
    this.#isFailover = isFailover;
    this.#isWary = isWary;
    this.#random = seededBytes(seed, 1);
    this.#inner = createMemoryStore({ clock: run.time, accounts: this.#accounts });
    this.#slots = Array.from({ length: replicas }, () => undefined);
  }

  /** The account side as an operator sees it, without faults. */
  get accounts(): Store["accounts"] {
    return this.#inner.accounts;
  }

  get state(): AccountState {
    return this.#accounts;
  }

  get epoch(): number {
    return this.#epoch;
  }

  digestAt(namespace: string, head: number): Digest | undefined {
    return this.#digests.get(`${namespace} ${head}`);
  }

  /** Gives namespaces so much room from now on; as much as the preset says where it is not told. */
  setQuota(quota: Partial<Quota> = {}): void {
    this.#quota = { ...quotaPreset, ...quota };
  }

  /** Lets go of what has had its time, as the server does every night. */
  async retain(): Promise<void> {
    await applyRetention({ store: this.#inner }, { nowMs: this.#run.time.nowMs() });
  }

  start(): void {
    for (const index of this.#slots.keys()) this.#slots[index] ??= this.#instance();
  }

  /** A replica that answers, or undefined where the one that is asked is down. */
  reach(): Instance | undefined {
    const instance = this.#run.tape.pick(this.#slots.map((slot) => ({ slot }))).slot;
    return instance?.isUp === true ? instance : undefined;
  }

  /** Ends a replica at once; it is back after a while. */
  kill(instance: Instance, backAfterMs: number): void {
    if (!instance.isUp) return;
    instance.isUp = false;
    this.#run.trace("replica dies");
    instance.app.close();
    for (const tell of instance.onDeath) tell();
    instance.onDeath.clear();
    const index = this.#slots.indexOf(instance);
    this.#run.time.after(backAfterMs, () => {
      this.#slots[index] = this.#instance();
    });
  }

  restartAll(backAfterMs: number): void {
    for (const slot of this.#slots) if (slot !== undefined) this.kill(slot, backAfterMs);
  }

  backUp(): void {
    this.#backup = { accounts: copyAccounts(this.#accounts), atMs: this.#run.time.nowMs() };
  }

  get hasBackup(): boolean {
    return this.#backup !== undefined;
  }

  /** Sets the database back to the backup, as after a lost disk or an asynchronous fail-over. */
  restore(backAfterMs: number): void {
    if (this.#backup === undefined) return;
    if (!this.#isFailover) this.restartAll(backAfterMs);
    this.#epoch += 1;
    this.#digests.clear();
    this.#accounts = copyAccounts(this.#backup.accounts);
    this.#inner = createMemoryStore({ clock: this.#run.time, accounts: this.#accounts });
  }

  close(): void {
    for (const slot of this.#slots) slot?.app.close();
  }

  #instance(): Instance {
    const onDeath = new Set<() => void>();
    // The store needs the instance, to take it down; it is there before anybody calls.
    const holder: { instance?: Instance } = {};
    const { time } = this.#run;
    const app = createApp({
      clock: time,
      random: this.#random,
      vault: openVault,
      timers: {
        // Asking for heads every second would be most of what a run does.
        every: (ms, tick) => time.every(ms < 5_000 ? ms * 5 : ms, tick),
      },
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      gzip: instantGzip,
      sha256,
      hmacSha256,
      isSameSecret: timingSafeEqual,
      store: this.#storeFor(() => holder.instance),
      publicUrls: [serverUrl],
      version: "0.0.0-sim",
      quota: late(() => this.#quota),
      ...(this.#isWary ? { secrets: secondLook } : {}),
    });
    const instance: Instance = { app, isUp: true, onDeath };
    holder.instance = instance;
    return instance;
  }

  #storeFor(instance: () => Instance | undefined): Store {
    const inner = (): Store => this.#inner;
    return {
      accounts: late(() => inner().accounts),
      readNamespace: (namespace, work) => inner().readNamespace(namespace, work),
      writeNamespace: (namespace, work) => this.#write(namespace, work, instance),
      namespaceIds: () => inner().namespaceIds(),
      usage: () => inner().usage(),
      expiredNamespaces: (countMax) => inner().expiredNamespaces(countMax),
      purgeNamespace: (namespace, rowsMax) => inner().purgeNamespace(namespace, rowsMax),
      ping: () => inner().ping(),
      close: async () => undefined,
    };
  }

  /** Calls back when no write is under way: what one has put down may still be taken back. */
  whenSettled(callback: () => void): void {
    if (this.#writes === 0) callback();
    else this.#waiting.push(callback);
  }

  async #counted<T>(write: () => Promise<T>): Promise<T> {
    this.#writes += 1;
    try {
      return await write();
    } finally {
      this.#writes -= 1;
      if (this.#writes === 0) for (const callback of this.#waiting.splice(0)) callback();
    }
  }

  async #write<T>(
    namespace: NamespaceId,
    work: Parameters<Store["writeNamespace"]>[1],
    instance: () => Instance | undefined,
  ): Promise<T | undefined> {
    const run = this.#run;
    const epoch = this.#epoch;
    const die = (point: string): void => {
      run.crashPoints.set(point, (run.crashPoints.get(point) ?? 0) + 1);
      const own = instance();
      if (own !== undefined) this.kill(own, 1_000 + run.tape.draw(20_000));
    };
    const result = await this.#counted(() =>
      this.#inner.writeNamespace(namespace, async (tx) => {
        const wrong = watchRights(this.#accounts, namespace);
        const done = await work(tx);
        const told = wrong();
        if (told !== undefined) run.broken(told.rule, told.what);
        if (strikes(run, "slowCommit")) await run.time.sleep(10 + run.tape.draw(3_000));
        if (this.#epoch !== epoch || instance()?.isUp !== true)
          throw new StoreUnavailable("simulated");
        if (strikes(run, "lostCommit")) throw new StoreUnavailable("simulated");
        if (strikes(run, "crashBeforeCommit")) {
          die("server:before-commit");
          throw new StoreUnavailable("simulated");
        }
        const { head, digest } = await tx.head();
        this.#digests.set(`${namespace} ${head}`, digest);
        return done;
      }),
    );
    if (strikes(run, "unknownCommit")) throw new StoreUnavailable("simulated");
    if (strikes(run, "crashAfterCommit")) die("server:after-commit");
    return result as T | undefined;
  }
}

/** What is called on the object that is there at that moment: a replica keeps its store for good. */
function late<T extends object>(current: () => T): T {
  const call = (name: keyof T): unknown => {
    const member = current()[name];
    if (typeof member !== "function") return member;
    return (...args: readonly unknown[]) =>
      (current()[name] as (...args: readonly unknown[]) => unknown)(...args);
  };
  return new Proxy({} as T, { get: (_target, name) => call(name as keyof T) });
}

const instantGzip = {
  compress: async (content: string | Uint8Array): Promise<Uint8Array> =>
    gzipSync(content, { level: 1 }),
  createExpander: (bytesMax: number): Expander => {
    const packed: Uint8Array[] = [];
    return {
      add: async (bytes) => {
        packed.push(bytes);
        return [];
      },
      end: async () => {
        try {
          return [gunzipSync(Buffer.concat(packed), { maxOutputLength: bytesMax })];
        } catch {
          return "malformed";
        }
      },
      close: () => undefined,
    };
  },
};
