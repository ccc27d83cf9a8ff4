import type { NamespaceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { pingEveryMs } from "./app.ts";
import { headPollMs } from "./pokes/head-watch.ts";
import { claimServer, createTestWriter, outcome, push } from "./testing/client.ts";
import { createEventReader } from "./testing/event-reader.ts";
import { createHarness } from "./testing/harness.ts";

async function listening() {
  const harness = createHarness();
  const owner = await claimServer(harness);
  const { namespaces = [] } = await owner.hello();
  const personal = namespaces[0]?.id ?? ("" as NamespaceId);
  const response = await owner.send("/v1/pokes");
  return { harness, owner, personal, response, reader: createEventReader(response) };
}

test("[WR18] a stream begins with every head, and a push pokes", async () => {
  const { owner, personal, response, reader } = await listening();
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  expect(response.headers.get("x-accel-buffering")).toBe("no");
  const first = await reader.until(`{"namespace":"${personal}","head":0}`);
  expect(first).toContain("event: poke\n");
  expect((await push(owner, personal, createTestWriter("writer_a").body(["one"]))).status).toBe(
    200,
  );
  expect(await reader.until('"head":1}')).not.toContain("<end>");
});

test("[WR18] silence is broken by a comment, and rights are read again", async () => {
  const { harness, owner, reader } = await listening();
  await reader.until('"head":0}');
  const team = await owner.createNamespace("acme");
  reader.skip();
  harness.tick(pingEveryMs);
  expect(await reader.until(team.id)).toContain(": ping\n\n");
});

test("[OPS25] a push on another replica is noticed by polling", async () => {
  const { harness, personal, reader } = await listening();
  await reader.until('"head":0}');
  await harness.store.writeNamespace(personal, async (tx) => {
    const head = await tx.head();
    await tx.saveHead({ ...head, head: 7, mark: "mark" });
  });
  harness.tick(headPollMs);
  expect(await reader.until('"head":7}')).not.toContain("<end>");
});

test("[WR18] a third stream of a device ends the first", async () => {
  const { owner, reader } = await listening();
  const second = createEventReader(await owner.send("/v1/pokes"));
  const third = createEventReader(await owner.send("/v1/pokes"));
  expect(await reader.until("never")).toContain("<end>");
  expect(await second.until('"head":0}')).not.toContain("<end>");
  expect(await third.until('"head":0}')).not.toContain("<end>");
});

test("[OPS22] closing the application ends its streams, and it opens no more", async () => {
  const { harness, owner, reader } = await listening();
  harness.app.close();
  expect(await reader.until("never")).toContain("<end>");
  expect(await outcome(await owner.send("/v1/pokes"))).toBe("503 unavailable");
});

test("[WR18] a client that goes away leaves nothing behind", async () => {
  const { harness, owner, reader } = await listening();
  await reader.cancel();
  const others = [
    createEventReader(await owner.send("/v1/pokes")),
    createEventReader(await owner.send("/v1/pokes")),
  ];
  harness.tick(pingEveryMs);
  for (const other of others) expect(await other.until(": ping")).not.toContain("<end>");
});
