import { localNamespace, ok, unpairedNamespace } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { AgentEvent } from "../capture/event.ts";
import { testOptions, testStore } from "../store/testing/test-store.ts";
import { captureEvent } from "./capture.ts";
import { createDeviceScrubber, scrubOver } from "./scrub.ts";
import { drainSpool, spoolEvent, type Spool } from "./spool.ts";
import { canaries } from "./testing/canaries.ts";
import { testHmac, testScrub } from "./testing/scrub.ts";

const { sha256, clock } = testOptions();
const place = { project: "path:test:/src/app", atMs: 1_700_000_000_000 };

function commit(id: string, subject: string): AgentEvent {
  return {
    agent: "claude-code",
    event: "tool",
    name: "PostToolUse",
    sessionId: "s1",
    key: `key-${id}`,
    tool: {
      id,
      name: "Bash",
      input: { command: `git commit -m '${subject}'` },
      ok: true,
      response: `[main 1a2b3c4] ${subject}`,
    },
  };
}

/** A spool in memory; `kept` is what a drain leaves. */
function spoolOf(lines: string[]): Spool & { kept: readonly string[] } {
  const spool = {
    kept: lines as readonly string[],
    append: (line: string) => {
      lines.push(line);
      return ok(undefined);
    },
    hasLines: () => lines.length > 0,
    claim: () => [
      {
        lines,
        finish: (rest: readonly string[]) => {
          spool.kept = rest;
        },
      },
    ],
  };
  return spool;
}

function titlesAfter(lines: readonly string[], untilMs = clock.nowMs()): readonly string[] {
  return titlesOf(spoolOf([...lines]), untilMs);
}

function titlesOf(spool: Spool, untilMs = clock.nowMs()): readonly string[] {
  const store = testStore();
  drainSpool({ store, scrub: testScrub(), clock, sha256 }, spool, untilMs);
  const titles = store.reads.list({}).map(({ title }) => title);
  store.close();
  return titles;
}

test("[HK21] one bad line blocks no other", () => {
  const lines: string[] = [];
  spoolEvent(spoolOf(lines), testScrub(), commit("1", "Fix the parser"), place);
  const bad = ["", "{", "null", "[]", '{"event":{},"project":1,"atMs":"x"}', "\u0000"];
  expect(titlesAfter([...bad, ...lines, ...bad]).join()).toContain("Fix the parser");
});

test("[HK81] what another version spooled is left for it; only what was cut short is given up", () => {
  const lines: string[] = [];
  spoolEvent(spoolOf(lines), testScrub(), commit("1", "Fix the parser"), place);
  const [line = ""] = lines;
  const later = JSON.stringify({ version: 2, events: [JSON.parse(line) as unknown] });
  const otherwise = line.replace('"v":1', '"v":2').replace("Fix the parser", "Of a later version");
  const spool = spoolOf([line.slice(0, -5), later, otherwise, line]);
  const titles = titlesOf(spool).join();
  expect(titles).toContain("Fix the parser");
  expect(titles).not.toContain("Of a later version");
  expect(spool.kept).toEqual([later, otherwise]);
});

test("[HK81] a line that tells no version is one of the first", () => {
  const lines: string[] = [];
  spoolEvent(spoolOf(lines), testScrub(), commit("1", "Fix the parser"), place);
  const first = lines.map((line) => line.replace('"v":1,', ""));
  expect(first).not.toEqual(lines);
  expect(titlesAfter(first).join()).toContain("Fix the parser");
});

test("[HK21] a drain whose time is over leaves every line as it is", () => {
  const lines: string[] = [];
  spoolEvent(spoolOf(lines), testScrub(), commit("1", "Fix the parser"), place);
  const spool = spoolOf(lines);
  expect(titlesOf(spool, clock.nowMs() - 1)).toEqual([]);
  // Not even written anew: while a database is locked, each hook comes by.
  expect(spool.kept).toBe(lines);
});

test("[CP96] a spool that takes longer to read than a turn may take is taken in all the same", () => {
  const lines: string[] = [];
  spoolEvent(spoolOf(lines), testScrub(), commit("1", "Fix the parser"), place);
  const slow = spoolOf(lines);
  let nowMs = clock.nowMs();
  const claim = () => {
    nowMs += 300;
    return slow.claim();
  };
  const store = testStore();
  const deps = { store, scrub: testScrub(), clock: { nowMs: () => nowMs }, sha256 };
  expect(drainSpool(deps, { ...slow, claim }, nowMs + 200, 200)).toEqual({
    drained: 1,
    unreadable: 0,
  });
  expect(slow.kept).toEqual([]);
  store.close();
});

test.each(canaries)(
  "[SC54] nothing enters the spool unscrubbed, not even what nobody scrubbed",
  (secret) => {
    const lines: string[] = [];
    const event = { ...commit(secret, secret), cwd: `/src/${secret}` };
    const project = `path:test:/src/${secret}`;
    expect(spoolEvent(spoolOf(lines), testScrub(), event, { ...place, project })).toBe(true);
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toContain(secret);
  },
);

test("[CP91] what waited in the spool goes where its project is bound, whatever is scrubbed of its name", () => {
  const scrub = scrubOver(
    createDeviceScrubber(new Uint8Array(32).fill(7), testHmac, { literals: ["moonshot"] }),
  );
  const deps = { scrub, clock, sha256 };
  const store = testStore();
  const secret = "git:example.com/acme/moonshot";
  store.bindings.bind(secret, localNamespace);
  store.bindings.bind("git:example.com/acme/other", unpairedNamespace);
  const lines: string[] = [];
  const bound = { ...place, project: secret };
  expect(spoolEvent(spoolOf(lines), scrub, commit("1", "Fix the parser"), bound)).toBe(true);
  expect(lines.join()).not.toContain("moonshot");
  drainSpool({ ...deps, store }, spoolOf(lines), clock.nowMs());
  const spooled = store.reads.list({}).map(({ namespace, project }) => [namespace, project]);
  captureEvent(
    { ...deps, store },
    { ...commit("2", "Fix the lexer"), sessionId: "s2" },
    {
      ...bound,
      namespace: store.bindings.namespaceOf(secret),
    },
  );
  expect(spooled).toHaveLength(1);
  expect(store.reads.list({}).map(({ namespace, project }) => [namespace, project])).toEqual([
    ...spooled,
    ...spooled,
  ]);
  expect(spooled[0]?.[0]).toBe(localNamespace);
  store.close();
});
