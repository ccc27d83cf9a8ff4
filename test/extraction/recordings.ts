// The recorded sessions of test/fixtures, replayed through the real import into a real store, and
// every observation that a person then finds in it.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createTranscriptReader } from "../../apps/client/src/capture/claude-code-transcript.ts";
import { createRolloutReader } from "../../apps/client/src/capture/codex-rollout.ts";
import type { TranscriptReader } from "../../apps/client/src/capture/transcript.ts";
import { createTranscriptImport } from "../../apps/client/src/memory/import-transcript.ts";
import { testScrub } from "../../apps/client/src/memory/testing/scrub.ts";
import type { Observation } from "../../apps/client/src/store/observation.ts";
import { testOptions, testStore } from "../../apps/client/src/store/testing/test-store.ts";
import { unpairedNamespace } from "../../packages/protocol/src/index.ts";

/** A recording: files that continue each other, and who reads them. */
interface Recording {
  readonly files: readonly string[];
  readonly reader: () => TranscriptReader;
}

const claude = (...files: readonly string[]): Recording => ({
  files,
  reader: createTranscriptReader,
});
const codex = (file: string): Recording => ({ files: [file], reader: createRolloutReader });

/** All of them, in the order in which a device would have seen them. */
export const recordings: readonly Recording[] = [
  claude("claude-code-log/edge_cases.jsonl"),
  claude("claude-code-log/representative_messages.jsonl"),
  claude("claude-code-log/simonw_sample_session.jsonl"),
  codex("codex/rollout.jsonl"),
  codex("codex/tool-calls.jsonl"),
  claude("sessions/review-page.jsonl", "sessions/review-page-end.jsonl"),
  claude("sessions/transcript-look.jsonl"),
];

/**
 * What one device remembers of all recordings, oldest first; what gave way to another is left out.
 *
 * @param spoil changes each text that a person, an agent or a tool wrote
 */
export function rememberedObservations(
  spoil: (text: string) => string = (text) => text,
): readonly Observation[] {
  const store = testStore();
  const { clock, random, sha256 } = testOptions();
  const deps = { store, scrub: testScrub(), clock, random, sha256 };
  const place = { namespace: unpairedNamespace, project: "git:example.org/recorded" };
  for (const { files, reader } of recordings) {
    const run = createTranscriptImport(deps, reader(), { placeOf: () => place });
    run.take(files.flatMap(linesOf).map((line) => spoiled(line, spoil)));
    run.end();
  }
  const found = store.reads.list({});
  store.close();
  return found.toReversed();
}

const spoken: ReadonlySet<string> = new Set(["text", "content", "output", "new_string", "stdout"]);

function spoiled(line: string, spoil: (text: string) => string): string {
  const value: unknown = JSON.parse(line, (key, member: unknown) =>
    typeof member === "string" && spoken.has(key) ? spoil(member) : member,
  );
  return JSON.stringify(value);
}

function linesOf(file: string): readonly string[] {
  const path = fileURLToPath(new URL(`../fixtures/${file}`, import.meta.url));
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}
