import { afterEach, beforeEach, expect, test } from "vitest";
import { testScrub } from "../../../memory/testing/scrub.ts";
import type { Store } from "../../../store/store.ts";
import { testSha256 } from "../../../store/testing/test-store.ts";
import { make, namespace, put, world } from "../../../store/testing/world.ts";
import type { CliDeps } from "../deps.ts";
import { clearLine } from "../progress.ts";
import { runCli } from "../run-cli.ts";
import { createToldIo } from "../testing/told-io.ts";

const endMs = 1_700_000_000_000;
const dayMs = 86_400_000;
let store: Store;

beforeEach(() => {
  ({ a: store } = world());
});

afterEach(() => {
  store.close();
});

/** What happens where work looks for a stop. */
type Sleep = (stop: AbortController) => Promise<void>;

/** Runs lifecycle in a terminal, where each look at the clock finds that a second has gone by. */
async function run(args: readonly string[], sleep: Sleep = async () => undefined) {
  const { io, told } = createToldIo();
  const stop = new AbortController();
  let nowMs = endMs;
  const memory = {
    store,
    scrub: testScrub(),
    sha256: testSha256,
    clock: { nowMs: () => endMs },
    random: { bytes: (count: number) => new Uint8Array(count) },
  };
  const deps = {
    io: { ...io, isErrTty: true, width: 120 },
    clock: { nowMs: () => (nowMs += 1_000) },
    sleep: () => sleep(stop),
    version: "0.0.0",
    signal: stop.signal,
    memory: () => memory,
    home: () => ({ identity: () => undefined, config: { compactDays: 90 } }),
  } as unknown as CliDeps;
  return { code: await runCli(deps, ["lifecycle", ...args]), ...told };
}

/** What a person does once work has looked for a stop so often. */
function stopAfter(looks: number): Sleep {
  let seen = 0;
  return async (stop) => {
    seen += 1;
    if (seen === looks) stop.abort();
  };
}

/** Observations of two old sessions. */
function saveOld(): void {
  const createdAt = endMs - 100 * dayMs;
  const rows = ["a1", "a2", "a3", "b1", "b2", "b3"].map((id) =>
    put(id, { title: `Note ${id}`, kind: "change", session: id.charAt(0), createdAt }),
  );
  make(store, ...rows);
}

test("[TM6] a dry run of lifecycle tells in a terminal how far it is, and takes the line away", async () => {
  make(store, ...[1, 2, 3].map((n) => put(`record${n}`, { title: `Note ${n}` })));
  const { code, out, err } = await run(["--dry-run"]);
  expect(code).toBe(0);
  expect(err).toContain("looking for what is old: 1 of 3 observations");
  expect(err).toContain("looking for what is old: 3 of 3 observations");
  expect(err.endsWith(clearLine)).toBe(true);
  expect(out).toBe("nothing has come of age\n");
});

test("[CL65] lifecycle that a person stops while it looks has changed nothing", async () => {
  saveOld();
  const { code, out, err } = await run([], stopAfter(2));
  expect([code, out]).toEqual([130, ""]);
  expect(err).toContain(
    `${clearLine}error: stopped before all was looked at: nothing was changed\n`,
  );
  expect(store.reads.list({ namespaces: [namespace] })).toHaveLength(6);
});

test("[CL65] lifecycle that a person stops while it folds tells what was done, and goes on from there", async () => {
  saveOld();
  const { code, out, err } = await run([], stopAfter(7));
  expect(code).toBe(130);
  expect(out).toContain("folded 1 session into digests, archived 3 observations");
  expect(err).toContain("aging memory: 1 of 2");
  expect(err).toContain(`${clearLine}error: stopped before all that is due was done\n`);
  const again = await run([]);
  expect([again.code, again.out]).toEqual([0, out]);
  const kinds = store.reads.list({ namespaces: [namespace] }).map(({ kind }) => kind);
  expect(kinds).toEqual(["digest", "digest"]);
});
