import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import config from "../.dependency-cruiser.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** For every rule one file that breaks it, and what it imports. */
const planted: Readonly<Record<string, readonly [file: string, imported: string]>> = {
  "no-cycle": ["packages/protocol/src/ring-a.ts", "packages/protocol/src/ring-b.ts"],
  "nothing-imports-a-test": ["apps/client/src/store/x1.ts", "apps/client/src/store/y.test.ts"],
  "no-barrel-in-an-app": ["apps/client/src/store/x2.ts", "apps/client/src/store/index.ts"],
  "apps-are-apart": ["apps/client/src/sync/x3.ts", "apps/server/src/domain/y.ts"],
  "apps-are-apart-server": ["apps/server/src/domain/x4.ts", "apps/client/src/sync/y.ts"],
  "packages-know-no-app": ["packages/protocol/src/x5.ts", "apps/client/src/sync/y.ts"],
  "packages-are-pure": ["packages/protocol/src/x6.ts", "node:fs"],
  "packages-are-apart": ["packages/protocol/src/x7.ts", "packages/scrubber/src/y.ts"],
  "zod-only-in-the-wire": ["packages/protocol/src/x8.ts", "zod"],
  "wire-stays-on-its-subpath": ["packages/protocol/src/x9.ts", "packages/protocol/src/wire/y.ts"],
  "capture-is-pure": ["apps/client/src/capture/x10.ts", "apps/client/src/store/y.ts"],
  "capture-does-no-io": ["apps/client/src/capture/x11.ts", "node:fs"],
  "install-is-pure": ["apps/client/src/install/x30.ts", "node:fs"],
  "memory-sits-on-store-and-capture": [
    "apps/client/src/memory/x12.ts",
    "apps/client/src/sync/y.ts",
  ],
  "store-looks-down": ["apps/client/src/store/x13.ts", "apps/client/src/sync/y.ts"],
  "sync-sits-on-store": ["apps/client/src/sync/x14.ts", "apps/client/src/memory/y.ts"],
  "recall-sits-on-store": ["apps/client/src/recall/x15.ts", "apps/client/src/sync/y.ts"],
  "surfaces-are-apart": [
    "apps/client/src/surfaces/cli/x16.ts",
    "apps/client/src/surfaces/mcp/y.ts",
  ],
  "only-store-has-sql": ["apps/client/src/sync/x17.ts", "better-sqlite3"],
  "scrub-before-store": ["apps/client/src/sync/x18.ts", "packages/scrubber/src/scrubbed-text.ts"],
  "client-platform-is-injected": ["apps/client/src/sync/x19.ts", "apps/client/src/platform/y.ts"],
  "client-config-is-a-leaf": ["apps/client/src/config/x20.ts", "apps/client/src/sync/y.ts"],
  "client-platform-is-a-leaf": ["apps/client/src/platform/x21.ts", "apps/client/src/sync/y.ts"],
  "domain-knows-no-framework": ["apps/server/src/domain/x22.ts", "hono"],
  "domain-looks-down": ["apps/server/src/domain/x23.ts", "apps/server/src/http/y.ts"],
  "http-knows-no-database": ["apps/server/src/http/x24.ts", "apps/server/src/store/postgres/y.ts"],
  "server-store-looks-down": ["apps/server/src/store/x25.ts", "apps/server/src/domain/y.ts"],
  "only-the-door-opens-connections": ["apps/server/src/store/postgres/x28.ts", "postgres"],
  "only-the-store-has-the-door": [
    "apps/server/src/cli/x29.ts",
    "apps/server/src/store/postgres/door.ts",
  ],
  "server-platform-is-injected": ["apps/server/src/domain/x26.ts", "apps/server/src/platform/y.ts"],
  "server-platform-is-a-leaf": ["apps/server/src/platform/x27.ts", "apps/server/src/http/y.ts"],
};

interface Report {
  readonly summary: {
    readonly violations: readonly {
      readonly from: string;
      readonly rule: { readonly name: string };
    }[];
  };
}

let tree = "";
let violations: readonly string[] = [];

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), "tidemark-borders-"));
  for (const name of ["tsconfig.base.json", "tsconfig.tests.json"]) {
    cpSync(join(root, name), join(tree, name));
  }
  for (const [file, imported] of Object.values(planted)) plant(file, imported);
  plant("packages/protocol/src/ring-b.ts", "packages/protocol/src/ring-a.ts");
  plant("apps/client/src/sync/fine.ts", "apps/client/src/store/fine.ts");
  violations = cruise();
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

test("every import rule has a planted violation, and every planted one a rule", () => {
  const rules = config.forbidden.map((rule: { readonly name: string }) => rule.name);
  expect(Object.keys(planted).toSorted()).toEqual(rules.toSorted());
});

test.each(Object.entries(planted))("the rule %s bites", (rule, [file]) => {
  expect(violations).toContain(`${rule} ${file}`);
});

test("an import in the right direction is left alone", () => {
  expect(violations.filter((violation) => violation.endsWith("fine.ts"))).toEqual([]);
});

function plant(file: string, imported: string): void {
  const specifier = imported.includes("/src/") ? relative(file, imported) : imported;
  write(file, `import * as other from "${specifier}";\nexport const seen = other;\n`);
  if (imported.includes("/src/") && !imported.includes("ring-")) {
    write(imported, "export const there = 1;\n");
  }
}

function relative(from: string, to: string): string {
  return "../".repeat(dirname(from).split("/").length) + to;
}

function write(file: string, text: string): void {
  mkdirSync(join(tree, dirname(file)), { recursive: true });
  writeFileSync(join(tree, file), text);
}

function cruise(): readonly string[] {
  const program = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const rules = join(root, ".dependency-cruiser.mjs");
  const args = [program, "--config", rules, "--output-type", "json", "apps", "packages"];
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: tree,
    encoding: "utf8",
    maxBuffer: 32 * 1024 * 1024,
  });
  const report = JSON.parse(stdout) as Report;
  return report.summary.violations.map(({ from, rule }) => `${rule.name} ${from}`);
}
