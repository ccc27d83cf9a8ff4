import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { unpairedNamespace } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store } from "../../store/store.ts";
import { scrubbed, testOptions, testStore } from "../../store/testing/test-store.ts";
import { openDeviceHome } from "../../wiring/home.ts";
import { createMcpServer } from "./create-server.ts";

let folder: string;
let store: Store;
let client: Client;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-mcp-"));
  store = testStore();
  const home = openDeviceHome({ TIDEMARK_HOME: join(folder, "home") });
  const { clock, random, sha256 } = testOptions();
  const memory = { store, scrub: home.scrub, clock, random, sha256 };
  const server = createMcpServer({ home, memory, project: "p", wake: () => undefined }, "1");
  client = new Client({ name: "test-agent", version: "1" });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  await client.connect(ours);
});
afterEach(async () => {
  await client.close();
  store.close();
  rmSync(folder, { recursive: true });
});

test.each([
  ["namespace", "local"],
  ["trust", 4],
  ["origin", "user"],
  ["author", { user: "root" }],
])("[RC16] save refuses an argument %s by name and saves nothing", async (name, value) => {
  const answer = await client.callTool({
    name: "save",
    arguments: { title: "From a model", [name]: value },
  });
  expect(answer).toMatchObject({ isError: true });
  expect(JSON.stringify(answer["content"])).toContain(name);
  expect(store.reads.list({})).toEqual([]);
});

test("[RC16] every tool tells a host that it takes no other arguments", async () => {
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(5);
  for (const { inputSchema } of tools) {
    expect(inputSchema).toMatchObject({ additionalProperties: false });
  }
});

test("[RC13] a model's pin puts no import in front of agents", async () => {
  const id = "imported1" as never;
  const fields = scrubbed({ title: "hostile", origin: "import", kind: "note", createdAt: 1 });
  const put = { kind: "put", id, collection: "observation", fields } as const;
  store.changes.change(unpairedNamespace, [put], 1);
  expect(await client.callTool({ name: "pin", arguments: { id } })).toMatchObject({
    structuredContent: { pinned: true },
  });
  expect(store.reads.observation(unpairedNamespace, id)).toMatchObject({ pinned: true, trust: 1 });
});
