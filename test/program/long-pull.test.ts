import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, expect, test, vi } from "vitest";
import { createDevices } from "./client-process.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
/** Enough that most pages are read by the thread. */
const count = 24_000;

afterAll(async () => {
  await bench.clear();
  devices.clear();
});

function exportLine(_: unknown, index: number): string {
  return JSON.stringify({
    namespace: "personal",
    id: `long${String(index).padStart(8, "0")}`,
    collection: "observation",
    lamport: index + 1,
    writer: "elsewhere",
    at: 1_795_000_000_000 + index,
    fields: { kind: "note", title: `note ${String(index)}`, narrative: "of a long memory" },
  });
}

test("[PL25] a device that was away for long gets all of it by one sync, which then ends", async () => {
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  const one = devices.device("one");
  await one.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "one", "--user", "ada");
  const other = devices.device("other", { NODE_DEBUG: "worker" });
  const { link } = await one.json<{ link: string }>("device", "add");
  await other.json("pair", link, "--name", "other");
  await other.json("sync");
  const file = join(one.folder, "memory.jsonl");
  writeFileSync(file, Array.from({ length: count }, exportLine).join("\n"));
  await one.json("import", file);
  await one.json("sync");

  // A program that its thread keeps ends with the thread, which rests for a minute first.
  const late = setTimeout(50_000, "the program does not end", { ref: false });
  const ended = await Promise.race([other.run(["sync", "--json"]), late]);
  if (typeof ended === "string") throw new Error(ended);
  expect(JSON.parse(ended.stdout)).toMatchObject({ namespaces: [{}] });
  // The build knows the thread's program as its own.
  expect(ended.stderr.includes("created Worker")).toBe(availableParallelism() > 1);
  const { namespaces } = await other.json<{ namespaces: readonly { observations: number }[] }>(
    "status",
  );
  expect(namespaces.map(({ observations }) => observations)).toEqual([count]);
  const { items } = await other.json<{ items: readonly { title: string }[] }>(
    "search",
    `note ${String(count - 1)}`,
    "--all",
  );
  expect(items[0]?.title).toBe(`note ${String(count - 1)}`);
}, 180_000);
