import { expect, test } from "vitest";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { storedForm } from "../store/stored-form.ts";
import { claimServer, createTestWriter, push } from "./testing/client.ts";
import { bodyText, createHarness } from "./testing/harness.ts";

test("[PS13] who runs the server reads of a refused row in the log, and of nothing in it (abuse 123)", async () => {
  let nowMs = 0;
  const store = createMemoryStore({
    clock: { nowMs: () => nowMs },
    refuses: ({ state }) => storedForm(state).fields?.includes("poison") === true,
  });
  const harness = createHarness({ store });
  nowMs = harness.clock.nowMs();
  const owner = await claimServer(harness);
  const { id } = await owner.createNamespace("acme");
  const body = createTestWriter("w1").body(["good", "a poison of a title", "good too"]);
  const answer = await push(owner, id, body);
  expect(answer.status).toBe(200);
  const text = await bodyText(answer);
  expect(JSON.parse(text)).toMatchObject({
    position: { acked: 3, results: [{ n: 2, result: "rejected", code: "invalid" }] },
  });
  const told = harness.log.filter((line) => line.startsWith("row-refused"));
  const device = owner.admission.device.id;
  expect(told).toEqual([
    `row-refused ${JSON.stringify({ namespace: id, device, n: 2, sqlState: "P0001" })}`,
  ]);
  // WR11: neither the cause nor what it was about leaves the server.
  expect(text + harness.log.join("\n")).not.toMatch(/poison|P0001.*detail/u);
  expect(text).not.toContain("P0001");
});
