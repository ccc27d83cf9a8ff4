import { gunzipSync } from "node:zlib";
import {
  createAuthDeps,
  createTestClock,
  openVault,
  type TestClock,
} from "../../auth/testing/auth-deps.ts";
import { createSetupSecret, secretHash } from "../../auth/link-secrets.ts";
import { quotaPreset } from "../../domain/quota.ts";
import { compressContent, createExpander } from "../../platform/gzip.ts";
import { createMemoryStore } from "../../store/memory/memory-store.ts";
import type { Store } from "../../store/port.ts";
import { createApp, type App } from "../app.ts";
import type { AppDeps } from "../app-deps.ts";

/** A whole server without sockets, over the store in memory. */
export interface Harness {
  readonly url: string;
  readonly app: App;
  readonly clock: TestClock;
  readonly store: Store;
  readonly deps: AppDeps;
  /** Every event the log was given, as text. */
  readonly log: readonly string[];
  /** Makes all ticks of a period happen. */
  tick(ms: number): void;
  /** A new setup secret, valid for an hour. */
  setupSecret(): Promise<string>;
}

/** Where the harness's server is reached. */
export const testUrls = ["https://tidemark.example", "http://tidemark.lan:8420"] as const;

/** Builds a server; `given` replaces single dependencies. */
export function createHarness(given: Partial<AppDeps> = {}): Harness {
  const clock = createTestClock();
  const auth = createAuthDeps(clock, "harness");
  const store = given.store ?? createMemoryStore({ clock });
  const ticks: { ms: number; tick: () => void }[] = [];
  const log: string[] = [];
  const note = (event: string, facts?: object): void => {
    log.push(`${event} ${JSON.stringify(facts ?? {})}`);
  };
  const deps: AppDeps = {
    ...auth,
    vault: openVault,
    timers: {
      every: (ms, tick) => {
        const timer = { ms, tick };
        ticks.push(timer);
        return () => {
          ticks.splice(ticks.indexOf(timer), 1);
        };
      },
    },
    log: { info: note, warn: note, error: note },
    gzip: { compress: compressContent, createExpander },
    store,
    publicUrls: testUrls,
    version: "0.0.0-test",
    quota: quotaPreset,
    ...given,
  };
  return {
    url: testUrls[0],
    app: createApp(deps),
    clock,
    store,
    deps,
    log,
    tick: (ms) => {
      for (const timer of ticks.slice()) if (timer.ms === ms) timer.tick();
    },
    setupSecret: async () => {
      await store.accounts.server(() => "srv_test");
      const secret = createSetupSecret(auth);
      const untilMs = clock.nowMs() + 3_600_000;
      await store.accounts.saveSetupSecret(secretHash(auth, secret), untilMs);
      return secret;
    },
  };
}

/** An answer's body as text, expanded where it came as gzip. */
export async function bodyText(response: Response): Promise<string> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const isGzip = response.headers.get("content-encoding") === "gzip";
  return (isGzip ? gunzipSync(bytes) : bytes).toString("utf8");
}
