import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDevices } from "./client-process.ts";

const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
const hasNoBrowser = chromiumPath === undefined;
const devices = createDevices();
const device = devices.device("export");
const hostile = `</style><img src="http://127.0.0.1:9/x" onerror="document.title='owned'"><script>document.title='owned'</script><meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">`;
const file = join(device.folder, "session.html");
const troubles: string[] = [];
let session = "";
let browser: Browser | undefined;
let page: Page;

beforeAll(async () => {
  await tell("UserPromptSubmit", { prompt: `Mend the queue ${hostile}` });
  await tell("PostToolUse", {
    tool_name: "Bash",
    tool_input: { command: 'git commit -m "queue: keep what the server refuses"' },
    tool_response: { stdout: "[main 1a2b3c4] queue: keep what the server refuses", stderr: "" },
  });
  await tell("Stop", { last_assistant_message: "Done." });
  await tell("SessionEnd", { reason: "exit" });
  const { items } = await device.json<{ items: { session: string }[] }>("list");
  session = items[0]?.session ?? "";
  if (hasNoBrowser) return;
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  page = await browser.newPage();
  page.on("console", (message) => troubles.push(`${message.type()} ${message.text()}`));
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("request", (sent) => {
    if (sent.url() !== pathToFileURL(file).href) troubles.push(sent.url());
  });
});

afterAll(async () => {
  await browser?.close();
  devices.clear();
});

test("[TM4] a session is written into one private file, and never over another", async () => {
  const written = await device.json<{ session: string; observations: number; events: number }>(
    "session",
    "export",
    session.slice(0, 8),
    "--html",
    file,
  );
  expect(written).toMatchObject({ session, file });
  expect([written.observations > 0, written.events]).toEqual([true, 4]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const before = readFileSync(file, "utf8");
  expect(before).toContain("queue: keep what the server refuses");
  const again = await device.error("session", "export", session, "--html", file);
  expect(again).toMatchObject({ exit: 1, code: "exists" });
  expect(readFileSync(file, "utf8")).toBe(before);
});

test("[TM4] what is missing is said, and nothing is written", async () => {
  const other = join(device.folder, "other.html");
  const unknown = await device.error("session", "export", "nonesuch", "--html", other);
  expect(unknown.exit).toBe(1);
  expect(await device.error("session", "export", session)).toMatchObject({ exit: 2 });
  expect(existsSync(other)).toBe(false);
});

test.skipIf(hasNoBrowser)("[TM4] a browser asks nobody for it and runs nothing in it", async () => {
  for (const [width, colorScheme] of [
    [360, "dark"],
    [2_560, "light"],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.goto(pathToFileURL(file).href);
    for (const hidden of await page.locator("summary").all()) await hidden.click();
    const text = (await page.textContent("main")) ?? "";
    expect(text).toContain("document.title='owned'");
    expect(await page.title()).not.toBe("owned");
    expect(await page.locator("img, script, main meta, main style").count()).toBe(0);
    // The style is let in by its hash: without it the page would be as wide as its window.
    expect(await page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth")).toBe(
      "800px",
    );
    const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect(Number(over)).toBeLessThanOrEqual(0);
    const found = await page.evaluate(`${axe.source}; axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id))`);
    expect(found).toEqual([]);
    const folder = process.env["TIDEMARK_SHOTS"];
    if (folder !== undefined) {
      await page.screenshot({ path: join(folder, `export-${width}-${colorScheme}.png`) });
    }
  }
  expect(troubles).toEqual([]);
});

async function tell(event: string, payload: object): Promise<void> {
  const all = { session_id: "s-1", cwd: device.folder, hook_event_name: event, ...payload };
  const ended = await device.run(["hook", "claude-code", event], JSON.stringify(all));
  if (ended.code !== 0) throw new Error(ended.stderr);
}

test("[ST29] a session that was forgotten is written into no file, and told to no next session", async () => {
  const gone = join(device.folder, "gone.html");
  await device.json("forget", session, "--yes");
  const refused = await device.error("session", "export", session, "--html", gone);
  expect(refused).toMatchObject({ exit: 1, code: "forgotten" });
  expect(existsSync(gone)).toBe(false);
  expect(await device.error("handoff")).toMatchObject({ exit: 1, code: "no-task" });
});
