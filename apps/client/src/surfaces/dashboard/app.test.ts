import { expect, test } from "vitest";
import { testScrub } from "../../memory/testing/scrub.ts";
import { seededRandom, testSha256 } from "../../store/testing/test-store.ts";
import { at, disagreeing, title } from "../../store/testing/world.ts";
import type { Store } from "../../store/store.ts";
import { createDashboard } from "./app.ts";
import { createDoor } from "./door.ts";

const address = "127.0.0.1:4711";
const origin = `http://${address}`;

/** Asks the dashboard of a store, as the browser does that was let in. */
async function visited(store: Store) {
  const clock = { nowMs: () => at };
  const door = createDoor({ random: seededRandom("door"), clock, sha256: testSha256 });
  const app = createDashboard({
    memory: { store, clock, scrub: testScrub() },
    home: {},
    door,
    address,
    seen: () => undefined,
    signal: new AbortController().signal,
  } as never);
  const cookie = `tidemark-4711=${door.enter(door.token) ?? ""}`;
  return async (path: string, form?: Readonly<Record<string, string>>) => {
    const headers = { host: address, origin, cookie };
    const request = form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) };
    const answer = await app.request(`${origin}${path}`, { headers, ...request });
    return {
      status: answer.status,
      location: answer.headers.get("location"),
      text: await answer.text(),
    };
  };
}

test("[DA20] a conflict that was settled elsewhere meanwhile is settled, and its value stays", async () => {
  const { a: store } = disagreeing("theirs", "ours");
  const [conflict] = store.reads.conflicts();
  const ask = await visited(store);
  const settle = async (id: string) => await ask(`/conflicts/${id}`, { keep: "losing" });
  expect(await settle(conflict?.id ?? "")).toMatchObject({ status: 303, location: "/conflicts" });
  const kept = title(store);
  expect(await settle(conflict?.id ?? "")).toMatchObject({ status: 303, location: "/conflicts" });
  expect(title(store)).toBe(kept);
  const unknown = await settle("nosuchconflict");
  expect(unknown.status).toBe(409);
  expect(unknown.text).toContain("not settled: there is no record nosuchconflict\n");
});
