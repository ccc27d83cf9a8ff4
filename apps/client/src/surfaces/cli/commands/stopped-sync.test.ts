import { ok } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { namespace, world } from "../../../store/testing/world.ts";
import type { Store } from "../../../store/store.ts";
import { failureOf } from "../../../sync/engine-failure.ts";
import type { SyncOutcome } from "../../../sync/outcome.ts";
import type { CliDeps } from "../deps.ts";
import { runCli } from "../run-cli.ts";
import { testIdentity } from "../testing/identity.ts";
import { createToldIo } from "../testing/told-io.ts";

let store: Store;

beforeEach(() => {
  ({ a: store } = world());
});

afterEach(() => {
  store.close();
});

/** A sync that ended like this, with more to come where it is not done. */
function outcome(isDone: boolean, state: "running" | "parked" = "running"): SyncOutcome {
  const one = { namespace, name: "personal", state, isDone } as const;
  const counts = { unsent: 0, unverified: 0, rejected: 0, needsHeal: false };
  return { isDone, failure: undefined, namespaces: [{ ...one, ...counts, failure: undefined }] };
}

/** Runs a command during whose sync a person stops it. */
async function stopped(isDone: boolean, ...argv: readonly string[]) {
  return await endedAs(outcome(isDone), argv, (stop) => {
    stop.abort();
  });
}

/** Runs a command whose sync ends so, of itself. */
async function ended(sync: SyncOutcome, ...argv: readonly string[]) {
  return await endedAs(sync, argv, () => undefined);
}

async function endedAs(
  sync: SyncOutcome,
  argv: readonly string[],
  during: (stop: AbortController) => void,
) {
  const { io, told } = createToldIo();
  const stop = new AbortController();
  const deps = {
    io,
    clock: { nowMs: () => 1_795_000_000_000 },
    version: "0.0.0",
    signal: stop.signal,
    memory: () => ({ store, hasSpooled: () => false }),
    home: () => ({
      identity: () => testIdentity,
      projectAt: () => "name:p",
      config: {},
      paths: { deviceKey: "/nonexistent/device.key" },
    }),
    pairing: () => ({ open: () => ok(undefined) }),
    sync: () => ({
      run: () => {
        during(stop);
        return { kind: "ended", sync };
      },
    }),
  } as unknown as CliDeps;
  const code = await runCli(deps, argv);
  return { code, ...told };
}

const link = "https://tidemark.example/#j=abc.def";

test.each([[["sync"]], [["pair", link]]])(
  "[CL65] %j that a person stops before it is done exits with 130, and says what goes on",
  async (argv) => {
    expect(await stopped(false, ...argv)).toMatchObject({
      code: 130,
      err: expect.stringMatching(
        /^error: stopped before the sync was done\nhint: .*tidemark sync/mu,
      ),
    });
    expect((await stopped(true, ...argv)).code).toBe(0);
  },
);

test("[CL65] a sync that is stopped with nothing left to send does not count what is left to send", async () => {
  expect((await stopped(false, "sync")).out).toBe("personal: not all is fetched\n");
});

test("[NS11] sync says of a namespace that is gone what may have become of it", async () => {
  const { code, out } = await ended(outcome(true, "parked"), "sync");
  expect([code, out]).toEqual([
    0,
    "personal: you are no longer a member, or it was deleted; nothing is sent\n",
  ]);
});

/** A sync that the store ended: the disk has no room. */
function onFullDisk(): SyncOutcome {
  const failure = failureOf(Object.assign(new Error("no space left"), { code: "ENOSPC" }));
  const { namespaces } = outcome(false);
  return {
    isDone: false,
    failure: undefined,
    namespaces: namespaces.map((one) => ({ ...one, failure })),
  };
}

test("[CL72] a sync that a full disk ends says what is wrong, and then what to do", async () => {
  const { code, err } = await ended(onFullDisk(), "sync");
  expect([code, err]).toEqual([
    1,
    "error: no space left (ENOSPC)\nhint: free some space on the disk that holds the database, then try again\n",
  ]);
});

test("[CL72] a pairing whose first sync could not end says why, and has paired", async () => {
  const { code, out } = await ended(onFullDisk(), "pair", link);
  expect(code).toBe(0);
  expect(out).toContain(
    "the first sync is not finished: no space left (ENOSPC)\nhint: free some space on the disk",
  );
  expect((await ended(outcome(false), "pair", link)).out).toContain(
    "the first sync is not finished: tidemark sync\n",
  );
});

test("[CL72] a pairing that a person stops in its first sync tells that alone", async () => {
  const { code, out, err } = await endedAs(onFullDisk(), ["pair", link], (stop) => {
    stop.abort();
  });
  expect(code).toBe(130);
  expect(out).toContain("the first sync is not finished: tidemark sync\n");
  expect(err).not.toContain("no space");
});
