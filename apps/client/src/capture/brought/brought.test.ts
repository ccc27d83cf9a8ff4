import { readFileSync } from "node:fs";
import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Fields } from "../json.ts";
import { nothingYet, type Brought, type BroughtRow } from "./brought.ts";
import { parseClaudeMemRow } from "./claude-mem.ts";
import { parseEngrmRow } from "./engrm.ts";
import { fitted } from "./fitted.ts";
import { createGraphReader } from "./memory-graph.ts";
import { parseNote } from "./note.ts";

const fixtures = new URL("../../../../../test/fixtures/memories/", import.meta.url);

function textOf(name: string): string {
  return readFileSync(new URL(name, fixtures), "utf8");
}

function rowsOf(name: string, table: string): readonly Fields[] {
  const db = new Sqlite(":memory:");
  db.exec(textOf(name));
  const columns = db.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table);
  return db.prepare(`SELECT ${columns.join()} FROM ${table}`).all() as readonly Fields[];
}

function valueOf(row: BroughtRow | undefined): Brought {
  if (row?.ok !== true) throw new Error(row?.reason ?? "nothing");
  return row.value;
}

test("[IM9] claude-mem: observations and summaries as its program writes them", () => {
  const rows = rowsOf("claude-mem.sql", "observations").map((row) =>
    parseClaudeMemRow("observations", row),
  );
  expect(valueOf(rows[0])).toMatchObject({
    kind: "fix",
    title: "The queue drops jobs on restart",
    narrative: "drain() was not awaited\n\nThe shutdown handler called drain() without await.",
    facts: ["drain() returned before the last job", "Node exits on SIGTERM after 5 s"],
    concepts: ["problem-solution", "gotcha"],
    filesRead: ["src/queue.ts"],
    filesModified: ["src/shutdown.ts"],
    atMs: 1_788_256_800_000,
    project: { name: "shop" },
  });
  const [summary] = rowsOf("claude-mem.sql", "session_summaries");
  expect(valueOf(parseClaudeMemRow("session_summaries", summary ?? {}))).toMatchObject({
    title: "Fix the queue",
    narrative: expect.stringContaining("Next: Look at the retry count") as string,
  });
});

test("[IM9] claude-mem: a row of its first versions has one text, and one without any is told", () => {
  const old = { id: 7, text: "The cache is cold\nafter a deploy", type: "discovery", facts: null };
  expect(valueOf(parseClaudeMemRow("observations", old)).title).toBe("The cache is cold");
  expect(parseClaudeMemRow("observations", { id: 8, type: "change" })).toEqual({
    ok: false,
    from: "claude-mem observation 8",
    reason: "it has neither title nor text",
  });
});

test("[IM8, IM9] engrm: what was kept back, pinned and superseded stays so", () => {
  const [project, notes] = rowsOf("engrm.sql", "projects");
  const rows = rowsOf("engrm.sql", "observations").map((row) =>
    parseEngrmRow("observations", { ...row, project: row["project_id"] === 1 ? project : notes }),
  );
  expect(rows.slice(0, 5).map((row) => valueOf(row))).toMatchObject([
    { kind: "fix", atMs: 1_788_256_800_000, project: { remote: "github.com/acme/shop" } },
    { kind: "decision", pinned: true },
    { kind: "discovery", archived: true },
    { reach: "person", project: { name: "notes" } },
    { reach: "device" },
  ]);
  expect(rows[5]).toMatchObject({ ok: false, reason: "engrm had purged it" });
});

test("[IM9] the MCP memory server: an entity with what is said of it and whom it knows", () => {
  const reader = createGraphReader();
  const faults = [...textOf("mcp-memory-server.jsonl").split("\n"), "{half"].map((line) =>
    reader.readLine(line),
  );
  expect(faults.filter((fault) => fault !== undefined)).toEqual([
    { from: "line 5", reason: "it is neither entity nor relation" },
  ]);
  const rows = reader.end();
  expect(valueOf(rows[0])).toMatchObject({
    title: "Checkout (service)",
    facts: [
      "Prices are in cents",
      "It asks the tax service, which is slow on Mondays",
      "depends on Tax service",
    ],
  });
  expect(rows[2]).toMatchObject({ ok: false, reason: "nothing is said of it" });
});

const coffee = `---
title: Coffee Brewing Methods
type: note
tags: [coffee, brewing]
permalink: coffee-brewing-methods
---

# Coffee Brewing Methods

Prose that links to [[another note]] on its way.

## Observations
- [method] Pour over is clearer #brewing
- [technique] 205°F extracts best (tested)

## Relations
- relates_to [[Coffee Bean Origins]]

## To do
- [ ] buy beans

\`\`\`
- [method] not a fact
\`\`\`
`;

test("[IM9] basic-memory: front, observations and relations; all else is told as it is", () => {
  const note = valueOf(parseNote({ text: coffee, path: "drinks/coffee.md", source: "note" }));
  expect(note).toMatchObject({
    title: "Coffee Brewing Methods",
    facts: [
      "method: Pour over is clearer #brewing",
      "technique: 205°F extracts best (tested)",
      "relates_to Coffee Bean Origins",
    ],
    concepts: ["coffee", "brewing"],
    from: "note drinks/coffee.md",
  });
  expect(note.narrative).toContain("Prose that links to [[another note]]");
  expect(note.narrative).toContain("- [ ] buy beans");
  expect(note.narrative).toContain("- [method] not a fact");
});

test("[IM9] Claude Code's notes: by their description; their index is none", () => {
  const text =
    "---\nname: use-pnpm\ndescription: This repository uses pnpm\nmetadata:\n  type: project\n---\nNever npm.\n";
  expect(valueOf(parseNote({ text, path: "use-pnpm.md", source: "n" }))).toMatchObject({
    title: "This repository uses pnpm",
    narrative: "Never npm.",
  });
  const index = "# Memory\n\n- [pnpm](use-pnpm.md): uses pnpm\n";
  expect(parseNote({ text: index, path: "memory/MEMORY.md", source: "n" })).toMatchObject({
    ok: false,
  });
});

test("[IM7] a note with a broken front is taken with it, an empty one is told", () => {
  const text = "---\ntitle: [unclosed\n---\nBody\n";
  expect(valueOf(parseNote({ text, path: "a.md", source: "n" }))).toMatchObject({ title: "a" });
  expect(parseNote({ text: "# Title\n", path: "a.md", source: "n" })).toMatchObject({ ok: false });
});

test("[IM7] whatever a row or a note holds, it is taken or told, and nothing throws", () => {
  const names = [
    "id",
    "title",
    "narrative",
    "text",
    "facts",
    "concepts",
    "created_at_epoch",
    "lifecycle",
    "request",
  ];
  const row = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.anything(), fc.string()));
  const note = fc
    .array(fc.oneof(fc.constantFrom(...coffee.split("\n")), fc.string({ unit: "binary" })))
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(row, note, (fields, text) => {
      const rows = [
        parseClaudeMemRow("observations", fields),
        parseClaudeMemRow("session_summaries", fields),
        parseEngrmRow("observations", fields),
        parseEngrmRow("session_summaries", fields),
        parseNote({ text, path: "a.md", source: "n" }),
      ];
      for (const each of rows) expect(each.ok ? each.value.title : each.reason).not.toBe("");
    }),
    { seed: 32, numRuns: 400 },
  );
});

test("[IM7] what is too long for one observation is parted, and no word of it is lost", () => {
  const words = fc.array(
    fc.string({
      unit: fc.constantFrom("a", "b", " ", "\n", "#", "é"),
      minLength: 1,
      maxLength: 900,
    }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(
      words,
      fc.array(fc.string({ maxLength: 900 }), { maxLength: 200 }),
      (texts, facts) => {
        const narrative = texts.join("\n\n");
        const entry = { ...nothingYet, from: "f", key: "", title: "t", narrative, facts };
        const pieces = fitted(entry);
        const letters = (list: readonly string[]): number =>
          list.join("").replaceAll(/\s/gu, "").length;
        const told = pieces.flatMap((piece) => [piece.narrative, ...piece.facts]);
        expect(letters(told)).toBe(letters([narrative, ...facts]));
        for (const piece of pieces) {
          expect(piece.narrative.length).toBeLessThanOrEqual(5_000);
          expect(piece.facts.length).toBeLessThanOrEqual(60);
        }
      },
    ),
    { seed: 33, numRuns: 150 },
  );
});
