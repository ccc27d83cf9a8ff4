import { rmSync } from "node:fs";
import { join } from "node:path";
import { unpairedNamespace, type RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Store } from "../store/store.ts";
import { memoryFolder, save } from "../store/testing/damage.ts";
import { seededRandom, testOptions, testStore } from "../store/testing/test-store.ts";
import type { MemoryDeps } from "./deps.ts";
import { supersedeObservation } from "./supersede.ts";
import { testScrub } from "./testing/scrub.ts";

function depsOf(store: Store): MemoryDeps {
  const { clock, random, sha256 } = testOptions();
  return { store, scrub: testScrub(), clock, random, sha256 };
}

test("[CP67] two programs that let two observations take each other's place at once make no circle", () => {
  const folder = memoryFolder();
  const path = join(folder, "tidemark.db");
  const other = testStore({ path });
  for (const record of ["first", "second"])
    save(other, unpairedNamespace, record, { title: record });
  let act = (): void => {};
  const probe = (statement: string): void => {
    if (statement !== "BEGIN") return;
    const work = act;
    act = () => {};
    work();
  };
  const store = testStore({ path, random: seededRandom("b"), probe });
  // As late as another program can write: from here on this one has the database to itself.
  act = () => {
    expect(supersedeObservation(depsOf(other), "second", "first")).toMatchObject({ ok: true });
  };
  expect(supersedeObservation(depsOf(store), "first", "second")).toEqual({
    ok: false,
    error: { kind: "superseded-by-it", id: "second" as RecordId },
  });
  expect(store.reads.list({}).map(({ id }) => id)).toEqual(["first"]);
  store.close();
  other.close();
  rmSync(folder, { recursive: true });
});
