import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NamespaceId, RecordId } from "../../packages/protocol/src/index.ts";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  scrubbed,
  testOptions,
  testStore,
} from "../../apps/client/src/store/testing/test-store.ts";
import { clientProgram } from "./client-process.ts";

const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
const count = 20_000;
const paintMsMax = 300;
const opens = 8;
let home = "";
let child: ChildProcess | undefined;
let browser: Browser | undefined;
let page: Page;
let origin = "";

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  home = join(await mkdtemp(join(tmpdir(), "tidemark-map-")), "home");
  mkdirSync(home, { mode: 0o700 });
  fill(join(home, "tidemark.db"));
  const link = await startDashboard();
  ({ origin } = link);
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  page = await browser.newPage();
  await page.goto(link.href);
  await page.waitForSelector("#captured");
}, 180_000);

afterAll(async () => {
  await browser?.close();
  child?.kill("SIGKILL");
  rmSync(join(home, ".."), { recursive: true, force: true });
});

// The best of several: whatever else runs on the machine can only add to it.
test.skipIf(chromiumPath === undefined)(
  "[DA9] 20,000 observations are painted within 300 ms, and each part of them",
  async () => {
    const painted: Record<string, number> = {};
    for (const path of ["/map", "/map?path=src", "/map?kind=decision&period=2026-03"]) {
      const times: number[] = [];
      for (let open = 0; open < opens; open += 1) {
        await page.goto(origin + path);
        times.push(Number(await page.evaluate(firstPaint)));
      }
      painted[path] = Math.min(...times);
    }
    for (const [path, ms] of Object.entries(painted)) {
      expect([path, ms < paintMsMax]).toEqual([path, true]);
    }
    await page.goto(`${origin}/map`);
    expect(await page.textContent("main")).toContain("20,000 observations, 500 sessions");
  },
);

const firstPaint = `new Promise((resolve) => {
  const look = () => {
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    if (paint) resolve(paint.startTime); else setTimeout(look, 5);
  };
  look();
})`;

function fill(path: string): void {
  const store = testStore({ ...testOptions(), path });
  const start = Date.UTC(2026, 0, 1);
  for (let batch = 0; batch < count; batch += 500) {
    store.transact(() => {
      for (let n = batch; n < batch + 500; n += 1) save(n);
    });
  }
  store.close();

  function save(n: number): void {
    const draw = createHash("sha256").update(String(n)).digest();
    const at = (place: number, options: readonly string[]): string =>
      options[(draw[place] ?? 0) % options.length] ?? "";
    const file = (place: number): string =>
      `${at(place, ["src/api", "src/store", "src/web/pages", "test", "docs"])}/${at(place + 1, ["one", "two", "three"])}/file-${draw[place + 2]}.ts`;
    const fields = {
      title: `What number ${n} found`,
      narrative: "A sentence of some length that says what was found there. ".repeat(10),
      kind: at(0, ["decision", "change", "failure", "note"]),
      project: "git:example.com/ada/harbour",
      session: `session-${Math.floor(n / 40)}`,
      filesModified: [file(1), file(4)],
      filesRead: n % 3 === 0 ? ["README.md"] : [],
    };
    const id = draw.toString("hex").slice(0, 26) as RecordId;
    const put = { kind: "put", id, collection: "observation", fields: scrubbed(fields) } as const;
    const made = store.changes.change("personal" as NamespaceId, [put], start + n * 1_200_000);
    if (!made.ok) throw new Error(made.error.kind);
  }
}

async function startDashboard(): Promise<URL> {
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: "/nonexistent", TIDEMARK_HOME: home, TIDEMARK_KEYCHAIN: "off" };
  const started = spawn(process.execPath, [clientProgram, "dashboard"], { cwd: home, env });
  child = started;
  return await new Promise((resolve, reject) => {
    started.once("close", () => {
      reject(new Error("the dashboard ended before it said where it is"));
    });
    started.stdout.once("data", (chunk: Buffer) => {
      resolve(new URL(chunk.toString().trim()));
    });
  });
}
