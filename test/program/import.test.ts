import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { afterAll, expect, test } from "vitest";
import { createDevices, type TestDevice } from "./client-process.ts";

const devices = createDevices();
afterAll(() => {
  devices.clear();
});

const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url));

/** A person's home beside the device's own, with other memories in it. */
function personOf(name: string): { readonly device: TestDevice; readonly user: string } {
  const device = devices.device(name, { HOME: join(devices.device(`${name}-user`).folder) });
  return { device, user: devices.device(`${name}-user`).folder };
}

function database(path: string, sql: string): Sqlite.Database {
  mkdirSync(dirname(path), { recursive: true });
  const db = new Sqlite(path);
  db.pragma("journal_mode = WAL");
  db.exec(readFileSync(join(fixtures, "memories", sql), "utf8"));
  return db;
}

function stateOf(folder: string): readonly string[] {
  return readdirSync(folder).map((name) => {
    const bytes = readFileSync(join(folder, name));
    return `${name} ${createHash("sha256").update(bytes).digest("hex")}`;
  });
}

interface Taken {
  readonly added: number;
  readonly known: number;
  readonly skipped: readonly { readonly from: string; readonly reason: string }[];
}

interface Listed {
  readonly items: readonly {
    readonly id: string;
    readonly title: string;
    readonly project: string;
  }[];
}

test("[IM3, IM4, IM9] claude-mem's database is read while it is in use, and nothing of it changes", async () => {
  const { device, user } = personOf("claude-mem");
  const folder = join(user, ".claude-mem");
  const path = join(folder, "claude-mem.db");
  const db = database(path, "claude-mem.sql");
  const before = stateOf(folder);
  expect(before.length).toBeGreaterThan(1);
  const dry = await device.run(["import", path, "--dry-run"]);
  expect(dry.stdout).toContain("4 observations would be added, 0 known before");
  expect(dry.stdout).toContain("The queue drops jobs on restart");
  expect((await device.json<Listed>("list")).items).toEqual([]);
  expect(await device.json("import", path)).toMatchObject({
    kind: "claude-mem",
    added: 4,
    known: 0,
  });
  expect(await device.json("import", path)).toMatchObject({ added: 0, known: 4 });
  expect(stateOf(folder)).toEqual(before);
  db.close();
  const { items } = await device.json<Listed>("list");
  const queue = items.find(({ title }) => title === "The queue drops jobs on restart");
  expect(queue?.project).toBe("name:shop");
  const shown = await device.run(["show", queue?.id ?? ""]);
  expect(shown.stdout).toContain("imported from: claude-mem observation 1");
});

test("[IM7, IM9] engrm's database: what it had purged is told, all else comes", async () => {
  const { device, user } = personOf("engrm");
  const path = join(user, ".engrm", "engrm.db");
  database(path, "engrm.sql").close();
  const taken = await device.json<Taken>("import", path);
  expect(taken).toMatchObject({
    added: 6,
    skipped: [{ from: "engrm observation 6", reason: "engrm had purged it" }],
  });
  const { items } = await device.json<Listed>("list", "--project", "github.com/acme/shop");
  expect(items.map(({ title }) => title)).toContain("Retries doubled the charge");
});

test("[IM7] a damaged database gives what can be read, and one of something else is told", async () => {
  const { device, user } = personOf("damaged");
  const path = join(user, "claude-mem.db");
  const db = database(path, "claude-mem.sql");
  for (let index = 0; index < 400; index += 1) {
    db.prepare(
      "INSERT INTO observations (memory_session_id, project, type, title, narrative, created_at, created_at_epoch, content_hash) VALUES ('mem-1', 'shop', 'change', ?, ?, '', ?, ?)",
    ).run(`Change ${index}`, "x".repeat(400), 1_788_256_800_000 + index, String(index));
  }
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, bytes.length - 40_960, bytes.length - 8_192);
  writeFileSync(path, bytes);
  const taken = await device.json<Taken>("import", path);
  expect(taken.added).toBeGreaterThan(100);
  expect(taken.skipped.map(({ from }) => from)).toContain("claude-mem, the rest of observations");
  const other = join(user, "other.db");
  const foreign = new Sqlite(other);
  foreign.exec("CREATE TABLE t (a)");
  foreign.close();
  expect(await device.error("import", other)).toMatchObject({ exit: 1, code: "unknown-format" });
});

test("[IM5] alone it lists what is here with the command for each, and each command works", async () => {
  const { device, user } = personOf("listing");
  const none = await device.run(["import"]);
  expect([none.code, none.stdout]).toEqual([
    0,
    expect.stringContaining("no other memory was found"),
  ]);
  database(join(user, ".claude-mem", "claude-mem.db"), "claude-mem.sql").close();
  database(join(user, ".engrm", "engrm.db"), "engrm.sql").close();
  const graph = ".npm/_npx/0a/node_modules/@modelcontextprotocol/server-memory/dist/memory.jsonl";
  cpSync(join(fixtures, "memories/mcp-memory-server.jsonl"), join(user, graph));
  cpSync(
    join(fixtures, "codex/rollout.jsonl"),
    join(user, ".codex/sessions/2026/11/23/rollout-1.jsonl"),
  );
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(user, path)), { recursive: true });
    writeFileSync(join(user, path), text);
  };
  write(
    ".basic-memory/config.json",
    JSON.stringify({ projects: { main: join(user, "my notes") } }),
  );
  write("my notes/tea.md", "---\ntitle: Tea\n---\n- [fact] Green tea at 80 degrees\n");
  write(".claude/CLAUDE.md", "# Rules\n\nTests first.\n");
  write(".claude/projects/-x/memory/pnpm.md", "---\ndescription: We use pnpm\n---\nNever npm.\n");
  write(
    ".claude/projects/-x/s.jsonl",
    `{"type":"summary","cwd":${JSON.stringify(device.folder)}}\n`,
  );
  const listed = await device.json<{
    items: readonly { name: string; path: string; command: string }[];
  }>("import");
  expect(listed.items.map(({ name }) => name)).toEqual([
    "claude-mem",
    "engrm",
    "MCP memory server",
    "basic-memory",
    "Claude Code, for all projects",
    "Claude Code's own notes",
    "Claude Code's transcripts",
    "Codex's transcripts",
  ]);
  expect(listed.items.find(({ name }) => name === "basic-memory")?.command).toMatch(
    /^tidemark import '.*my notes'$/u,
  );
  expect((await device.json<Listed>("list")).items).toEqual([]);
  for (const { path } of listed.items) {
    expect([path, (await device.run(["import", path])).code]).toEqual([path, 0]);
  }
  const { items } = await device.json<Listed>("list", "--limit", "50");
  for (const title of [
    "Tea",
    "Rules",
    "We use pnpm",
    "Checkout (service)",
    "Fix the queue",
    "Retries doubled the charge",
  ]) {
    expect(items.map((item) => item.title)).toContain(title);
  }
  const note = items.find(({ title }) => title === "We use pnpm");
  expect(note?.project).toContain(device.folder);
});

test("[IM7] of a folder, what is nothing that is known is told and harms nothing", async () => {
  const { device, user } = personOf("folder");
  mkdirSync(join(user, "notes"));
  writeFileSync(join(user, "notes/a.md"), "# Alpha\n\nThe first.\n");
  writeFileSync(join(user, "notes/empty.md"), "");
  writeFileSync(join(user, "notes/broken.jsonl"), "{");
  const taken = await device.run(["import", join(user, "notes")]);
  expect(taken.stdout).toContain("2 files read: 1 observation added, 0 known before");
  expect(taken.stdout).toMatch(/empty\.md.* passed over: it is empty/u);
  expect(taken.stdout).toMatch(/broken\.jsonl passed over: this is neither/u);
  expect(await device.error("import", join(user, "nothing"))).toMatchObject({
    exit: 1,
    code: "no-file",
  });
});

test("[IM7] lines of an agent that is not known are an error, not a transcript without events", async () => {
  const { device, user } = personOf("unknown-agent");
  const path = join(user, "session.jsonl");
  mkdirSync(user, { recursive: true });
  const lines = [
    { type: "session", version: 3, id: "s1", cwd: "/work" },
    { type: "message", id: "m1", message: { role: "user", content: "List the files" } },
  ];
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join("\n"));
  for (const more of [[], ["--dry-run"]]) {
    const error = await device.error("import", path, ...more);
    expect(error).toMatchObject({ exit: 1, code: "unknown-format" });
  }
  const summary = { type: "summary", summary: "The queue", leafUuid: "u1" };
  writeFileSync(path, JSON.stringify(summary));
  expect(await device.json<{ events: number }>("import", path)).toMatchObject({ events: 0 });
});
