import { unpairedNamespace } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store } from "../store/store.ts";
import { pairedStore, pullAll, settle } from "../store/testing/exchange.ts";
import { box, boxDevice } from "../store/testing/sealed-box.ts";
import { TestServer } from "../store/testing/test-server.ts";
import { scrubbed, testOptions, testStore } from "../store/testing/test-store.ts";
import { at, id, make, namespace, world } from "../store/testing/world.ts";
import {
  leaveHandoff,
  listHandoffs,
  listUntaken,
  takeHandoff,
  waitingFor,
  type Handoff,
  type HandoffDeps,
  type NewHandoff,
} from "./handoff.ts";
import { testScrub } from "./testing/scrub.ts";

let store: Store;
let deps: HandoffDeps;
beforeEach(() => {
  store = testStore();
  const { clock, random } = testOptions();
  deps = { store, clock, random, scrub: testScrub() };
});
afterEach(() => {
  store.close();
});

const work: NewHandoff = {
  namespace: unpairedNamespace,
  project: "p",
  origin: "user",
  task: "Keep the jobs of the queue",
  state: "half done",
  next: "run the tests",
  questions: ["drop old jobs?"],
  files: ["src/queue.ts"],
  turns: ["person: keep the jobs"],
};

const all = (): readonly Handoff[] => listHandoffs(store.reads, [unpairedNamespace]);

test("[HO1] what is left is there whole, and without secrets", () => {
  const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  expect(leaveHandoff(deps, { ...work, state: `token ${secret}` }).ok).toBe(true);
  expect(all()).toMatchObject([
    { task: work.task, next: work.next, questions: work.questions, files: work.files, to: null },
  ]);
  expect(JSON.stringify(all())).not.toContain(secret);
});

test("[HO1] a secret at the place of the cut is gone whole", () => {
  const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  leaveHandoff(deps, { ...work, state: `${"x ".repeat(1_990)}${secret}` });
  expect(JSON.stringify(all())).not.toContain(secret.slice(0, 20));
});

test("[HO1] without a task nothing is left", () => {
  expect(leaveHandoff(deps, { ...work, task: " " })).toMatchObject({
    ok: false,
    error: { kind: "no-task" },
  });
  expect(all()).toEqual([]);
});

test("[HO2] it waits in its project for its author, or for the one it names", () => {
  leaveHandoff(deps, work);
  leaveHandoff(deps, { ...work, task: "For Dana", to: "Dana" });
  const waiting = (project: string, ...names: readonly string[]): readonly string[] =>
    waitingFor(all(), { project, names }).map(({ task }) => task);
  expect(waiting("p")).toEqual([work.task]);
  expect(waiting("other", "dana")).toEqual([]);
  expect(waiting("p", "dana").toSorted()).toEqual(["For Dana", work.task]);
  const strangers = all().map((each) => ({ ...each, trust: 2 }));
  expect(waitingFor(strangers, { project: "p", names: ["bob"] })).toEqual([]);
  expect(waitingFor(strangers, { project: "p", names: ["dana"] })).toHaveLength(1);
  const unknown = all().map((each) => ({ ...each, trust: 1 }));
  expect(waitingFor(unknown, { project: "p", names: ["dana"] })).toEqual([]);
});

test("[HO3] one takes it up, and it stays readable", () => {
  leaveHandoff(deps, work);
  const [handoff] = all();
  if (handoff === undefined) throw new Error("nothing was left");
  expect(takeHandoff(deps, handoff, "one")).toEqual({ ok: true, value: true });
  expect(takeHandoff(deps, handoff, "two")).toEqual({ ok: true, value: false });
  expect(all()).toMatchObject([{ task: work.task, takenBy: "one", takenAt: expect.any(Number) }]);
  expect(waitingFor(all(), { project: "p", names: [] })).toEqual([]);
});

test("[HO7] who looks for what waits reads none that were taken up, however many they are", () => {
  const { server, a } = world();
  const handoff = (name: string, more = {}) => ({
    kind: "put" as const,
    id: id(name),
    collection: "handoff",
    fields: scrubbed({ task: name, createdAt: at, ...more }),
  });
  const taken = Array.from({ length: 30 }, (_, n) => handoff(`taken${n}`, { takenBy: "session" }));
  make(a, handoff("waits"), handoff("odd", { takenBy: 5 }), ...taken);
  settle(a, server);
  const said: string[] = [];
  const b = pairedStore(server, { probe: (sql) => void said.push(sql) });
  pullAll(b, server);
  const untaken = () => listUntaken(b.reads, [namespace]).map(({ task }) => task);
  said.splice(0);
  expect(untaken().toSorted()).toEqual(["odd", "waits"]);
  expect(said.filter((sql) => /fields, clocks/.test(sql))).toHaveLength(2);
  // What waits to be sent is in view as well.
  const takenBy = (value: string | null) => ({ fields: scrubbed({ takenBy: value }) });
  make(b, { kind: "set", id: id("waits"), ...takenBy("session") });
  make(b, { kind: "set", id: id("taken7"), ...takenBy(null) });
  make(b, handoff("own"), { kind: "forget", id: id("odd") });
  expect(untaken().toSorted()).toEqual(["own", "taken7"]);
  for (const store of [a, b]) store.close();
});

test("[HO7] in an encrypted namespace what waits is found among sealed values", () => {
  const server = new TestServer(box);
  const [one, other] = [boxDevice(server, "one", 1), boxDevice(server, "other", 1)];
  const handoff = (task: string, taken = {}) => ({
    kind: "put" as const,
    id: id(task),
    collection: "handoff",
    fields: scrubbed({ task, createdAt: at, ...taken }),
  });
  for (const put of [handoff("waits"), handoff("taken", { takenBy: "session" })]) {
    expect(one.changes.change(box, [put], at).ok).toBe(true);
  }
  settle(one, server);
  pullAll(other, server);
  for (const store of [one, other]) {
    expect(listUntaken(store.reads, [box]).map(({ task }) => task)).toEqual(["waits"]);
    store.close();
  }
});
