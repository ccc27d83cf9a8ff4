// The memory that the questions are about: recorded sessions replayed through the real capture into
// a real store, and notes of other projects around them, as a device has them that is used for more
// than one thing.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { unpairedNamespace } from "../../packages/protocol/src/index.ts";
import { createTranscriptImport } from "../../apps/client/src/memory/import-transcript.ts";
import { saveObservation } from "../../apps/client/src/memory/save.ts";
import { testScrub } from "../../apps/client/src/memory/testing/scrub.ts";
import type { Store } from "../../apps/client/src/store/store.ts";
import { testOptions, testStore } from "../../apps/client/src/store/testing/test-store.ts";

/** Recordings, each a list of files that continue each other. */
const recordings = [
  ["review-page.jsonl", "review-page-end.jsonl"],
  ["transcript-look.jsonl"],
] as const;

interface Note {
  readonly title: string;
  readonly narrative: string;
  readonly facts: readonly string[];
}

/** Opens a store in memory and fills it. */
export function recordedMemory(): Store {
  const store = testStore();
  const { clock, random, sha256 } = testOptions();
  const deps = { store, scrub: testScrub(), clock, random, sha256 };
  const place = { namespace: unpairedNamespace, project: "git:example.org/recorded" };
  for (const files of recordings) {
    const run = createTranscriptImport(deps, () => place);
    run.take(files.flatMap((file) => linesOf(`sessions/${file}`)));
    run.end();
  }
  for (const line of linesOf("injections/benign.ndjson")) {
    const { title, narrative, facts } = JSON.parse(line) as Note;
    const project = "git:example.org/other";
    const note = { namespace: unpairedNamespace, project, origin: "user", title } as const;
    const saved = saveObservation(deps, { ...note, narrative, facts });
    if (!saved.ok) throw new Error(`${title}: ${saved.error.kind}`);
  }
  return store;
}

function linesOf(file: string): readonly string[] {
  const path = fileURLToPath(new URL(`../../test/fixtures/${file}`, import.meta.url));
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}
