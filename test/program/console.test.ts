import { existsSync, mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { showCode, pollAnswer, pollCode } from "../../apps/server/src/http/testing/pairing.ts";
import { joinServer, type Server } from "../../apps/server/src/http/testing/client.ts";
import {
  consoleLink,
  createConsoleWorld,
  hostileTitle,
  type ConsoleWorld,
} from "./console-world.ts";
import { createBench, linksIn, serverAt, type Bench } from "./server-process.ts";

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path),
);
/** Where pictures go that the documentation shows; only when they are asked for. */
const pictures =
  process.env["TIDEMARK_PICTURES"] === "1"
    ? fileURLToPath(new URL("../../docs/images/", import.meta.url))
    : undefined;

const looks = [
  { name: "narrow-light", width: 360, height: 780, colorScheme: "light" },
  { name: "narrow-dark", width: 360, height: 780, colorScheme: "dark" },
  { name: "wide-light", width: 2560, height: 1440, colorScheme: "light" },
  { name: "wide-dark", width: 2560, height: 1440, colorScheme: "dark" },
] as const;

let bench: Bench;
let browser: Browser | undefined;
let server: Server;
let world: ConsoleWorld;
/** What pages complained of. */
const complaints: string[] = [];

beforeAll(async () => {
  bench = createBench();
  const running = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  while (linksIn(running.stdout()).length === 0) await sleep(20);
  server = serverAt(running.url, linksIn(running.stdout())[0]);
  world = await createConsoleWorld(server);
  if (program === undefined) return;
  browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
});
afterAll(async () => {
  await browser?.close();
  await bench.clear();
});

/** Every page that somebody reads. */
function pages(): Readonly<Record<string, string>> {
  const { team, disputed } = world;
  return {
    overview: "/console",
    memory: `/console/memory?namespace=${team}`,
    search: `/console/memory?namespace=${team}&q=transaction`,
    observation: `/console/memory/${team}/${disputed}`,
    hostile: `/console/memory/${team}/obs_hostile`,
    conflicts: "/console/conflicts",
    namespaces: "/console/namespaces",
    namespace: `/console/namespaces/${team}`,
    devices: "/console/devices",
    pairing: "/console/pairing",
    activity: "/console/activity",
    audit: "/console/audit",
    server: "/console/server",
    missing: "/console/memory/nowhere/nothing",
  };
}

/** A page of somebody who has opened a link; undefined where no browser is installed. */
async function signedIn(
  look: Partial<(typeof looks)[number]> = {},
  client = world.owner,
): Promise<Page | undefined> {
  if (browser === undefined) {
    process.stderr.write("skipped: Chromium is not installed\n");
    return undefined;
  }
  const { width = 1280, height = 800, colorScheme = "light" } = look;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(await consoleLink(server, client));
  await page.waitForURL("**/console");
  return page;
}

/** Serious findings of an accessibility audit. */
async function findings(page: Page): Promise<readonly string[]> {
  // By the debugger: the page's own policy lets no script of others in, and must not.
  const found: unknown = await page.evaluate(`${axe.source}; axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
  }).then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target).join(", ")))`);
  return found as readonly string[];
}

for (const look of looks) {
  test(`[CO9] every page fits, is accessible and complains of nothing: ${look.name}`, async () => {
    const page = await signedIn(look);
    if (page === undefined) return;
    complaints.length = 0;
    for (const [name, path] of Object.entries(pages())) {
      const answer = await page.goto(server.url + path);
      expect([name, answer?.status()]).toEqual([name, name === "missing" ? 404 : 200]);
      const tooWide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([name, tooWide]).toEqual([name, 0]);
      expect([name, await findings(page)]).toEqual([name, []]);
      if (pictures !== undefined && !["hostile", "missing"].includes(name)) {
        mkdirSync(pictures, { recursive: true });
        const path = `${pictures}console-${name}-${look.name}.png`;
        await page.screenshot({ path, scale: "css" });
      }
    }
    expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
    await page.context().close();
  });
}

test("[CO7] a hostile title is text on every page, and runs nothing", async () => {
  const page = await signedIn();
  if (page === undefined) return;
  await page.goto(`${server.url}/console/memory/${world.team}/obs_hostile`);
  expect(await page.locator("h1").textContent()).toBe(hostileTitle);
  await page.goto(`${server.url}/console/memory?namespace=${world.team}`);
  expect(await page.locator("main img, main script").count()).toBe(0);
  expect(await page.title()).toBe("Memory · Tidemark");
});

test("[CO9] keys go to places, to the search and through entries, and the theme is kept", async () => {
  const page = await signedIn();
  if (page === undefined) return;
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await page.waitForURL("**/console/devices");
  await page.keyboard.press("?");
  expect(await page.locator("dialog.keys").isVisible()).toBe(true);
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.waitForURL("**/console/memory?focus=search");
  // A page has its focus with its first picture, which may come after it is loaded.
  await page.locator("input[name=q]:focus").waitFor();
  await page.keyboard.type("shed");
  await page.keyboard.press("Enter");
  await page.waitForURL("**q=shed*");
  expect(await page.locator("[data-entry]").count()).toBe(1);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/own_0");
  await page.locator("[data-theme-switch]").click();
  await page.reload();
  expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
});

test("[CO1] a link that was used, or is over, opens nothing, and leaves no secret in the address", async () => {
  const page = await signedIn();
  if (page === undefined) return;
  const link = await consoleLink(server, world.owner);
  await page.goto(link);
  await page.waitForURL("**/console");
  await page.goto(link);
  await page.locator("[data-enter-state]", { hasText: "has been used" }).waitFor();
  expect(page.url()).toBe(`${server.url}/console/enter`);
});

test("[CO5] a device is let in, renamed and shut out by a browser", async () => {
  const page = await signedIn();
  if (page === undefined) return;
  const shown = await showCode(server, "new thinkpad");
  await page.goto(`${server.url}/console/pairing`);
  await page
    .getByLabel("The first two groups")
    .fill(`${shown.code.slice(0, 4)}-${shown.code.slice(4)}-7KQ2XN`);
  await page.getByRole("button", { name: "Look it up" }).click();
  expect(await page.locator("main").textContent()).toContain("new thinkpad");
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "No, send it away" }).click();
  expect(await page.locator("[role=status]").textContent()).toContain("gets nothing");
  expect(await pollAnswer(await pollCode(server, shown))).toMatchObject({ status: "denied" });

  const phone = await joinServer(server, await world.owner.createLink({ kind: "device" }), "phone");
  await page.goto(`${server.url}/console/devices`);
  const row = page.locator("tr", { hasText: "phone" });
  await row.getByText("Rename", { exact: true }).first().click();
  await row.getByRole("textbox").fill("old phone");
  await row.getByRole("button", { name: "Rename" }).click();
  const renamed = page.locator("tr", { hasText: "old phone" });
  await renamed.getByText("Shut out", { exact: true }).click();
  await renamed.getByRole("button", { name: "Shut out old phone" }).click();
  expect(await page.locator("[role=status]").textContent()).toContain("shut out");
  expect((await phone.send("/v1/hello")).status).toBe(401);
});

test("[CO4] a namespace is made, a role is changed and a member removed by a browser", async () => {
  const page = await signedIn();
  if (page === undefined) return;
  await page.goto(`${server.url}/console/namespaces`);
  await page.getByRole("textbox", { name: "Name" }).fill("lighthouse");
  await page.getByRole("button", { name: "Make it" }).click();
  expect(await page.locator("h1").textContent()).toBe("lighthouse");
  const invite = await world.owner.createLink({
    kind: "invite",
    namespace: world.team,
    role: "reader",
  });
  await joinServer(server, invite, "Eve");
  await page.goto(`${server.url}/console/namespaces/${world.team}`);
  const row = page.locator("tr", { hasText: "Eve" });
  await row.getByRole("combobox").selectOption("writer");
  await row.getByRole("button", { name: "Change" }).click();
  expect(await page.locator("[role=status]").textContent()).toContain("role is changed");
  await row.getByText("Remove", { exact: true }).click();
  await row.getByRole("button", { name: "Remove Eve" }).click();
  expect(await page.locator("tr", { hasText: "Eve" }).count()).toBe(0);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/console/enter");
});
