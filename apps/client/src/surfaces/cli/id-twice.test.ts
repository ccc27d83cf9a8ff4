import { ok, type NamespaceId } from "@tidemark/protocol";
import type { NamespaceInfo } from "@tidemark/protocol/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testScrub } from "../../memory/testing/scrub.ts";
import { scrubbed, seededRandom, testSha256, testStore } from "../../store/testing/test-store.ts";
import { at, id, put } from "../../store/testing/world.ts";
import type { Store } from "../../store/store.ts";
import type { CliDeps } from "./deps.ts";
import { runCli } from "./run-cli.ts";
import { createToldIo } from "./testing/told-io.ts";

const [left, own] = ["ns_left", "ns_own"] as readonly string[] as [NamespaceId, NamespaceId];
const record = id("record1");
const team = (namespace: NamespaceId, name: string): NamespaceInfo => ({
  id: namespace,
  name,
  kind: "team",
  role: "owner",
  head: 0,
});

let store: Store;
let file: string;
beforeEach(() => {
  file = "";
  store = testStore({ random: seededRandom("a") });
  // What was taken along while a namespace was out of reach stands twice once that is back.
  store.replicas.takeNamespaces("server-1", [team(left, "harbour"), team(own, "mine")]);
  for (const [namespace, title] of [
    [left, "there"],
    [own, "taken along"],
  ] as const) {
    const changes = [put(record, { title }), put("record2", { title })];
    expect(store.changes.change(namespace, changes, at).ok).toBe(true);
  }
});

afterEach(() => {
  store.close();
});

async function run(...argv: readonly string[]) {
  const { io, told } = createToldIo();
  const clock = { nowMs: () => at };
  const memory = {
    store,
    scrub: testScrub(),
    clock,
    random: seededRandom("b"),
    sha256: testSha256,
  };
  const deps = {
    io,
    clock,
    version: "0.0.0",
    origin: "user",
    signal: new AbortController().signal,
    memory: () => memory,
    home: () => ({ identity: () => undefined, config: {} }),
    files: { create: () => ok({ append: (text: string) => ok((file += text)), end: () => ok(1) }) },
  };
  const code = await runCli(deps as unknown as CliDeps, argv);
  return { code, ...told };
}

const titles = (): readonly unknown[] =>
  [left, own].map((namespace) => store.reads.get(namespace, record)?.fields["title"]);
const fieldsOf = (namespace: NamespaceId) => store.reads.get(namespace, record)?.fields;

test("[CL80] an id that stands in two namespaces is told with the option that tells them apart", async () => {
  const { code, err } = await run("edit", record, "--set", "title=new");
  expect(code).toBe(1);
  expect(err).toContain(`the record ${record} stands in 2 namespaces`);
  expect(err).toContain(`--namespace ${left}`);
  expect(err).toContain(`--namespace ${own}`);
  expect(titles()).toEqual(["there", "taken along"]);
});

test("[CL80] the beginning of two ids is told with each of them once", async () => {
  const { err } = await run("show", "record");
  expect(err).toContain("record is the beginning of 2 ids");
  expect(err).toContain("give more of it: record1, record2\n");
});

test.each(["show", "history", "timeline"])(
  "[CL80] %s looks into the namespace that is named",
  async (verb) => {
    const there = await run(verb, record, "--namespace", "harbour");
    expect(there.code).toBe(0);
    expect(there.out).toContain("there");
    expect(there.out).not.toContain("taken along");
    expect((await run(verb, record, "-n", own)).out).toContain("taken along");
  },
);

test("[CL80] edit, pin, archive and supersede change the record of the namespace that is named", async () => {
  expect((await run("edit", record, "-n", "harbour", "--set", "title=new")).code).toBe(0);
  expect(titles()).toEqual(["new", "taken along"]);
  for (const verb of ["pin", "archive"]) {
    expect((await run(verb, record, "-n", "harbour")).code).toBe(0);
  }
  expect(fieldsOf(left)).toMatchObject({ pinned: true, archived: true });
  for (const verb of ["unpin", "unarchive"]) {
    expect((await run(verb, record, "-n", "harbour")).code).toBe(0);
  }
  expect(fieldsOf(left)).toMatchObject({ pinned: false, archived: false });
  expect((await run("supersede", record, "record2", "-n", "harbour")).code).toBe(0);
  expect(fieldsOf(left)).toMatchObject({ supersededBy: "record2" });
  expect(Object.keys(fieldsOf(own) ?? {})).toEqual(["title"]);
});

test("[CL80] forget takes the record of the namespace that is named, and the other one stays", async () => {
  const done = await run("forget", record, "--yes", "-n", "harbour");
  expect(done).toMatchObject({ code: 0, err: "" });
  expect(titles()).toEqual([undefined, "taken along"]);
  const again = await run("forget", record, "--yes", "-n", "harbour");
  expect(again).toMatchObject({ code: 0, out: `forgotten already: ${record}\n` });
  expect(titles()).toEqual([undefined, "taken along"]);
});

test("[CL80] a namespace that is not here is told, and nothing changes", async () => {
  const { code, err } = await run("forget", record, "--yes", "-n", "nowhere");
  expect(code).toBe(1);
  expect(err).toContain("there is no namespace nowhere on this device");
  expect(titles()).toEqual(["there", "taken along"]);
});

test("[CL80] session export takes the session of the namespace that is named", async () => {
  const session = id("session1");
  for (const [namespace, title] of [
    [left, "there"],
    [own, "taken along"],
  ] as const) {
    const made = {
      kind: "put",
      id: session,
      collection: "session",
      fields: scrubbed({ title }),
    } as const;
    const left1 = put(`${namespace}1`, { title: `left ${title}`, session });
    expect(store.changes.change(namespace, [made, left1], at).ok).toBe(true);
  }
  const asked = ["session", "export", session, "--html", "out.html"];
  expect((await run(...asked)).err).toContain("stands in 2 namespaces");
  expect(await run(...asked, "-n", "harbour")).toMatchObject({ code: 0, err: "" });
  expect(file).toContain("left there");
  expect(file).not.toContain("taken along");
});
