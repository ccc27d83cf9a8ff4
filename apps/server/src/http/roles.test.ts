import type { NamespaceId, Role } from "@tidemark/protocol";
import { membersAnswerSchema, ndjsonType } from "@tidemark/protocol/wire";
import { expect, test } from "vitest";
import { createHarness, bodyText, type Harness } from "./testing/harness.ts";
import {
  claimServer,
  createTestWriter,
  joinServer,
  outcome,
  post,
  joinRequest,
  push,
  type TestClient,
} from "./testing/client.ts";
import { createTestDevice } from "../auth/testing/device.ts";

interface Team {
  readonly harness: Harness;
  readonly owner: TestClient;
  readonly id: NamespaceId;
  readonly join: (name: string, role: Role) => Promise<TestClient>;
  readonly roles: () => Promise<Readonly<Record<string, Role>>>;
  /** Changes a member's role, or removes them; gives status and code. */
  readonly change: (by: TestClient, of: TestClient, body?: object) => Promise<string>;
}

async function team(): Promise<Team> {
  const harness = createHarness();
  const owner = await claimServer(harness);
  const { id } = await owner.createNamespace("acme");
  const members = `/v1/namespaces/${id}/members`;
  return {
    harness,
    owner,
    id,
    join: async (name, role) => {
      const invite = await owner.createLink({ kind: "invite", namespace: id, role });
      return await joinServer(harness, invite, name);
    },
    roles: async () => {
      const answer = membersAnswerSchema.parse(await owner.call("GET", members));
      return Object.fromEntries(answer.members.map(({ user, role }) => [user.name, role]));
    },
    change: async (by, of, body) => {
      const path = `${members}/${of.admission.user.id}`;
      const headers = { "content-type": "application/json" };
      const sending =
        body === undefined
          ? { method: "DELETE" }
          : { method: "PATCH", headers, body: JSON.stringify(body) };
      return await outcome(await by.send(path, sending));
    },
  };
}

test("[AU13] nobody gives more than they have, or changes their own role (abuse 94)", async () => {
  const { owner, id, join, roles, change } = await team();
  const writer = await join("wanda", "writer");
  const admin = await join("adam", "admin");
  const before = await roles();
  const invite = async (by: TestClient, role: Role): Promise<string> => {
    const body = JSON.stringify({ kind: "invite", authHash: "h".repeat(43), namespace: id, role });
    const headers = { "content-type": "application/json" };
    return await outcome(await by.send("/v1/links", { method: "POST", headers, body }));
  };
  expect(await invite(writer, "admin")).toBe("403 forbidden");
  expect(await invite(writer, "reader")).toBe("403 forbidden");
  expect(await invite(admin, "owner")).toBe("403 forbidden");
  expect(await change(admin, writer, { role: "owner" })).toBe("403 forbidden");
  expect(await change(admin, admin, { role: "owner" })).toBe("403 forbidden");
  expect(await change(writer, writer, { role: "admin" })).toBe("403 forbidden");
  for (const body of [{ role_rank: 4 }, { role: "root" }, { role: ["owner"] }, { role: "Owner" }]) {
    expect(await change(owner, writer, body)).toBe("400 invalid");
  }
  expect(await roles()).toEqual(before);
});

test("[NS3] admins leave owners alone, and the last owner neither goes nor steps down (abuse 95)", async () => {
  const { owner, join, roles, change } = await team();
  const admin = await join("adam", "admin");
  const before = await roles();
  expect(await change(admin, owner)).toBe("403 forbidden");
  expect(await change(admin, owner, { role: "admin" })).toBe("403 forbidden");
  expect(await change(owner, owner)).toBe("409 last-owner");
  expect(await change(owner, owner, { role: "writer" })).toBe("409 last-owner");
  expect(await roles()).toEqual(before);
});

test("[NS6] a colleague's record is theirs to forget, and their writer theirs to use (abuse 96)", async () => {
  const { owner, id, join } = await team();
  const wanda = await join("wanda", "writer");
  const will = await join("will", "writer");
  await push(wanda, id, createTestWriter("writer_w").body(["hers"]));
  const before = await (await owner.send(`/v1/namespaces/${id}/digests`)).text();
  const [header = "", line = ""] = createTestWriter("writer_v").body(["hers"]).split("\n");
  const { fields: _, ...op } = JSON.parse(line) as { readonly fields: object };
  const forgetting = JSON.stringify({ ...op, record: "writer_w-record-1", op: "forget" });
  const forget = `${header}\n${forgetting}\n`;
  expect(JSON.parse(await bodyText(await push(will, id, forget)))).toMatchObject({
    results: [{ n: 1, result: "rejected", code: "forbidden" }],
  });
  const stolen = createTestWriter("writer_w");
  stolen.body(["hers"]);
  expect(await outcome(await push(will, id, stolen.body(["as hers"])))).toBe("409 writer-foreign");
  const healed = await will.send(`/v1/namespaces/${id}/heal`, {
    method: "POST",
    headers: { "content-type": ndjsonType },
    body: `${JSON.stringify({ writer: "writer_w", lamport: 0, want: [] })}\n`,
  });
  expect(await outcome(healed)).toBe("409 writer-foreign");
  const after = await (await owner.send(`/v1/namespaces/${id}/digests`)).text();
  expect(JSON.parse(after)).toMatchObject({ digest: digestIn(before) });
});

function digestIn(text: string): unknown {
  return (JSON.parse(text) as { digest: unknown }).digest;
}

test("[PR9] a reading machine of an owner writes nothing, and heals nothing (abuse 97)", async () => {
  const { harness, owner, id } = await team();
  await push(owner, id, createTestWriter("writer_o").body(["theirs"]));
  const fleet = await owner.createLink({ kind: "ci", namespace: id, role: "reader" });
  const machine = await joinServer(harness, fleet, "box");
  const pulled = async (): Promise<string> =>
    await bodyText(await owner.send(`/v1/namespaces/${id}/records`));
  const records = async (): Promise<readonly string[]> =>
    (await pulled()).trimEnd().split("\n").slice(0, -1);
  const before = await records();
  const pushed = await push(machine, id, createTestWriter("writer_m").body(["a", "b"]));
  expect(JSON.parse(await bodyText(pushed))).toMatchObject({
    results: [
      { n: 1, result: "rejected", code: "forbidden" },
      { n: 2, result: "rejected", code: "forbidden" },
    ],
  });
  const state = (before[0] ?? "")
    .replace(/"seq":\d+,/, "")
    .replace("writer_o-record-1", "rec_brought");
  const healed = await machine.send(`/v1/namespaces/${id}/heal`, {
    method: "POST",
    headers: { "content-type": ndjsonType },
    body: `${JSON.stringify({ lamport: 0, want: [] })}\n${state}\n`,
  });
  const lines = (await bodyText(healed)).trimEnd().split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
    refused: [{ id: "rec_brought", code: "forbidden" }],
  });
  expect(await records()).toEqual(before);
});

test("[AU11] an invite opens once, and not after its maker was demoted (abuse 98)", async () => {
  const { harness, owner, id, join, roles, change } = await team();
  const admin = await join("adam", "admin");
  const used = await admin.createLink({ kind: "invite", namespace: id, role: "reader" });
  const open = await admin.createLink({ kind: "invite", namespace: id, role: "writer" });
  await joinServer(harness, used, "rita");
  const before = await roles();
  const enter = async (link: { id: string; auth: string }, name: string): Promise<string> => {
    const device = await createTestDevice(name);
    return await outcome(await post(harness, "/v1/join", joinRequest(link, device, name)));
  };
  expect(await enter(used, "again")).toBe("404 invalid-or-expired");
  expect(await change(owner, admin, { role: "writer" })).toBe("200");
  expect(await enter(open, "late")).toBe("404 invalid-or-expired");
  const accept = { method: "POST", headers: { "content-type": "application/json" } };
  const sent = { ...accept, body: JSON.stringify(open) };
  expect(await outcome(await admin.send("/v1/invites/accept", sent))).toBe(
    "404 invalid-or-expired",
  );
  expect(await roles()).toEqual({ ...before, adam: "writer" });
});
