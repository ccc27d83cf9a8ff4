import { unpairedNamespace } from "@tidemark/protocol";
import { expect, onTestFinished, test } from "vitest";
import { testScrub } from "../../../../memory/testing/scrub.ts";
import { testOptions, testStore } from "../../../../store/testing/test-store.ts";
import { takeLines } from "./lines.ts";
import type { ImportRun } from "./run.ts";

async function* entities(count: number): AsyncIterable<string> {
  for (let at = 0; at < count; at += 1) {
    const entity = { type: "entity", name: `Thing ${at}`, entityType: "tool", observations: ["x"] };
    yield await Promise.resolve(JSON.stringify(entity));
  }
}

test("[CL65] a graph that a person stops while it is put together says what came in, and goes on", async () => {
  const store = testStore();
  onTestFinished(() => {
    store.close();
  });
  let isStopped = false;
  const told: string[] = [];
  const run = {
    memory: { store, scrub: testScrub(), ...testOptions() },
    home: {},
    into: unpairedNamespace,
    project: "name:shop",
    isDry: false,
    wanted: {},
    progress: {
      tell: (how: string) => {
        told.push(how);
        // Once some of it is in, and not all.
        isStopped ||= how.endsWith("looked at");
      },
    },
    isStopped: () => Promise.resolve(isStopped),
  } as unknown as ImportRun;
  expect(await takeLines(run, entities(450))).toMatchObject({
    ok: true,
    value: { isCut: true, added: 200 },
  });
  expect(told.at(-1)).toBe("0 of 450 observations looked at");
  expect(store.reads.count({ includeHidden: true })).toBe(200);
  isStopped = false;
  run.progress.tell = () => undefined;
  expect(await takeLines(run, entities(450))).toMatchObject({
    ok: true,
    value: { added: 250, known: 200 },
  });
});
