import postgres from "postgres";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../../test/postgres/database.ts";
import { systemClock } from "../platform/clock.ts";
import { systemRandom } from "../platform/random.ts";
import type { Terminal } from "../platform/terminal.ts";
import { systemTimers } from "../platform/timers.ts";
import { lockVersions } from "../store/postgres/migrate.ts";
import { tablesWaiting } from "./migrate-told.ts";
import { openStore } from "./open-database.ts";
import { runProgram } from "./program.ts";

const slow = { timeout: 30_000 };

let database: TestDatabase;
let holder: postgres.Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  holder = postgres(database.url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await holder.end({ timeout: 5 });
  await database.drop();
});

/** Somebody who holds the tables until told to let go. */
async function held(): Promise<() => Promise<void>> {
  let letGo = (): void => {};
  const over = new Promise<void>((resolve) => (letGo = resolve));
  let took = (): void => {};
  const taken = new Promise<void>((resolve) => (took = resolve));
  const holding = holder.begin(async (tx) => {
    await lockVersions(tx);
    took();
    await over;
  });
  await taken;
  return async () => {
    letGo();
    await holding;
  };
}

/** Time that goes on when it is told to. */
function handTimers() {
  const ticks = new Set<() => void>();
  const every = (_ms: number, tick: () => void) => {
    ticks.add(tick);
    return () => void ticks.delete(tick);
  };
  return { ticks, timers: { ...systemTimers, every } };
}

/** Runs what the hint says, for as long as it names nobody. */
async function namedBy(fix: string): Promise<readonly number[]> {
  const query = /psql -c "(.+)"/u.exec(fix)?.[1] ?? "";
  const asking = postgres(database.url, { max: 1 });
  const named = await vi.waitUntil(async () => {
    const rows = await asking.unsafe<{ pid: number }[]>(query);
    return rows.length > 0 && rows.map(({ pid }) => pid);
  }, slow);
  await asking.end({ timeout: 5 });
  return named;
}

test("[OPS120] a start that waits for the tables says so, and the hint names who holds them", async () => {
  const [own] = await holder<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const letGo = await held();
  const { ticks, timers } = handTimers();
  const warned: unknown[] = [];
  const log = { info: () => {}, warn: (event: string) => void warned.push(event) };
  const { url } = database;
  const opening = openStore(
    { clock: systemClock, random: systemRandom, timers, log },
    { url, ownerUrl: url, isPooled: false, encoding: "UTF8" },
  );
  expect(warned).toEqual([]);
  for (const tick of ticks) tick();
  expect(warned).toEqual(["tables-waiting"]);
  expect(await namedBy(tablesWaiting.fix)).toContain(own?.pid);
  await letGo();
  const store = await opening;
  await store.close();
  expect(ticks.size).toBe(0);
});

test("[OPS120] migrate that waits for the tables says so, beside what it prints", async () => {
  const letGo = await held();
  const { ticks, timers } = handTimers();
  const [out, err]: [string[], string[]] = [[], []];
  const terminal: Terminal = {
    args: ["migrate", "--json"],
    env: { DATABASE_URL: database.url, HOME: "/nonexistent" },
    print: (text) => void out.push(text),
    printError: (text) => void err.push(text),
    readSecret: () => ({ ok: false, error: "unreadable" }),
    readSettings: () => undefined,
    exit: () => {},
  };
  const signals = { on: () => () => {} };
  const running = runProgram({
    clock: systemClock,
    random: systemRandom,
    timers,
    terminal,
    signals,
  });
  await vi.waitUntil(() => ticks.size > 0, slow);
  for (const tick of ticks) tick();
  expect(err.join("")).toMatch(/^the tables are not up to date yet: .+psql -c/u);
  await letGo();
  expect(await running).toBe(0);
  expect(JSON.parse(out.join(""))).toMatchObject({ later: [] });
});
