/** A server that makes up records without end: the pull goes on, and everything else as well. */
import { ok, tombstone, type NamespaceId, type RecordId } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SyncEngine } from "./engine.ts";
import type { NamespaceProgress } from "./outcome.ts";
import { pause } from "./ports.ts";
import { syncLimits } from "./sync-limits.ts";
import { createFakeStore, type FakeStore } from "./testing/fake-store.ts";
import { createFakeTransport, type FakeTransport } from "./testing/fake-transport.ts";
import { createTestEngine } from "./testing/test-engine.ts";
import { createVirtualTime, type VirtualTime } from "./testing/virtual-time.ts";
import type { Transport } from "./transport.ts";

/** More than have room at once. */
const names = Array.from({ length: syncLimits.exchangesMax + 4 }, (_, at) => `endless${at}`);
/** What a page takes to come. */
const pageMs = 100;

let time: VirtualTime;
let store: FakeStore;
let server: FakeTransport;
let engine: SyncEngine;
let stop: AbortController;
let running: Promise<void> | undefined;
let endless: readonly NamespaceId[];
let ours: NamespaceId;
const pages = new Map<NamespaceId, number>();

beforeEach(() => {
  time = createVirtualTime();
  store = createFakeStore();
  endless = names.map((name) => store.add(name, { unsent: 1 }));
  ours = store.add("ours", { unsent: 1 });
  server = createFakeTransport(...names, "ours");
  pages.clear();
  server.script.pull = endlessPull();
  stop = new AbortController();
  running = undefined;
  engine = createTestEngine(time, { store, transport: server });
});

afterEach(async () => {
  stop.abort();
  if (running !== undefined) await time.until(running);
});

/** Pages of one record each, every one higher than the one before and followed by more. */
function endlessPull(): Transport["pull"] {
  const good = createFakeTransport();
  return async (namespace, plan, signal) => {
    const page = await good.pull(namespace, plan, signal);
    if (namespace === ours || !page.ok) return page;
    await pause(time, pageMs, signal);
    const seq = (pages.get(namespace) ?? 0) + 1;
    pages.set(namespace, seq);
    const state = tombstone(`r${seq}` as RecordId, "observation");
    const tail = { ...page.value.tail, cursor: String(seq), head: seq + 1, more: true };
    return ok({ records: [{ state, seq, line: {} }], tail });
  };
}

test("[EN28] pulls without end take turns, and neither pushes nor other namespaces wait for them", async () => {
  running = engine.run(stop.signal);
  await time.advance(20_000);
  expect(store.replica(ours)).toMatchObject({ verified: true, unsent: 0 });
  expect(endless.map((namespace) => store.replica(namespace)?.unsent)).toEqual(names.map(() => 0));
  const counts = endless.map((namespace) => pages.get(namespace) ?? 0);
  expect(Math.min(...counts)).toBeGreaterThan(50);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(10);

  for (const namespace of [ours, ...endless]) store.change(namespace, { unsent: 1 });
  engine.wake();
  await time.advance(syncLimits.outboxPollMs);
  const unsent = [ours, ...endless].map((namespace) => store.replica(namespace)?.unsent);
  expect(new Set(unsent)).toEqual(new Set([0]));
});

test("[EN28] a one-shot sync before such a server ends in its time, and tells what came", async () => {
  const told = new Map<NamespaceId, string>();
  const onProgress = (look: () => readonly NamespaceProgress[]): void => {
    for (const { namespace, work } of look()) {
      if (work !== undefined) told.set(namespace, `${work.kind} ${work.done}/${work.total}`);
    }
  };
  const budgetMs = 5_000;
  const before = time.nowMs();
  const outcome = await time.until(engine.syncOnce({ signal: stop.signal, budgetMs, onProgress }));
  expect(time.nowMs() - before).toBeLessThanOrEqual(budgetMs + pageMs);
  expect(outcome.isDone).toBe(false);
  expect(outcome.namespaces.filter(({ isDone }) => isDone)).toMatchObject([{ namespace: ours }]);
  for (const namespace of endless) expect(told.get(namespace)).toMatch(/^pull \d+\/\d+$/u);
});
