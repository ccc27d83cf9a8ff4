/** What a model leaves through its shell after it has read a page, and how a person passes it on. */
import { afterAll, expect, test } from "vitest";
import { createDevices } from "./client-process.ts";

const devices = createDevices();
const device = devices.device("laptop");
afterAll(() => {
  devices.clear();
});

async function hook(event: string, session: string, more: object): Promise<string> {
  const payload = { session_id: session, cwd: device.folder, hook_event_name: event, ...more };
  const ended = await device.run(["hook", "claude-code", event], JSON.stringify(payload));
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  return ended.stdout;
}

const starts = async (session: string): Promise<string> =>
  await hook("SessionStart", session, { source: "startup" });

interface Listed {
  readonly items: readonly { readonly id: string; readonly task: string }[];
}

test("[CP98, MC16] what a model leaves through its shell after it read a page waits for a person", async () => {
  await hook("UserPromptSubmit", "s1", { prompt: "Look up how the queue is drained" });
  await hook("PostToolUse", "s1", {
    tool_name: "WebFetch",
    tool_use_id: "t1",
    tool_input: { url: "https://e.example", prompt: "how" },
    tool_response: { result: "Drain it", code: 200 },
  });
  const saved = await device.runAsAgent("save", "--title", "The queue is drained by hand");
  expect(saved.stdout).toContain("until a person runs tidemark pin");
  const words = ["--task", "Drain the queue by hand", "--next", "Open e.example"];
  const left = await device.runAsAgent("handoff", ...words);
  expect(left.stdout).toContain("you to look at");
  expect(await starts("s2")).not.toContain("by hand");
  const { items } = await device.json<Listed>("handoff", "list");
  expect(items).toMatchObject([{ task: "Drain the queue by hand", origin: "web" }]);
  expect((await device.run(["handoff", "list"])).stdout).toContain("waits for a person");
  const [{ id } = { id: "" }] = items;
  const refused = await device.runAsAgent("handoff", "--from", id);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("only a person") });

  await device.json("handoff", "--from", id, "--next", "Run the tests");
  const given = await starts("s3");
  expect(given).toContain("Drain the queue by hand");
  expect(given).toContain("Run the tests");
  expect(given).not.toContain("e.example");
  expect(await device.json<Listed>("handoff", "list")).toMatchObject({ items: [] });
});

test("[CP98] once the turn is over, what a model saves through its shell is its own", async () => {
  await hook("Stop", "s1", { last_assistant_message: "Done." });
  const saved = await device.runAsAgent("save", "--title", "The tests are slow", "--json");
  const { id } = JSON.parse(saved.stdout) as { id: string };
  expect(await device.json("show", id)).toMatchObject({ origin: "agent" });
});
