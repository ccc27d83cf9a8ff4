import { unpairedNamespace } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTranscriptReader } from "../capture/claude-code-transcript.ts";
import { sessionEventsMax } from "../store/session-log.ts";
import type { Store } from "../store/store.ts";
import { testOptions, testStore } from "../store/testing/test-store.ts";
import { sessionRecordId } from "./capture.ts";
import {
  createTranscriptImport,
  type TranscriptDeps,
  type TranscriptReport,
} from "./import-transcript.ts";
import { canaries } from "./testing/canaries.ts";
import { testScrub } from "./testing/scrub.ts";

let store: Store;
let deps: TranscriptDeps;
const [token = ""] = canaries;

beforeEach(() => {
  store = testStore();
  const { clock, random, sha256 } = testOptions();
  deps = { store, scrub: testScrub(), clock, random, sha256 };
});
afterEach(() => {
  store.close();
});

function take(lines: readonly string[]): TranscriptReport {
  const run = createTranscriptImport(deps, createTranscriptReader(), {
    placeOf: () => ({ namespace: unpairedNamespace, project: "git:example.com/app" }),
  });
  run.take(lines);
  return run.end();
}

function prompts(count: number, course = "u"): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      type: "user",
      uuid: `${course}${index}`,
      parentUuid: null,
      isSidechain: false,
      sessionId: "session-1",
      cwd: "/work",
      timestamp: new Date(1_700_000_000_000 + index * 1_000).toISOString(),
      message: {
        role: "user",
        content: `Please fix the login number ${index} of ${course}. ${token}`,
      },
    }),
  );
}

/** As many later events of the session as its log keeps: it forgets the others. */
function fillLog(): void {
  const session = sessionRecordId(deps.sha256, "claude-code", "session-1");
  for (let n = 0; n < sessionEventsMax; n += 1) {
    const payload = deps.scrub.value({ n });
    if (!payload.ok) throw new Error("a number is scrubbed");
    store.sessions.addEvent({ key: `hook ${n}`, session, atMs: n, payload: payload.value });
  }
}

test("[CP66] a transcript becomes events and observations, without secrets", () => {
  const report = take(prompts(3));
  expect(report).toMatchObject({ known: 0, refused: 0, skipped: [] });
  expect(report.events).toBeGreaterThanOrEqual(3);
  const all = JSON.stringify([store.reads.list({}), store.reads.records("session")]);
  expect(all).toContain("login number");
  expect(all).not.toContain(token);
});

test("[CP66] importing again adds nothing, also where the session is longer than its log", () => {
  const lines = prompts(260);
  const first = take(lines);
  const before = store.reads.counts();
  const second = take(lines);
  expect(second).toMatchObject({ events: first.events, added: 0, known: first.events });
  expect(store.reads.counts()).toEqual(before);
});

test("[CP66] a transcript that has grown is taken in from where it had ended", () => {
  const lines = prompts(6);
  take(lines.slice(0, 4));
  const grown = take(lines);
  expect(grown.known).toBeGreaterThanOrEqual(4);
  expect(grown.events - grown.known).toBeGreaterThanOrEqual(2);
});

test("[CP66] what a transcript tells is taken in, where it was cut or written anew as well", () => {
  const lines = prompts(300);
  const { events } = take(lines);
  const anew = [...lines.slice(0, 20), ...prompts(500, "other").slice(200, 400)];
  const other = take(anew);
  // Its end is told once more: the log of the session has forgotten it.
  expect([other.events - other.known, other.refused]).toEqual([201, 0]);
  expect(take(anew)).toMatchObject({ events: other.events, known: other.events, added: 0 });
  // A file that a crash cut short is known as far as it goes, and what goes on from there is not.
  expect(take(anew.slice(0, 50))).toMatchObject({ added: 0 });
  const goneOn = take([...anew.slice(0, 50), ...prompts(400, "third").slice(300)]);
  // It ends anew as well: it has gone on since the end that was told before (CP94).
  expect(goneOn.events - goneOn.known).toBe(101);
  expect(events).toBeGreaterThan(300);
});

test("[CP66] an older copy of a transcript takes nothing from what is known of it", () => {
  const { events } = take(prompts(300));
  take(prompts(50));
  expect(take(prompts(300))).toMatchObject({ events, known: events, added: 0 });
});

test("[CP66] a transcript with another event in its middle is known once it was taken in", () => {
  take(prompts(300));
  const changed = prompts(300).toSpliced(5, 1, ...prompts(6, "other").slice(5));
  const { events } = take(changed);
  fillLog();
  // What the end completed is told again each time.
  expect(take(changed)).toMatchObject({ events, known: events - 1, added: 0 });
});

test("[CP66] a damaged line is told by its number and blocks nothing", () => {
  const [first = "", second = ""] = prompts(2);
  const report = take([first, "{ broken", second]);
  expect(report.skipped.map(({ line }) => line)).toEqual([2]);
  expect(report.events).toBeGreaterThanOrEqual(2);
});

test.each([
  ["year 0001", "0001-01-01T00:00:00Z"],
  ["year 9999", "9999-12-31T23:59:59.999Z"],
  ["eleven minutes ahead", new Date(1_700_000_000_000 + 11 * 60_000).toISOString()],
  ["no date", "NaN"],
])(
  "[CP68] a transcript of the %s is taken in at this device's time (abuse 121)",
  (_, timestamp) => {
    const lines = prompts(2).map((line) =>
      JSON.stringify({ ...(JSON.parse(line) as object), timestamp }),
    );
    expect(take(lines).added).toBeGreaterThan(0);
    const made = store.reads.list({});
    expect(made.length).toBeGreaterThan(0);
    for (const { createdAt } of made) expect(createdAt).toBe(1_700_000_000_000);
    for (const { fields, createdAtMs } of store.reads.records("session"))
      expect([createdAtMs, fields["startedAt"] ?? createdAtMs]).toEqual([
        1_700_000_000_000, 1_700_000_000_000,
      ]);
  },
);
