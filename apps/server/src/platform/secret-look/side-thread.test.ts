import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build, type BuildOptions } from "esbuild";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { isDone, lookBytes, shareLook, type SharedLook } from "./line-look.ts";
import { createSecretCheck } from "./secret-check.ts";
import { createSideThread } from "./side-thread.ts";

let folder = "";
const token = ["ghp", "Q7hX2mVd9Lr4TnB6yKcW8sJf3GzP5u0aEeRt"].join("_");
const lines = Array.from({ length: 400 }, (_, place) =>
  JSON.stringify({ title: place % 200 === 150 ? `uses ${token}` : `a word of ${String(place)}` }),
);

const built = (): URL => pathToFileURL(join(folder, "secret-look.mjs"));

function sharedLines(): SharedLook {
  return shareLook(lines, new SharedArrayBuffer(lookBytes(lines)));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-side-thread-"));
  await bundle("secret-look.mjs", { entryPoints: [join(import.meta.dirname, "worker.ts")] });
});

async function bundle(name: string, source: BuildOptions): Promise<void> {
  await build({
    ...source,
    outfile: join(folder, name),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["source"],
    logLevel: "warning",
  });
}

afterAll(() => {
  rmSync(folder, { recursive: true });
});

// First, so that no other thread's timer counts.
test("[SC60] a thread that was idle for a minute ends, and comes back for the next push", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const side = createSideThread(built);
    for (let push = 0; push < 3; push += 1) {
      const look = sharedLines();
      await side.join(look);
      expect(isDone(look)).toBe(true);
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersByTime(push === 0 ? 59_000 : 60_000);
      expect(vi.getTimerCount()).toBe(push === 0 ? 1 : 0);
    }
  } finally {
    vi.useRealTimers();
  }
});

test("[SC60] a thread looks through what nobody else takes, and marks what it finds", async () => {
  const look = sharedLines();
  await createSideThread(built).join(look);
  expect(isDone(look)).toBe(true);
  expect([...lines.keys()].filter((place) => look.marks[place] === 1)).toEqual([150, 350]);
});

test("[SC60] two threads find what one finds, push after push", async () => {
  const side = createSideThread(built);
  const check = createSecretCheck(side);
  const looks = Array.from({ length: 5 }, () => check.look(lines));
  for (const look of looks) expect(await look.end()).toEqual(new Set([150, 350]));
});

test("[SC60] a program that has nothing more to do ends, and its thread with it", async () => {
  const contents = `
    import { isDone, lookBytes, shareLook } from "./line-look.ts";
    import { createSideThread } from "./side-thread.ts";
    const lines = ["{}", "{}"];
    const look = shareLook(lines, new SharedArrayBuffer(lookBytes(lines)));
    const held = setTimeout(() => undefined, 60_000);
    await createSideThread(() => new URL("secret-look.mjs", import.meta.url)).join(look);
    clearTimeout(held);
    console.log(isDone(look));`;
  await bundle("main.mjs", { stdin: { contents, resolveDir: import.meta.dirname } });
  const run = promisify(execFile)(process.execPath, [join(folder, "main.mjs")], {
    timeout: 20_000,
  });
  await expect(run).resolves.toMatchObject({ stdout: "true\n" });
});

test("[SC60] a thread that cannot begin is done without", async () => {
  const side = createSideThread(() => new URL("https://tidemark.example/secret-look.js"));
  expect(await createSecretCheck(side).look(lines).end()).toEqual(new Set([150, 350]));
});

test("[SC60] a thread that fails leaves all to the one that serves, for good", async () => {
  const broken = join(folder, "broken.mjs");
  writeFileSync(broken, "throw new Error('no memory');");
  const side = createSideThread(() => pathToFileURL(broken));
  const check = createSecretCheck(side);
  expect(await check.look(lines).end()).toEqual(new Set([150, 350]));
  const look = sharedLines();
  await side.join(look);
  await side.join(look);
  expect(isDone(look)).toBe(false);
});

test("[OPS110] a program that fits no more is not started, is told once, and all is looked through", async () => {
  let asked = 0;
  let told = 0;
  const side = createSideThread(
    () => ((asked += 1), undefined),
    () => (told += 1),
  );
  const check = createSecretCheck(side);
  for (let push = 0; push < 3; push += 1) {
    expect(await check.look(lines).end()).toEqual(new Set([150, 350]));
  }
  expect([asked, told]).toEqual([1, 1]);
});

test("[OPS110] what lies there is looked at anew at each start: it may be another one by then", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    let told = 0;
    const programs: (URL | undefined)[] = [built(), undefined];
    const side = createSideThread(
      () => programs.shift(),
      () => (told += 1),
    );
    const first = sharedLines();
    await side.join(first);
    expect([isDone(first), told]).toEqual([true, 0]);
    vi.advanceTimersByTime(60_000);
    const second = sharedLines();
    await side.join(second);
    expect([isDone(second), told]).toEqual([false, 1]);
  } finally {
    vi.useRealTimers();
  }
});
