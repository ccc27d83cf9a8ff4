import type { NamespaceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { testScrub } from "../../memory/testing/scrub.ts";
import { seededRandom, testSha256, testStore } from "../../store/testing/test-store.ts";
import { at, disagreeing, make, put, set, title } from "../../store/testing/world.ts";
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
    home: { followSettings: () => undefined },
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

test("[DA24] a value that came since the page was shown is not settled away unseen", async () => {
  const { a: store } = disagreeing("theirs", "ours");
  const ask = await visited(store);
  const [conflict] = store.reads.conflicts();
  const form = async () => {
    const { text } = await ask("/conflicts");
    const [, stands = ""] = /name="stands" value="(\w+)"/u.exec(text) ?? [];
    return { stands, keep: "losing" };
  };
  const before = await form();
  make(store, set("record1", { title: "newer" }));
  const refused = await ask(`/conflicts/${conflict?.id ?? ""}`, before);
  expect(refused.status).toBe(409);
  expect(refused.text).toContain("has changed since it was shown");
  expect([title(store), store.reads.conflicts().length]).toEqual(["newer", 1]);
  expect(await ask(`/conflicts/${conflict?.id ?? ""}`, await form())).toMatchObject({
    status: 303,
  });
  expect(title(store)).toBe(conflict?.value);
});

test("[DA21] an observation that stands in two namespaces leads to each of them", async () => {
  const store = testStore();
  const [there, mine] = ["ns_there", "ns_mine"] as readonly string[] as [NamespaceId, NamespaceId];
  const team = { kind: "team", role: "owner", head: 0 } as const;
  store.replicas.takeNamespaces("server-1", [
    { ...team, id: there, name: "harbour" },
    { ...team, id: mine, name: "own" },
  ]);
  store.changes.change(there, [put("record1", { title: "as it was" })], at);
  store.changes.change(mine, [put("record1", { title: "taken along" })], at);
  const ask = await visited(store);
  const both = await ask("/memory/record1");
  expect(both.status).toBe(200);
  for (const [id, name] of [
    [there, "harbour"],
    [mine, "own"],
  ] as const) {
    expect(both.text).toContain(`href="/memory/record1?in=${id}"`);
    expect(both.text).toContain(name);
  }
  const one = await ask(`/memory/record1?in=${there}`);
  expect(one.text).toContain("as it was");
  expect(one.text).not.toContain("taken along");
  expect((await ask("/memory/record1?in=ns_none")).status).toBe(404);
});
