import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { request } from "node:http";
import axe from "axe-core";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDevices, type TestDevice } from "./client-process.ts";
import { startDashboard } from "./dashboard-world.ts";
import { createBench, linksIn } from "./server-process.ts";

const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
const bench = createBench();
const devices = createDevices();
const device = devices.device("dashboard");
const hostile = `<img src=x onerror="document.title='owned'"> <script>alert(1)</script> A`;
const running: ChildProcess[] = [];
let browser: Browser | undefined;
let page: Page;
let link: URL;
const troubles: string[] = [];

beforeAll(async () => {
  await device.json("save", "--title", hostile, "--narrative", hostile, "--file", "a.ts");
  await device.json("save", "--title", "The queue drops nothing", "--kind", "decision");
  await makeConflict(device);
  await device.json("handoff", "--task", "Mend the queue", "--next", "Run the tests");
  const payload = { session_id: "s-1", cwd: device.folder, hook_event_name: "UserPromptSubmit" };
  await device.run(
    ["hook", "claude-code", "UserPromptSubmit"],
    JSON.stringify({ ...payload, prompt: "Why does the queue drop things?" }),
  );
  const started = await startDashboard(device.home, device.folder);
  running.push(started.child);
  ({ link } = started);
  if (chromiumPath === undefined) return;
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  page = await browser.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("request", (sent) => {
    if (new URL(sent.url()).host !== link.host && !sent.url().startsWith("data:")) {
      troubles.push(sent.url());
    }
  });
});

afterAll(async () => {
  await browser?.close();
  for (const child of running) child.kill("SIGKILL");
  await bench.clear();
  devices.clear();
});

test("[DA1] another host, and a foreign origin, get nothing", async () => {
  const at = (headers: Readonly<Record<string, string>>, method = "GET") =>
    ask("/memory", headers, method);
  expect((await at({ host: "evil.example" })).status).toBe(421);
  expect((await at({ host: `localhost:${link.port}` })).status).toBe(421);
  expect((await at({ host: link.hostname })).status).toBe(421);
  expect((await at({ origin: "http://evil.example" })).status).toBe(403);
  expect((await at({ origin: "null" }, "POST")).status).toBe(403);
  expect((await at({ "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect(await at({}, "POST")).toEqual({ status: 403, body: "" });
});

test("[DA2] without the cookie there is nothing to read, and a wrong token is refused", async () => {
  expect((await ask("/")).body).toContain("Open the link");
  for (const path of ["/memory", "/live", "/conflicts", "/sessions"]) {
    const answer = await ask(path);
    expect([path, answer.status]).toEqual([path, 401]);
    expect(answer.body).not.toContain("<nav");
  }
  const origin = { origin: link.origin, "content-type": "application/json" };
  const wrong = await ask("/enter", origin, "POST", JSON.stringify({ token: "no" }));
  expect(wrong.status).toBe(401);
});

const hasNoBrowser = chromiumPath === undefined;

test.skipIf(hasNoBrowser)(
  "[DA2] the link lets one browser in, once, and leaves the address bar",
  async () => {
    await page.goto(link.href);
    await page.waitForSelector("#captured");
    expect(page.url()).toBe(`${link.origin}/`);
    const token = link.hash.slice(1);
    const headers = { origin: link.origin, "content-type": "application/json" };
    expect((await ask("/enter", headers, "POST", JSON.stringify({ token }))).status).toBe(401);
  },
);

test.skipIf(hasNoBrowser)("[DA5] what is saved elsewhere appears on the open page", async () => {
  await device.json("save", "--title", "Saved while you look");
  await page.getByText("Saved while you look").waitFor({ timeout: 10_000 });
});

test.skipIf(hasNoBrowser)("[DA4] markup in a record is text, on every page", async () => {
  await page.goto(`${link.origin}/memory?q=onerror`);
  await page.getByText("<script>alert(1)</script>").first().click();
  await page.waitForSelector("h1");
  expect(await page.textContent("h1")).toBe(hostile);
  expect(await page.locator("main img, main script").count()).toBe(0);
  expect(await page.title()).toContain(hostile);
});

test.skipIf(hasNoBrowser)("[DA8] what a session was given is shown with its tokens", async () => {
  const payload = { session_id: "s-2", cwd: device.folder, source: "startup" };
  const started = await device.run(
    ["hook", "claude-code", "SessionStart"],
    JSON.stringify({ ...payload, hook_event_name: "SessionStart" }),
  );
  expect(started.stdout).toContain("The queue drops nothing");
  await page.goto(`${link.origin}/given`);
  const [told = ""] = await page.locator("section .meta").allTextContents();
  const [, spent = 0, budget = 0] = (/([\d,]+) tokens of ([\d,]+) tokens/u.exec(told) ?? []).map(
    (part) => Number(part.replace(",", "")),
  );
  expect([budget, spent > 100, spent <= budget]).toEqual([800, true, true]);
  await page.locator("summary").first().click();
  const items = await page.locator("section").first().locator("li .meta").allTextContents();
  const tokens = items.map((item) => Number(/([\d,]+) tokens/u.exec(item)?.[1]));
  expect(tokens.reduce((sum, each) => sum + each, 0)).toBe(spent);
  await page.getByText("The queue drops nothing").first().click();
  await page.waitForSelector("h1");
  expect(await page.textContent("h1")).toBe("The queue drops nothing");
});

test.skipIf(hasNoBrowser)("[DA9] the map is walked by keys alone, down to a file", async () => {
  await page.goto(`${link.origin}/map`);
  await page.locator("svg.map.wide a", { hasText: "a.ts" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Part of the map" }).waitFor();
  expect(page.url()).toContain("path=a.ts");
  await page.locator("svg.map.wide a", { hasText: "onerror" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/memory\//u);
  expect(await page.textContent("h1")).toBe(hostile);
});

const paths = ["/", "/memory", "/sessions", "/map", "/given", "/handoffs", "/conflicts"];
const looks = [360, 1_440, 2_560].flatMap((width) =>
  (["light", "dark"] as const).map((scheme) => [width, scheme] as const),
);

test.skipIf(hasNoBrowser).each(looks)("[DA7] every page at %d px, %s", async (width, scheme) => {
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme: scheme });
  const parts = [await firstOf("/memory"), await firstOf("/sessions"), "/map?path=a.ts", "/none"];
  for (const path of [...paths, ...parts]) {
    await page.goto(link.origin + path);
    for (const hidden of await page.locator("main summary").all()) await hidden.click();
    const place = ["observation", "session", "file", "missing"][parts.indexOf(path)];
    await shoot(`${place ?? (path.slice(1) || "now")}-${width}-${scheme}`);
    const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect([path, Number(over) <= 0]).toEqual([path, true]);
    // Its own process of a page: the policy of the page itself lets no foreign script in.
    const found = await page.evaluate(`${axe.source}; axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + " " + nodes.map(({ html }) => html).join(" ")))`);
    expect([path, found]).toEqual([path, []]);
  }
});

test.skipIf(hasNoBrowser)("[DA6] one click settles a conflict", async () => {
  await page.goto(`${link.origin}/conflicts`);
  await page.getByText("Keep this").last().click();
  await page.getByText("No conflicts.").waitFor();
  expect(await device.json("conflicts")).toEqual({ items: [], total: 0 });
});

test.skipIf(hasNoBrowser)(
  "[DA4, DA7] the browser had nothing to complain of, and asked nobody else",
  () => {
    // What is asked for and is not there is one of the pages.
    expect(troubles.filter((each) => !each.includes("404"))).toEqual([]);
  },
);

test("[DA3] Ctrl-C ends it while a page is open", async () => {
  const [child] = running;
  const ended = new Promise((resolve) => child?.once("close", resolve));
  child?.kill("SIGINT");
  await ended;
  expect(child?.exitCode).toBe(0);
});

/** Where the first line of a list leads. */
async function firstOf(list: string): Promise<string> {
  await page.goto(link.origin + list);
  return (await page.locator("main ul.rows a").first().getAttribute("href")) ?? "";
}

/** The look is for people: kept where `TIDEMARK_SHOTS` names a folder. */
async function shoot(name: string): Promise<void> {
  const folder = process.env["TIDEMARK_SHOTS"];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png` });
}

/** Two laptops of one person change one title, unaware of each other. */
async function makeConflict(one: TestDevice): Promise<void> {
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  const other = devices.device("other");
  await one.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "laptop-a", "--user", "ada");
  const { link: invitation } = await one.json<{ link: string }>("device", "add");
  await other.json("pair", invitation, "--name", "laptop-b");
  const { id } = await one.json<{ id: string }>("save", "--title", "first words");
  for (const each of [one, other]) await each.json("sync");
  await one.json("edit", id, "--set", "title=words of laptop a");
  await other.json("edit", id, "--set", "title=words of laptop b");
  for (const each of [one, other, one]) await each.json("sync");
}

function ask(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
  body = "",
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: link.hostname,
        port: link.port,
        path,
        method,
        headers: { host: link.host, ...headers },
      },
      (answer) => {
        let text = "";
        answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
        answer.on("end", () => {
          resolve({ status: answer.statusCode ?? 0, body: text });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
