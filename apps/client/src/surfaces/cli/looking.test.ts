import { afterEach, beforeEach, expect, test } from "vitest";
import { largeDatabaseBytes } from "../../store/repair/large-database.ts";
import { disagreeing } from "../../store/testing/world.ts";
import type { Store } from "../../store/store.ts";
import type { CliDeps } from "./deps.ts";
import { clearLine } from "./progress.ts";
import { runCli } from "./run-cli.ts";
import { createToldIo } from "./testing/told-io.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const heard = (): void => undefined;

let store: Store;
beforeEach(() => {
  ({ a: store } = disagreeing("theirs", "ours"));
  for (const signal of signals) process.on(signal, heard);
});

afterEach(() => {
  for (const signal of signals) process.off(signal, heard);
  store.close();
});

const listeners = (): number => process.listeners("SIGINT").filter((one) => one === heard).length;

/** A store that tells before each of its reads. */
function telling(tell: () => void): Store {
  const reads = Object.entries(store.reads).map(([name, read]) => {
    const told = (...args: readonly never[]): unknown => {
      tell();
      return (read as (...args: readonly never[]) => unknown)(...args);
    };
    return [name, told];
  });
  return { ...store, reads: Object.fromEntries(reads) as Store["reads"] };
}

interface Place {
  readonly isErrTty?: boolean;
  readonly bytes?: number;
  readonly signal?: AbortSignal;
  readonly tell?: () => void;
}

async function run(argv: readonly string[], place: Place = {}) {
  const { isErrTty = true, bytes = largeDatabaseBytes, tell = () => undefined } = place;
  const { io, told } = createToldIo();
  const memory = { store: telling(tell) };
  const deps = {
    io: { ...io, isErrTty, width: 80 },
    files: { bytes: () => bytes },
    clock: { nowMs: () => 1_700_000_000_000 },
    version: "0.0.0",
    signal: place.signal ?? new AbortController().signal,
    memory: () => memory,
    home: () => ({
      env: {},
      followSettings: () => undefined,
      identity: () => undefined,
      config: {},
      paths: { database: "tidemark.db" },
    }),
  };
  const code = await runCli(deps as unknown as CliDeps, argv);
  return { code, ...told };
}

const looks = [
  ["list", "--all"],
  ["search", "ours", "--all"],
  ["conflicts", "--all"],
  ["timeline", "record1"],
];

test.each(looks)("[CL84] a signal ends %s while it reads the store", async (...argv) => {
  const seen: number[] = [];
  const { code } = await run(argv, { tell: () => seen.push(listeners()) });
  expect(code).toBe(0);
  expect(seen.at(-1)).toBe(0);
  expect(listeners()).toBe(1);
});

test.each(looks)("[CL84] a signal that came before %s has read is heard", async (...argv) => {
  const stop = new AbortController();
  setImmediate(() => {
    stop.abort();
  });
  const { code, out, err } = await run(argv, { signal: stop.signal });
  expect({ code, out }).toEqual({ code: 130, out: "" });
  expect(err).toContain("stopped before it was done");
});

test.each([
  [["list", "--all"], "listing"],
  [["search", "ours", "--all"], "searching"],
  [["conflicts", "--all"], "listing"],
])("[TM10] in a terminal %j says what it does over a large store", async (argv, doing) => {
  expect(await run(argv)).toMatchObject({ code: 0, err: `${doing} …${clearLine}` });
  expect((await run(argv, { bytes: largeDatabaseBytes - 1 })).err).toBe("");
  expect((await run(argv, { isErrTty: false })).err).toBe("");
});

test.each([["list"], ["search", "ours"], ["conflicts"], ["timeline", "record1"]])(
  "[TM10] %s says nothing where it reads a part",
  async (...argv) => {
    expect(await run(argv)).toMatchObject({ code: 0, err: "" });
  },
);
