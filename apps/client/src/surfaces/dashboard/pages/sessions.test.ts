import { collections } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { scrubbed } from "../../../store/testing/test-store.ts";
import { id, make, world } from "../../../store/testing/world.ts";
import { sessionPage, sessionsPage } from "./sessions.ts";

/** A page of a device that knows so many sessions. */
async function shown(sessions: number, offset: number): Promise<string> {
  const { a } = world();
  const collection = collections.session;
  const puts = Array.from({ length: sessions }, (_, n) => {
    const fields = scrubbed({ title: `session ${n}`, agent: "codex" });
    return { kind: "put", id: id(`session${n}`), collection, fields } as const;
  });
  make(a, ...puts);
  const text = String(await sessionsPage({ memory: { store: a } as never }, offset));
  a.close();
  return text;
}

const rowsIn = (text: string): number => [...text.matchAll(/href="\/sessions\/session/gu)].length;

test("[DA10] sessions are shown 200 a page, and each page leads to the older ones", async () => {
  const first = await shown(401, 0);
  expect([rowsIn(first), first.includes("Newer")]).toEqual([200, false]);
  expect(first).toContain('href="/sessions?from=200"');
  const second = await shown(401, 200);
  expect(second).toContain('href="/sessions?from=0"');
  expect(second).toContain('href="/sessions?from=400"');
  const last = await shown(401, 400);
  expect([rowsIn(last), last.includes("More")]).toEqual([1, false]);
  expect(await shown(200, 0)).not.toContain("More");
  expect(await shown(2, 200)).toContain("No older session.");
  expect(await shown(0, 0)).toContain("No session was captured yet.");
});

test("[ST29] of a session that was forgotten no page shows what its agent told since", () => {
  const { a } = world();
  const session = id("session1");
  const fields = scrubbed({ title: "one" });
  const add = (key: string): boolean =>
    a.sessions.addEvent({ key, session, atMs: 1, payload: scrubbed({ prompt: key }) as never });
  add("before");
  make(a, { kind: "put", id: session, collection: collections.session, fields });
  const page = () => sessionPage({ memory: { store: a } } as never, session);
  expect(page()).toBeDefined();
  make(a, { kind: "forget", id: session });
  add("since");
  expect(page()).toBeUndefined();
  a.close();
});
