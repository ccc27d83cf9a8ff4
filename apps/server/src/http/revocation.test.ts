import type { NamespaceId } from "@tidemark/protocol";
import type { DeviceRevoked } from "@tidemark/protocol/wire";
import { expect, test } from "vitest";
import { pingEveryMs } from "./app.ts";
import { headPollMs } from "./pokes/head-watch.ts";
import { bodyText, createHarness } from "./testing/harness.ts";
import {
  claimServer,
  createClient,
  createTestWriter,
  joinServer,
  outcome,
  push,
  type TestClient,
} from "./testing/client.ts";
import { createEventReader } from "./testing/event-reader.ts";

async function withDesktop() {
  const harness = createHarness();
  const owner = await claimServer(harness);
  const desktop = await joinServer(harness, await owner.createLink({ kind: "device" }), "desktop");
  const team = await owner.createNamespace("team");
  return { harness, owner, desktop, team: team.id };
}

async function revoke(by: TestClient, { admission }: TestClient, query = ""): Promise<Response> {
  return await by.send(`/v1/devices/${admission.device.id}${query}`, { method: "DELETE" });
}

async function headOf(client: TestClient, namespace: NamespaceId): Promise<number | undefined> {
  return (await client.hello()).namespaces?.find(({ id }) => id === namespace)?.head;
}

test("[AU9] a revoked device's token is worth nothing on its next request (abuse 73)", async () => {
  const { harness, owner, desktop, team } = await withDesktop();
  const writer = createTestWriter("writer_d");
  expect((await push(desktop, team, writer.body(["before"]))).status).toBe(200);
  harness.clock.advance(60_000);
  expect((await revoke(owner, desktop)).status).toBe(200);
  const before = await headOf(owner, team);
  expect(await outcome(await push(desktop, team, writer.body(["after"])))).toBe(
    "401 device-revoked",
  );
  for (const path of ["/v1/hello", "/v1/devices", `/v1/namespaces/${team}/records`, "/v1/pokes"]) {
    expect(await outcome(await desktop.send(path))).toBe("401 device-revoked");
  }
  expect(await headOf(owner, team)).toBe(before);
});

test("[AU9] its streams end here at once, and elsewhere with the next look (abuse 74)", async () => {
  const { harness, owner, desktop } = await withDesktop();
  const other = createHarness({ store: harness.store });
  const far = createClient({ ...other, clock: harness.clock }, desktop);
  const near = createEventReader(await desktop.send("/v1/pokes"));
  const away = createEventReader(await far.send("/v1/pokes"));
  await near.until('"head":0}');
  await away.until('"head":0}');
  expect((await revoke(owner, desktop)).status).toBe(200);
  expect(await near.until("never")).toContain("<end>");
  other.tick(headPollMs);
  expect(await away.until("never")).toContain("<end>");
  expect(headPollMs).toBeLessThanOrEqual(1_000);
});

test("[AU72] streams of a link's machines end with it, while a push of theirs is still waited for", async () => {
  const { harness, owner, team } = await withDesktop();
  const link = await owner.createLink({ kind: "ci", namespace: team });
  const box = await joinServer(harness, link, "box");
  const reader = createEventReader(await box.send("/v1/pokes"));
  await reader.until('"head":0}');
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const pushing = harness.store.writeNamespace(team, async () => {
    begin();
    await released;
  });
  await begun;
  const path = `/v1/links/${link.id}?devices=revoke`;
  let isAnswered = false;
  const ending = owner.send(path, { method: "DELETE" }).then((answer) => {
    isAnswered = true;
    return answer;
  });
  expect(await reader.until("never")).toContain("<end>");
  expect(isAnswered).toBe(false);
  release();
  await pushing;
  expect(await (await ending).json()).toEqual({ devices: [box.admission.device.id] });
});

test("[NS7] a removed member finds nothing, keeps what is theirs, and hears of it no more (abuse 76)", async () => {
  const { harness, owner, team } = await withDesktop();
  const invite = await owner.createLink({ kind: "invite", namespace: team });
  const bob = await joinServer(harness, invite, "bob");
  const { id: own } = await bob.createNamespace("bobs");
  const reader = createEventReader(await bob.send("/v1/pokes"));
  await reader.until(own);
  await owner.call("DELETE", `/v1/namespaces/${team}/members/${bob.admission.user.id}`);
  expect(await outcome(await bob.send(`/v1/namespaces/${team}/records`))).toBe("404 not-found");
  expect((await bob.send(`/v1/namespaces/${own}/records`)).status).toBe(200);
  expect((await bob.hello()).namespaces?.map(({ id }) => id)).not.toContain(team);
  harness.tick(pingEveryMs);
  await reader.until(": ping");
  reader.skip();
  await push(owner, team, createTestWriter("writer_o").body(["after"]));
  await push(bob, own, createTestWriter("writer_b").body(["own"]));
  expect(await reader.until('"head":1}')).not.toContain(team);
});

test("[NS5] who was made a reader has the next push refused op by op, with the token they have (abuse 77)", async () => {
  const { harness, owner, team } = await withDesktop();
  const invite = await owner.createLink({ kind: "invite", namespace: team });
  const bob = await joinServer(harness, invite, "bob");
  const writer = createTestWriter("writer_b");
  await push(bob, team, writer.body(["before"]));
  const path = `/v1/namespaces/${team}/members/${bob.admission.user.id}`;
  await owner.call("PATCH", path, { role: "reader" });
  const before = await headOf(owner, team);
  const answer = await push(bob, team, writer.body(["after", "later"]));
  expect(JSON.parse(await bodyText(answer))).toMatchObject({
    results: [
      { n: 2, result: "rejected", code: "forbidden" },
      { n: 3, result: "rejected", code: "forbidden" },
    ],
  });
  expect(await headOf(owner, team)).toBe(before);
});

test("[AU22] the answer to a revocation names what to review (abuse 79)", async () => {
  const { harness, owner, desktop, team } = await withDesktop();
  harness.clock.advance(1_000);
  const nine = await joinServer(harness, await owner.createLink({ kind: "device" }), "nine");
  const open = await owner.createLink({ kind: "invite", namespace: team });
  const answer = await revoke(desktop, owner);
  const told = JSON.parse(await bodyText(answer)) as DeviceRevoked;
  expect(told.links).toEqual([{ id: open.id, kind: "invite" }]);
  expect(told.devices).toEqual([
    { id: nine.admission.device.id, name: "nine", user: owner.admission.user },
  ]);
  expect(told.namespaces.map(({ id }) => id)).toContain(team);
  await expect(joinServer(harness, open, "late")).rejects.toThrow("404 invalid-or-expired");
});

test("[AU23] the last device of a person stays, unless that is forced (abuse 80)", async () => {
  const { owner, desktop } = await withDesktop();
  expect((await revoke(owner, desktop)).status).toBe(200);
  expect(await outcome(await revoke(owner, owner))).toBe("409 last-device");
  expect(await outcome(await revoke(owner, owner, "?force=no"))).toBe("409 last-device");
  expect((await owner.hello()).device?.id).toBe(owner.admission.device.id);
  expect((await revoke(owner, owner, "?force=true")).status).toBe(200);
  expect(await outcome(await owner.send("/v1/hello"))).toBe("401 device-revoked");
});
