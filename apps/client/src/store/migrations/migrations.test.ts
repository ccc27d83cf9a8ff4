import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const folder = import.meta.dirname;
const client = join(folder, "../../..");

function sqlFiles(): readonly string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".sql")).toSorted();
}

function literal(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${");
}

function rendered(): string {
  const entries = sqlFiles().map((name) => {
    const sql = readFileSync(join(folder, name), "utf8");
    return `  {\n    id: "${name.replace(/\.sql$/, "")}",\n    sql: \`${literal(sql)}\`,\n  },\n`;
  });
  return [
    'import type { Migration } from "../migrate.ts";\n\n',
    "/** The .sql files beside this one as text, so that they can be bundled; a test renders it. */\n",
    `export const migrations: readonly Migration[] = [\n${entries.join("")}];\n`,
  ].join("");
}

test("[ST3] the bundled migrations are the .sql files; `vitest -u` renders them anew", async () => {
  await expect(rendered()).toMatchFileSnapshot("./index.ts");
});

test("[ST3] drizzle-kit finds nothing that the migrations lack", () => {
  const work = mkdtempSync(join(tmpdir(), "tidemark-drizzle-"));
  try {
    cpSync(folder, join(work, "migrations"), { recursive: true });
    cpSync(join(folder, "../schema.ts"), join(work, "schema.ts"));
    symlinkSync(join(client, "node_modules"), join(work, "node_modules"));
    const config = { dialect: "sqlite", schema: "./schema.ts", out: "./migrations" };
    writeFileSync(join(work, "drizzle.config.json"), JSON.stringify(config));
    const kit = join(dirname(createRequire(import.meta.url).resolve("drizzle-kit")), "bin.cjs");
    const options = { cwd: work, encoding: "utf8", timeout: 60_000 } as const;
    const output = execFileSync(
      process.execPath,
      [kit, "generate", "--config", "drizzle.config.json"],
      options,
    );
    expect(output).toContain("No schema changes");
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});
