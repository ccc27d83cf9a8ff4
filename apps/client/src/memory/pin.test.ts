import { unpairedNamespace, type RecordId } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store } from "../store/store.ts";
import { testOptions, testStore } from "../store/testing/test-store.ts";
import type { MemoryDeps } from "./deps.ts";
import { editRecord } from "./edit.ts";
import { importLines } from "./import.ts";
import { pinObservation, unpinObservation } from "./pin.ts";
import { testScrub } from "./testing/scrub.ts";

const id = "imported1" as RecordId;

let store: Store;
let deps: MemoryDeps;

beforeEach(() => {
  store = testStore();
  const { clock, random, sha256 } = testOptions();
  deps = { store, scrub: testScrub(), clock, random, sha256 };
});
afterEach(() => {
  store.close();
});

function takeIn(fields: object = {}): void {
  const head = { id, collection: "observation", lamport: 1, writer: "w", at: 5 };
  const line = JSON.stringify({ ...head, fields: { kind: "note", title: "t", ...fields } });
  expect(importLines(deps, unpairedNamespace, [line])).toMatchObject({ added: 1 });
}

function read() {
  const { pinned, trust } = store.reads.observation(unpairedNamespace, id) ?? {};
  return { pinned, trust };
}

test("[RC13] a person's pin of an import is its review, and taking it off ends that", () => {
  takeIn();
  expect(read()).toEqual({ pinned: false, trust: 1 });
  expect(pinObservation(deps, id)).toMatchObject({ ok: true });
  expect(read()).toEqual({ pinned: true, trust: 2 });
  unpinObservation(deps, id);
  expect(read()).toEqual({ pinned: false, trust: 1 });
  editRecord(deps, id, [{ field: "pinned", value: "true" }]);
  expect(read()).toEqual({ pinned: true, trust: 2 });
});

test("[RC13] an import that comes pinned is not reviewed until a person pins it", () => {
  takeIn({ pinned: true, pinnedOrigin: "user" });
  expect(read()).toEqual({ pinned: true, trust: 1 });
  expect(pinObservation(deps, id)).toMatchObject({ ok: true, value: { changed: true } });
  expect(read()).toEqual({ pinned: true, trust: 2 });
});

test("[RC13] a model's pin is no review and takes none away", () => {
  takeIn();
  pinObservation(deps, id, "agent");
  expect(read()).toEqual({ pinned: true, trust: 1 });
  pinObservation(deps, id);
  pinObservation(deps, id, "agent");
  expect(read()).toEqual({ pinned: true, trust: 2 });
});

test("[RC13] a pin that somebody else made and took off is no bar to a person's own", () => {
  takeIn({ pinned: false, pinnedOrigin: "user", pinnedOf: {} });
  expect(pinObservation(deps, id)).toMatchObject({ ok: true });
  expect(read()).toEqual({ pinned: true, trust: 2 });
});
