import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillMemory, startDashboard } from "./dashboard-world.ts";

/** Where pictures go that the documentation shows; only when they are asked for. */
const pictures =
  process.env["TIDEMARK_PICTURES"] === "1"
    ? fileURLToPath(new URL("../../docs/images/", import.meta.url))
    : undefined;
const shown: ReadonlySet<string> = new Set([
  "now",
  "memory",
  "session",
  "map",
  "map-part",
  "given",
]);
const looks = [
  { name: "narrow-light", width: 360, height: 780, colorScheme: "light" },
  { name: "narrow-dark", width: 360, height: 780, colorScheme: "dark" },
  { name: "wide-light", width: 2560, height: 1440, colorScheme: "light" },
  { name: "wide-dark", width: 2560, height: 1440, colorScheme: "dark" },
] as const;

const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
const hasNoBrowser = chromiumPath === undefined;
const root = mkdtempSync(join(tmpdir(), "tidemark-map-"));
const count = 20_000;
const paintMsMax = 300;
const opens = 8;
let child: ChildProcess | undefined;
let browser: Browser | undefined;
let page: Page;
let origin = "";

beforeAll(async () => {
  if (hasNoBrowser) return;
  const home = join(root, "home");
  mkdirSync(home, { mode: 0o700 });
  fillMemory(join(home, "tidemark.db"), count);
  const started = await startDashboard(home, root);
  ({ child } = started);
  ({ origin } = started.link);
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  page = await browser.newPage();
  await page.goto(started.link.href);
  await page.waitForSelector("#captured");
}, 180_000);

afterAll(async () => {
  await browser?.close();
  child?.kill("SIGKILL");
  rmSync(root, { recursive: true, force: true });
});

// The best of several: whatever else runs on the machine can only add to it.
test.skipIf(hasNoBrowser)(
  "[DA9] 20,000 observations are painted within 300 ms, and each part of them",
  async () => {
    const painted: Record<string, number> = {};
    for (const path of ["/map", "/map?path=src", "/map?kind=decision"]) {
      const times: number[] = [];
      for (let open = 0; open < opens; open += 1) {
        await page.goto(origin + path);
        times.push(Number(await page.evaluate(firstPaint)));
      }
      painted[path] = Math.min(...times);
    }
    for (const [path, ms] of Object.entries(painted)) {
      expect([path, ms < paintMsMax, ms]).toEqual([path, true, ms]);
    }
    await page.goto(`${origin}/map`);
    expect(await page.textContent("main")).toContain("20,000 observations, 500 sessions");
  },
);

test.skipIf(hasNoBrowser)("[DA7, DA9] a memory of that size fits every screen", async () => {
  const first = async (list: string): Promise<string> => {
    await page.goto(origin + list);
    return (await page.locator("main ul.rows a").first().getAttribute("href")) ?? "";
  };
  const [observation, session] = [await first("/memory"), await first("/sessions")];
  await page.goto(`${origin}/map?path=src%2Fsync%2Fcursor&kind=decision`);
  const months = page.locator("svg.map.wide .column").first().locator("a");
  await page.goto(origin + ((await months.nth(3).getAttribute("href")) ?? ""));
  // Few enough to stand by themselves.
  const part =
    (await page.locator("svg.map.wide .column").last().locator("a").first().getAttribute("href")) ??
    "";
  const places = {
    now: "/",
    memory: "/memory",
    observation,
    sessions: "/sessions",
    session,
    map: "/map",
    "map-folder": "/map?path=src%2Fsync",
    "map-part": part,
    given: "/given",
  };
  for (const look of looks) {
    await page.setViewportSize(look);
    await page.emulateMedia({ colorScheme: look.colorScheme });
    for (const [name, path] of Object.entries(places)) {
      await page.goto(origin + path);
      if (name === "now") await page.getByText("live").waitFor();
      if (name === "given") await page.locator("summary").first().click();
      const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([path, Number(over) <= 0]).toEqual([path, true]);
      if (pictures === undefined || !shown.has(name)) continue;
      await page.evaluate("scrollTo(0, 0)");
      await page.screenshot({ path: `${pictures}dashboard-${name}-${look.name}.png` });
    }
  }
});

const firstPaint = `new Promise((resolve) => {
  const look = () => {
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    if (paint) resolve(paint.startTime); else setTimeout(look, 5);
  };
  look();
})`;
