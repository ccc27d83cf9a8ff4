import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { migrations } from "./index.ts";

const folder = import.meta.dirname;
const server = join(folder, "../../../..");

test("[PG1] the migrations that a bundle carries are the SQL files, in order", () => {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted();
  const texts = files.map((name) => ({
    id: name.slice(0, -".sql".length),
    sql: readFileSync(join(folder, name), "utf8"),
  }));
  expect(migrations).toEqual(texts);
});

test("[PG1] drizzle-kit finds nothing that the migrations lack", () => {
  const work = mkdtempSync(join(tmpdir(), "tidemark-drizzle-"));
  try {
    cpSync(folder, join(work, "migrations"), { recursive: true });
    cpSync(join(folder, "../schema.ts"), join(work, "schema.ts"));
    symlinkSync(join(server, "node_modules"), join(work, "node_modules"));
    const config = {
      dialect: "postgresql",
      schema: "./schema.ts",
      out: "./migrations",
      schemaFilter: ["tidemark"],
    };
    writeFileSync(join(work, "drizzle.config.json"), JSON.stringify(config));
    const kit = join(dirname(createRequire(import.meta.url).resolve("drizzle-kit")), "bin.cjs");
    const args = [kit, "generate", "--config", "drizzle.config.json"];
    const options = { cwd: work, encoding: "utf8", timeout: 60_000 } as const;
    expect(execFileSync(process.execPath, args, options)).toContain("No schema changes");
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});
