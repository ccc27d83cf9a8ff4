import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StoreFailure } from "../../store/store-error.ts";
import { seededRandom, testSha256 } from "../../store/testing/test-store.ts";
import { at, disagreeing, title } from "../../store/testing/world.ts";
import type { Store } from "../../store/store.ts";
import { openDeviceHome } from "../../wiring/home.ts";
import { createDashboard } from "./app.ts";
import { createDoor } from "./door.ts";

const address = "127.0.0.1:4711";
const origin = `http://${address}`;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-dashboard-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function set(text: string): void {
  writeFileSync(join(folder, "config.json"), text, { mode: 0o600 });
}

/** The dashboard of a home as it is, over a store; `ask` is the browser that was let in. */
async function visited(store: Store) {
  const clock = { nowMs: () => at };
  const home = openDeviceHome({ TIDEMARK_HOME: folder }, folder);
  const door = createDoor({ random: seededRandom("door"), clock, sha256: testSha256 });
  // Settings are read when something is first scrubbed.
  expect(home.scrub.text("moonshot")).toBe("moonshot");
  const app = createDashboard({
    memory: { store, clock, scrub: home.scrub },
    home,
    door,
    address,
    seen: () => undefined,
    signal: new AbortController().signal,
  } as never);
  const cookie = `tidemark-4711=${door.enter(door.token) ?? ""}`;
  return async (path: string, form?: Readonly<Record<string, string>>) => {
    const request = form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) };
    const headers = { host: address, origin, cookie };
    const answer = await app.request(`${origin}${path}`, { headers, ...request });
    return { status: answer.status, text: await answer.text() };
  };
}

test("[DA22] what is kept of a conflict is scrubbed by settings that changed since the start", async () => {
  const { a: store } = disagreeing("the moonshot is late", "the moonshot is here");
  const [conflict] = store.reads.conflicts();
  const ask = await visited(store);
  const settle = async () => await ask(`/conflicts/${conflict?.id ?? ""}`, { keep: "losing" });
  set("{");
  const broken = await settle();
  expect(broken.status).toBe(503);
  expect(broken.text).toContain("config.json cannot be read");
  expect(store.reads.conflicts()).toHaveLength(1);
  set(JSON.stringify({ scrub: { literals: ["moonshot"] } }));
  expect(await settle()).toMatchObject({ status: 303 });
  expect(title(store)).toMatch(/^the __SECRET_\w+ is (?:late|here)$/u);
  expect(store.reads.conflicts()).toEqual([]);
});

test("[DA22] an embedder that was taken out of the settings is given no word of a search", async () => {
  const ran = join(folder, "ran");
  const script = join(folder, "embed.mjs");
  writeFileSync(
    script,
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(ran)}, ""); console.log("[1,2]");`,
  );
  set(JSON.stringify({ embedder: `'${process.execPath}' '${script}'` }));
  const ask = await visited(disagreeing("theirs", "ours").a);
  set("{}");
  expect((await ask("/memory?q=theirs")).status).toBe(200);
  expect(existsSync(ran)).toBe(false);
});

test("[DA23] what keeps a page from being made is told in words, with what to do", async () => {
  const { a: store } = disagreeing("theirs", "ours");
  const busy = (): never => {
    throw new StoreFailure({ kind: "busy", message: "it is in use", hint: "try <again>" });
  };
  const bug = (): never => {
    throw new TypeError("reading x of undefined");
  };
  const asked = async (list: () => never) =>
    await (
      await visited({ ...store, reads: { ...store.reads, list } })
    )("/memory");
  const told = await asked(busy);
  expect(told.status).toBe(503);
  expect(told.text).toContain("it is in use");
  expect(told.text).toContain("try &lt;again&gt;");
  const fault = await asked(bug);
  expect(fault.status).toBe(500);
  expect(fault.text).toContain("tidemark doctor");
  expect(fault.text).not.toContain("reading x");
  const ask = await visited(store);
  expect((await ask("/conflicts/x", { keep: "x".repeat(5_000) })).status).toBe(413);
});
