import { localNamespace, unpairedNamespace, type NamespaceId } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentEvent } from "../capture/event.ts";
import type { Store } from "../store/store.ts";
import { pairedStore, settle } from "../store/testing/exchange.ts";
import { TestServer } from "../store/testing/test-server.ts";
import { seededRandom, testOptions, testStore } from "../store/testing/test-store.ts";
import { captureEvent } from "./capture.ts";
import { editRecord } from "./edit.ts";
import { pinObservation } from "./pin.ts";
import { testScrub } from "./testing/scrub.ts";

const namespace = "ns_1" as NamespaceId;
let store: Store;
let count = 0;

beforeEach(() => {
  store = testStore();
  count = 0;
});
afterEach(() => {
  store.close();
});

function tell(
  sessionId: string,
  event: AgentEvent["event"],
  more: Partial<AgentEvent>,
  into: NamespaceId = unpairedNamespace,
): void {
  count += 1;
  const { sha256 } = testOptions();
  const base = { agent: "claude-code", event, name: event, cwd: "/home/u/app", key: `k${count}` };
  const place = { namespace: into, project: "git:example.com/app", atMs: count };
  const deps = { store, scrub: testScrub(), sha256 };
  expect(captureEvent(deps, { ...base, sessionId, ...more }, place).ok).toBe(true);
}

function passes(session: string, command: string): void {
  tell(session, "tool", {
    tool: { name: "Bash", input: { command }, response: "3 passed", ok: true },
  });
}

const cause = "The root cause was a missing await in the queue.";

test("[CP34] a check that another session runs too is counted, not kept again", () => {
  passes("s1", "npm test");
  passes("s2", "npm test -- --run");
  passes("s2", "npm test");
  passes("s3", "npm test");
  const [check, ...others] = store.reads.list({ includeHidden: true });
  expect(others).toEqual([]);
  const found = store.reads.find(check?.id ?? "");
  const fields = found.ok ? Object.keys(found.value.fields) : [];
  expect(fields.filter((field) => field.startsWith("seen/"))).toHaveLength(2);
});

test("[CP34] knowledge told anew supersedes what it repeats, and both are kept", () => {
  tell("s1", "turn-end", { assistant: cause });
  tell("s2", "turn-end", { assistant: `${cause} The worker acknowledged too early.` });
  expect(store.reads.list({}).map(({ narrative }) => narrative)).toEqual([
    `${cause} The worker acknowledged too early.`,
  ]);
  const all = store.reads.list({ includeHidden: true, order: "oldest" });
  expect(all.map(({ supersededBy }) => supersededBy)).toEqual([all[1]?.id, null]);
});

test("[CP34] what a person has pinned stays beside what repeats it", () => {
  tell("s1", "turn-end", { assistant: cause });
  const { clock, random, sha256 } = testOptions();
  const [first] = store.reads.list({});
  const deps = { store, scrub: testScrub(), clock, random, sha256 };
  expect(pinObservation(deps, first?.id ?? "", "user").ok).toBe(true);
  tell("s2", "turn-end", { assistant: cause });
  expect(store.reads.list({})).toHaveLength(2);
});

test("[CP34] what somebody has edited since stays beside what repeats it", () => {
  tell("s1", "turn-end", { assistant: cause });
  const { clock, random, sha256 } = testOptions();
  const [first] = store.reads.list({});
  const deps = { store, scrub: testScrub(), clock, random, sha256 };
  expect(
    editRecord(deps, first?.id ?? "", [{ field: "narrative", value: "It was the worker." }]).ok,
  ).toBe(true);
  tell("s2", "turn-end", { assistant: cause });
  expect(store.reads.list({})).toHaveLength(2);
});

test("[CP34] what another member of the same name told stays beside what repeats it", () => {
  const server = new TestServer(namespace);
  const [mine, mate] = ["usr_1", "usr_2"].map((user) => {
    const device = { id: `dev_${user}`, name: "laptop" };
    const identity = { device, user: { id: user, name: "Alex" } };
    return { user, store: pairedStore(server, { random: seededRandom(user), identity }) };
  });
  if (mine === undefined || mate === undefined) throw new Error("there are two");
  store.close();
  ({ store } = mate);
  tell("s1", "turn-end", { assistant: cause }, namespace);
  server.writers = [
    {
      writer: mate.store.replicas.replica(namespace)?.writer as never,
      device: `dev_${mate.user}` as never,
      deviceName: "laptop",
      user: mate.user as never,
      userName: "Alex",
    },
  ];
  for (const each of [mate, mine]) settle(each.store, server);
  mate.store.close();
  ({ store } = mine);
  tell("s2", "turn-end", { assistant: cause }, namespace);
  expect(store.reads.list({})).toHaveLength(2);
  tell("s3", "turn-end", { assistant: cause }, namespace);
  expect(store.reads.list({})).toHaveLength(2);
});

test("[CP34] what a page says takes no place of what an agent found out itself", () => {
  tell("s1", "turn-end", { assistant: cause });
  tell("s2", "prompt", { prompt: "Why does the queue lose jobs?" });
  tell("s2", "tool", { tool: { name: "WebFetch", input: { url: "https://x.example" }, ok: true } });
  tell("s2", "turn-end", { assistant: cause });
  expect(store.reads.list({}).map(({ origin }) => origin)).toEqual(["web", "agent"]);
});

test("[CP34] what lies in another namespace is left alone", () => {
  tell("s1", "turn-end", { assistant: cause });
  tell("s2", "turn-end", { assistant: cause }, localNamespace);
  expect(store.reads.list({})).toHaveLength(2);
});

test("[CP30] what a turn told of its edits gives way to their commit", () => {
  const input = { file_path: "/home/u/app/a.ts", old_string: "a", new_string: "limit(a)" };
  tell("s1", "tool", { tool: { name: "Edit", input, ok: true } });
  tell("s1", "turn-end", { assistant: "Limited." });
  expect(store.reads.list({}).map(({ title }) => title)).toEqual(["Edited a.ts: limit(a)"]);
  const command = 'git commit -m "Limit requests"';
  const response = "[main 1a2b3c4] Limit requests";
  tell("s1", "tool", { tool: { name: "Bash", input: { command }, response, ok: true } });
  expect(store.reads.list({}).map(({ title }) => title)).toEqual(["Limit requests"]);
  expect(store.reads.list({ includeHidden: true })).toHaveLength(2);
});
