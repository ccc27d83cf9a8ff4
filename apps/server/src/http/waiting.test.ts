import type { NamespaceId } from "@tidemark/protocol";
import { helloSchema, waitingAnswerSchema } from "@tidemark/protocol/wire";
import { expect, test } from "vitest";
import { pingEveryMs } from "./app.ts";
import {
  claimServer,
  createTestWriter,
  joinServer,
  outcome,
  push,
  type TestClient,
} from "./testing/client.ts";
import { createEventReader } from "./testing/event-reader.ts";
import { createHarness, type Harness } from "./testing/harness.ts";

interface Team {
  readonly harness: Harness;
  readonly owner: TestClient;
  readonly id: NamespaceId;
  /** Somebody who opened an invite that waits. */
  readonly bob: TestClient;
  readonly word: (by: TestClient, method: "POST" | "DELETE", role?: string) => Promise<string>;
}

async function team(): Promise<Team> {
  const harness = createHarness();
  const owner = await claimServer(harness);
  const { id } = await owner.createNamespace("acme");
  const request = { kind: "invite", namespace: id, role: "writer", confirm: true };
  const link = await owner.createLink({ ...request, madeFor: "grace" });
  const bob = await joinServer(harness, link, "bob");
  const path = `/v1/namespaces/${id}/waiting/${bob.admission.user.id}`;
  const word: Team["word"] = async (by, method, role = "writer") => {
    const headers = { "content-type": "application/json" };
    const body = method === "POST" ? { headers, body: JSON.stringify({ role }) } : {};
    return await outcome(await by.send(path, { method, ...body }));
  };
  return { harness, owner, id, bob, word };
}

test("[NS24] [NS25] who waits sees that alone, and after a yes pushes at once (abuse 90, 98)", async () => {
  const { owner, id, bob, word } = await team();
  const waits = await bob.hello();
  expect(waits.waiting).toEqual([{ id, name: "acme", role: "writer" }]);
  expect(waits.namespaces?.map(({ kind }) => kind)).toEqual(["personal"]);
  expect(await owner.hello()).not.toHaveProperty("waiting");
  const body = createTestWriter("writer_bob").body(["one"]);
  expect(await outcome(await push(bob, id, body))).toBe("404 not-found");
  const shown = waitingAnswerSchema.parse(await owner.call("GET", `/v1/namespaces/${id}/waiting`));
  expect(shown.waiting).toMatchObject([
    { user: bob.admission.user, role: "writer", madeFor: "grace" },
  ]);
  expect(await word(owner, "POST", "reader")).toBe("409 conflict");
  expect(await word(owner, "POST")).toBe("200");
  expect(await word(owner, "POST")).toBe("404 not-found");
  expect(await bob.hello()).not.toHaveProperty("waiting");
  expect((await push(bob, id, body)).status).toBe(200);
});

test("[NS25] who is sent away finds nothing, and comes in by no replay of the link (abuse 98)", async () => {
  const { harness, owner, id, bob, word } = await team();
  expect(await word(owner, "DELETE")).toBe("200");
  expect(await word(owner, "DELETE")).toBe("404 not-found");
  expect(await bob.hello()).not.toHaveProperty("waiting");
  expect(await outcome(await bob.send(`/v1/namespaces/${id}/members`))).toBe("404 not-found");
  const events = async (): Promise<readonly string[]> =>
    (
      await owner.call<{ items: { event: string }[] }>("GET", `/v1/audit?namespace=${id}`)
    ).items.map(({ event }) => event);
  expect((await events()).slice(0, 2)).toEqual(["member-declined", "member-waiting"]);
  const request = { kind: "invite", namespace: id, role: "writer", confirm: true };
  const link = await owner.createLink({ ...request, madeFor: "grace" });
  const accept = async (): Promise<string> =>
    await outcome(
      await bob.send("/v1/invites/accept", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(link),
      }),
    );
  expect([await accept(), await accept()]).toEqual(["200", "404 invalid-or-expired"]);
  expect((await bob.hello()).waiting).toHaveLength(1);
  expect(harness.log.join("\n")).not.toContain(link.auth);
});

test("[NS24] no poke comes to who waits; with the yes the stream begins to carry them", async () => {
  const { harness, owner, id, bob, word } = await team();
  const reader = createEventReader(await bob.send("/v1/pokes"));
  await reader.until('"head":0}');
  await push(owner, id, createTestWriter("writer_owner").body(["one"]));
  harness.tick(pingEveryMs);
  expect(await reader.until(": ping")).not.toContain(id);
  reader.skip();
  expect(await word(owner, "POST")).toBe("200");
  harness.tick(pingEveryMs);
  expect(await reader.until(id)).toContain(`{"namespace":"${id}","head":1}`);
});

test("[NS24] an invite for somebody without a wait is refused, as is a device link that waits", async () => {
  const { owner, id } = await team();
  const authHash = "h".repeat(43);
  const make = async (body: object): Promise<string> =>
    await outcome(
      await owner.send("/v1/links", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ authHash, ...body }),
      }),
    );
  const invite = { kind: "invite", namespace: id, role: "reader" };
  expect(await make({ ...invite, madeFor: "grace" })).toBe("400 invalid");
  expect(await make({ ...invite, confirm: true, madeFor: "two\nlines" })).toBe("400 invalid");
  expect(await make({ kind: "device", confirm: true })).toBe("400 invalid");
  expect(await make({ kind: "ci", namespace: id, confirm: true })).toBe("400 invalid");
  expect(await make(invite)).toBe("201");
});

test("[NS24] [WR39] a client of before reads a hello that tells of a wait, and a later wait stops none", async () => {
  const { bob } = await team();
  const hello = await bob.hello();
  const later = { ...hello, waiting: [{ id: "ns_x", how: "later" }] };
  expect(helloSchema.parse(later).namespaces).toEqual(hello.namespaces);
  expect(helloSchema.parse(later).waiting).toBeUndefined();
});
