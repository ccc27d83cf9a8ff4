import { unpairedNamespace, type RecordId } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store } from "../store/store.ts";
import { testOptions, testStore } from "../store/testing/test-store.ts";
import type { MemoryDeps } from "./deps.ts";
import { editRecord, parseAssignment } from "./edit.ts";
import { forgetRecord } from "./forget.ts";
import { leaveHandoff } from "./handoff.ts";
import { importLines } from "./import.ts";
import {
  archiveObservation,
  pinObservation,
  unarchiveObservation,
  unpinObservation,
} from "./pin.ts";
import { resolveConflict } from "./resolve.ts";
import { saveObservation, type SaveInput } from "./save.ts";
import { supersedeObservation } from "./supersede.ts";
import { canaries } from "./testing/canaries.ts";
import { testScrub } from "./testing/scrub.ts";

let store: Store;
let deps: MemoryDeps;
const [token = ""] = canaries;

beforeEach(() => {
  store = testStore();
  const { clock, random, sha256 } = testOptions();
  deps = { store, scrub: testScrub(), clock, random, sha256 };
});
afterEach(() => {
  store.close();
});

function save(input: Partial<SaveInput> = {}): RecordId {
  const saved = saveObservation(deps, {
    namespace: unpairedNamespace,
    title: "Use WAL",
    origin: "user",
    ...input,
  });
  if (!saved.ok) throw new Error(saved.error.kind);
  return saved.value.id;
}

test("[CP60] a saved observation has its author's words, without secrets", () => {
  const id = save({
    kind: "decision",
    narrative: `Because readers go on. ${token}`,
    facts: ["WAL keeps readers going"],
    project: "git:example.com/app",
  });
  expect(store.reads.observation(unpairedNamespace, id)).toMatchObject({
    kind: "decision",
    title: "Use WAL",
    facts: ["WAL keeps readers going"],
    project: "git:example.com/app",
    origin: "user",
    createdAt: deps.clock.nowMs(),
  });
  expect(JSON.stringify(store.reads.list({}))).not.toContain(token);
});

test("[CP60] no title and text that is too long are refused, and nothing is written", () => {
  const blank = saveObservation(deps, { namespace: unpairedNamespace, title: " ", origin: "user" });
  expect(blank).toEqual({ ok: false, error: { kind: "no-title" } });
  const long = saveObservation(deps, {
    namespace: unpairedNamespace,
    title: "t",
    facts: ["x".repeat(1025)],
    origin: "user",
  });
  expect(long).toMatchObject({ ok: false, error: { kind: "too-long", field: "facts" } });
  expect(store.reads.list({})).toEqual([]);
});

test("[CP62] an edit sets texts, lists and switches in one step, scrubbed", () => {
  const id = save();
  const texts = ["title=Use WAL = always", 'facts=["one","two"]', "concepts=a\nb\n", "pinned=true"];
  const assignments = [...texts, `narrative=see ${token}`].map((text) => {
    const parsed = parseAssignment(text);
    if (!parsed.ok) throw new Error(parsed.error.kind);
    return parsed.value;
  });
  expect(editRecord(deps, id, assignments)).toMatchObject({ ok: true, value: { changed: true } });
  expect(store.reads.observation(unpairedNamespace, id)).toMatchObject({
    title: "Use WAL = always",
    facts: ["one", "two"],
    concepts: ["a", "b"],
    pinned: true,
  });
  const fields = store.reads.get(unpairedNamespace, id)?.fields ?? {};
  expect(fields["narrative"]).toMatch(/^see __SECRET_/u);
});

test("[CL31] a field that no observation has is refused, and nothing is written", () => {
  const id = save();
  const assignments = [
    { field: "title", value: "new" },
    { field: "tilte", value: "x" },
  ];
  expect(editRecord(deps, id, assignments)).toEqual({
    ok: false,
    error: { kind: "unknown-field", field: "tilte", meant: "title" },
  });
  expect(store.reads.observation(unpairedNamespace, id)?.title).toBe("Use WAL");
});

test("[CP61] where an observation comes from is not edited, nor is nonsense taken", () => {
  const id = save();
  const refused = (field: string, value: string): unknown => {
    const edited = editRecord(deps, id, [{ field, value }]);
    return edited.ok ? "taken" : edited.error.kind;
  };
  expect(refused("origin", "user")).toBe("fixed-field");
  expect(refused("supersededBy", id)).toBe("fixed-field");
  for (const field of ["id", "namespace", "author", "trust", "lamport", "seq"]) {
    expect(refused(field, "x")).toBe("fixed-field");
  }
  expect(refused("title", " ")).toBe("bad-value");
  expect(refused("kind", "")).toBe("bad-value");
  expect(refused("pinned", "yes")).toBe("bad-value");
  expect(refused("facts", "[1]")).toBe("bad-value");
  expect(refused("facts", "[")).toBe("bad-value");
  expect(refused("title", "x".repeat(301))).toBe("too-long");
  for (const text of ["title", "=x", "__proto__=x", "a b=x"]) {
    expect(parseAssignment(text)).toMatchObject({
      ok: false,
      error: { kind: "not-an-assignment" },
    });
  }
});

test("[CP62] pin and archive go there and back", () => {
  const id = save();
  const switches = (): unknown => {
    const { pinned, archived } = store.reads.observation(unpairedNamespace, id) ?? {};
    return { pinned, archived };
  };
  pinObservation(deps, id);
  archiveObservation(deps, id);
  expect(switches()).toEqual({ pinned: true, archived: true });
  unpinObservation(deps, id);
  unarchiveObservation(deps, id);
  expect(switches()).toEqual({ pinned: false, archived: false });
});

test("[CP63] a superseded observation names its successor and is hidden, the new one names it", () => {
  const old = save();
  const next = save({ title: "Use WAL2" });
  expect(supersedeObservation(deps, old, next)).toEqual({ ok: true, value: { old, new: next } });
  expect(store.reads.observation(unpairedNamespace, old)?.supersededBy).toBe(next);
  expect(store.reads.get(unpairedNamespace, next)?.fields["supersedes"]).toBe(old);
  expect(store.reads.list({}).map(({ id }) => id)).toEqual([next]);
  expect(supersedeObservation(deps, old, old)).toMatchObject({ error: { kind: "same-record" } });
  const elsewhere = save({ namespace: "local" as never, title: "Other" });
  expect(supersedeObservation(deps, next, elsewhere)).toMatchObject({
    error: { kind: "other-namespace" },
  });
});

test("[CP64] only a conflict is resolved", () => {
  const id = save();
  expect(resolveConflict(deps, id, { keep: "current" })).toMatchObject({ ok: false });
});

test("[CP65] what was forgotten is found no more, and an import does not bring it back", () => {
  const id = save();
  const lines = [...store.reads.exportLines(unpairedNamespace)];
  expect(forgetRecord(deps, id)).toMatchObject({ ok: true, value: { changed: true } });
  expect(forgetRecord(deps, id)).toMatchObject({ ok: false, error: { kind: "forgotten" } });
  expect(importLines(deps, unpairedNamespace, lines)).toEqual({
    added: 0,
    known: 1,
    gone: 1,
    changed: 0,
    erased: 0,
    unreadable: [],
    refused: 0,
    conflicts: 0,
    forgotten: 0,
    differing: [],
    alive: [],
  });
  const after = [...store.reads.exportLines(unpairedNamespace)];
  expect(importLines(deps, unpairedNamespace, after)).toMatchObject({ added: 0, forgotten: 1 });
  const lost = { id: "0123456789abcdefghijklmnop", collection: "conflict", parent: id, lamport: 1, writer: "w", at: 5, fields: { field: "title", value: "x" } }; // prettier-ignore
  expect(importLines(deps, unpairedNamespace, [JSON.stringify(lost)])).toMatchObject({
    added: 0,
    conflicts: 1,
    forgotten: 0,
    unreadable: [],
  });
});

test("[CP65] an import scrubs, names its origin, and passes over what is no record", () => {
  const id = "0123456789abcdefghijklmnop";
  const line = (fields: object, more: object = {}): string =>
    JSON.stringify({
      id,
      collection: "observation",
      lamport: 1,
      writer: "w",
      at: 5,
      fields,
      ...more,
    });
  const report = importLines(deps, unpairedNamespace, [
    line({ kind: "note", title: `mine ${token}`, origin: "user", createdAt: 5 }),
    "{",
    "",
    line({ title: "t" }, { id: token }),
    JSON.stringify({ id: "abcdefabcdef", collection: "observation", forgotten: true }),
  ]);
  const untouched = { gone: 0, changed: 0, erased: 0, differing: [], alive: [] };
  const none = { known: 0, refused: 0, conflicts: 0, ...untouched };
  expect(report).toEqual({ ...none, added: 1, unreadable: [2, 4], forgotten: 1 });
  const [imported] = store.reads.list({});
  expect(imported).toMatchObject({ id, origin: "import", trust: 1, createdAt: 5 });
  expect(imported?.title).not.toContain(token);
});

test.each([-62_135_596_800_000, 253_402_300_799_999, 1_700_000_000_000 + 11 * 60_000])(
  "[CP68] an import that says it was made at %d is taken in at this device's time (abuse 121)",
  (at) => {
    const lines = [
      { id: "0123456789abcdefghijklmnop", at: 5, fields: { title: "told", createdAt: at } },
      { id: "abcdefghijklmnop0123456789", at: Math.abs(at), fields: { title: "written" } },
    ].map((line) =>
      JSON.stringify({ collection: "observation", lamport: 1, writer: "w", ...line }),
    );
    expect(importLines(deps, unpairedNamespace, lines)).toMatchObject({ added: 2 });
    const byTitle = new Map(store.reads.list({}).map((each) => [each.title, each.createdAt]));
    const isFar = Math.abs(at) > 1_700_000_000_000 + 10 * 60_000;
    expect(byTitle.get("told")).toBe(5);
    expect(byTitle.get("written")).toBe(isFar ? 1_700_000_000_000 : Math.abs(at));
  },
);

test("[CP67] observations cannot supersede each other in a circle", () => {
  const [first, second, third] = [save(), save({ title: "Two" }), save({ title: "Three" })];
  supersedeObservation(deps, first, second);
  supersedeObservation(deps, second, third);
  for (const newest of [first, second]) {
    expect(supersedeObservation(deps, third, newest)).toEqual({
      ok: false,
      error: { kind: "superseded-by-it", id: newest },
    });
  }
  expect(store.reads.list({}).map(({ id }) => id)).toEqual([third]);
});

test("[CL97] marks and superseding are for observations: of another record they say so, and change nothing", () => {
  const id = save();
  const left = leaveHandoff(deps, {
    namespace: unpairedNamespace,
    project: "git:example.com/app",
    task: "Do it",
    state: "",
    next: "",
    questions: [],
    files: [],
    turns: [],
    origin: "user",
  });
  const other = left.ok ? left.value.id : "";
  const before = store.reads.find(other);
  const done = [
    pinObservation(deps, other),
    pinObservation(deps, other, "agent"),
    unpinObservation(deps, other),
    archiveObservation(deps, other),
    unarchiveObservation(deps, other),
    supersedeObservation(deps, id, other),
    supersedeObservation(deps, other, id),
  ];
  const refusal = {
    ok: false,
    error: { kind: "not-an-observation", id: other, collection: "handoff" },
  };
  expect(done).toEqual(done.map(() => refusal));
  expect(store.reads.find(other)).toEqual(before);
  expect(store.reads.observation(unpairedNamespace, id)?.supersededBy).toBeNull();
});
