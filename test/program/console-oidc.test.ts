import { existsSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import axe from "axe-core";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  startTestProvider,
  type TestProvider,
} from "../../apps/server/src/auth/testing/test-provider.ts";
import {
  claimServer,
  type Server,
  type TestClient,
} from "../../apps/server/src/http/testing/client.ts";
import { consoleLink } from "./console-world.ts";
import { createBench, linksIn, serverAt, type Bench } from "./server-process.ts";

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path),
);
const looks = [
  { name: "narrow-light", width: 360, height: 780, colorScheme: "light" },
  { name: "narrow-dark", width: 360, height: 780, colorScheme: "dark" },
  { name: "wide-light", width: 1280, height: 800, colorScheme: "light" },
  { name: "wide-dark", width: 1280, height: 800, colorScheme: "dark" },
] as const;
/** A folder for pictures of each page, for who wants to look. */
const pictures = process.env["TIDEMARK_LOOK_AT"];

let bench: Bench;
let provider: TestProvider;
let browser: Browser | undefined;
let server: Server;
let owner: TestClient;

/** A port that nobody listens on: the provider has to know the server's address before it starts. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, "127.0.0.1", resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => {
    probe.close(resolve);
  });
  return port;
}

beforeAll(async () => {
  bench = createBench();
  const port = await freePort();
  provider = await startTestProvider([`http://127.0.0.1:${port}/console/oidc/callback`]);
  const { issuer, clientId, clientSecret = "", label } = provider.settings;
  const oidc = ["--oidc-issuer", issuer, "--oidc-client-id", clientId, "--oidc-label", label];
  const running = await bench.serve({
    args: ["--port", String(port), "--data-dir", bench.folder(), ...oidc].concat([
      "--oidc-client-secret",
      clientSecret,
    ]),
  });
  while (linksIn(running.stdout()).length === 0) await sleep(20);
  server = serverAt(running.url, linksIn(running.stdout())[0]);
  owner = await claimServer(server, "Ada");
  if (program === undefined) return;
  browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
});
afterAll(async () => {
  await browser?.close();
  await bench.clear();
  await provider.close();
});

async function authenticate(page: Page, login: string): Promise<void> {
  await page.locator('[name="login"]').fill(login);
  await page.locator('[name="password"]').fill("any");
  await page.locator('[type="submit"]').click();
  await page.locator('[type="submit"]').click();
}

/** Looks at a page in each size and light: it fits, and has no serious finding. */
async function look(page: Page, name: string): Promise<void> {
  for (const { name: as, width, height, colorScheme } of looks) {
    await page.setViewportSize({ width, height });
    // Without motion: colours on their way from one theme to the other have any contrast.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    if (pictures !== undefined) {
      await page.screenshot({ path: `${pictures}/${name}-${as}.png`, fullPage: true });
    }
    const wide: unknown = await page.evaluate(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    expect([name, as, wide]).toEqual([name, as, 0]);
    const found: unknown = await page.evaluate(`${axe.source}; axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    }).then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target).join(", ")))`);
    expect([name, as, found]).toEqual([name, as, []]);
  }
}

test("[CO10] [CO11] [CO9] in a browser: an account is connected, signs in, and is disconnected", async () => {
  if (browser === undefined) {
    process.stderr.write("skipped: Chromium is not installed\n");
    return;
  }
  const complaints: string[] = [];
  const opened = async (): Promise<Page> => {
    const page = await (await browser?.newContext())?.newPage();
    if (page === undefined) throw new Error("no page");
    page.on("console", (message) => {
      // Whatever the provider's own pages load is theirs.
      const isOurs = message.location().url.startsWith(server.url);
      if (isOurs && message.type() === "error") complaints.push(message.text());
    });
    return page;
  };
  const page = await opened();
  await page.goto(await consoleLink(server, owner));
  await page.waitForURL("**/console");
  await page.goto(`${server.url}/console/devices`);
  await look(page, "devices-before");
  await page.getByRole("button", { name: "Connect Acme" }).click();
  await authenticate(page, "sub-ada");
  await page.waitForURL("**/console/devices?done=connected");
  await page.getByText("Connected. You can sign in by it").waitFor();
  await look(page, "devices-connected");

  const elsewhere = await opened();
  await elsewhere.goto(`${server.url}/console/enter`);
  await look(elsewhere, "door");
  await elsewhere.getByRole("button", { name: "Sign in by Acme" }).click();
  await authenticate(elsewhere, "sub-ada");
  await elsewhere.waitForURL("**/console");
  expect(await elsewhere.locator(".who").textContent()).toContain("Ada");

  await page.getByText("Disconnect", { exact: true }).click();
  await page.getByRole("button", { name: "Disconnect Acme" }).click();
  await page.waitForURL("**/console/devices?done=disconnected");
  await elsewhere.reload();
  await elsewhere.waitForURL("**/console/enter");
  expect(complaints).toEqual([]);

  const stranger = await opened();
  await stranger.goto(`${server.url}/console/enter`);
  await stranger.getByRole("button", { name: "Sign in by Acme" }).click();
  await authenticate(stranger, "sub-nobody");
  await stranger.getByText("connected to nobody").waitFor();
  await look(stranger, "nobody");
});
