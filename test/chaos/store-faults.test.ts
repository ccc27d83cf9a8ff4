import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../apps/client/src/store/sqlite.ts";
import { clientProgram } from "../program/client-process.ts";
import { createChaosDevice, type ChaosDevice, type DeviceEnded } from "./device-process.ts";
import { mountSmallDisk, type SmallDisk } from "./mounted-disk.ts";

/** The user `nobody` where the tests run as root, whom no file mode binds. */
const nobody = process.getuid?.() === 0 ? 65_534 : undefined;

let root: string;
let disk: SmallDisk | undefined;
const devices: ChaosDevice[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tidemark-chaos-"));
});

afterEach(async () => {
  for (const device of devices.splice(0)) await device.close();
  disk?.unmount();
  disk = undefined;
  rmSync(root, { recursive: true, force: true });
});

function device(place: { readonly home?: string; readonly uid?: number } = {}): ChaosDevice {
  const made = createChaosDevice({ root, name: "laptop", ...place });
  devices.push(made);
  return made;
}

async function titles(on: ChaosDevice): Promise<readonly string[]> {
  const { items } = await on.json<{ readonly items: readonly { readonly title: string }[] }>(
    "list",
    "--all",
  );
  return items.map(({ title }) => title).toSorted();
}

/** What a person tells an agent to remember. */
async function hook(on: ChaosDevice, title: string): Promise<DeviceEnded> {
  const payload = {
    session_id: `session of ${title}`,
    cwd: on.folder,
    hook_event_name: "UserPromptSubmit",
    prompt: `Remember that ${title}`,
  };
  return await on.run(["hook", "claude-code", "UserPromptSubmit"], JSON.stringify(payload));
}

async function checks(on: ChaosDevice): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await on.run(["doctor", "--json"]);
  const { checks: all } = JSON.parse(stdout) as {
    readonly checks: readonly { readonly name: string; readonly status: string }[];
  };
  return Object.fromEntries(all.map(({ name, status }) => [name, status]));
}

test("[CX4] another process locks the database: hooks spool, a save says so, and nothing is lost", async () => {
  const laptop = device();
  await laptop.json("save", "--title", "before");
  const other = openDatabase({ path: join(laptop.home, "tidemark.db"), busyTimeoutMs: 1_000 });
  other.exec("BEGIN EXCLUSIVE");
  const refused = laptop.failure("save", "--title", "refused");
  const told = await Promise.all(
    [1, 2, 3].map(async (n) => await hook(laptop, `marker M${n} stands for a hook`)),
  );
  expect(told.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual(
    [1, 2, 3].map(() => [0, "", ""]),
  );
  // An agent waits for its hooks: far less than the lock lasts.
  expect(Math.max(...told.map(({ ms }) => ms))).toBeLessThan(4_000);
  expect(await refused).toBe("store-busy");
  const patient = laptop.json("save", "--title", "patient");
  await sleep(1_500);
  other.exec("ROLLBACK");
  other.close();
  await patient;
  const hooks = [1, 2, 3].map((n) => `marker M${n} stands for a hook`);
  expect(await titles(laptop)).toEqual(["before", ...hooks, "patient"]);
  expect(await checks(laptop)).toMatchObject({ integrity: "PASS", spool: "PASS", hooks: "PASS" });
});

// Without root there is no disk to fill.
const probe = mountSmallDisk(64);
probe?.unmount();

test.skipIf(probe === undefined)(
  "[CX5] a full disk refuses clearly, keeps what was acknowledged, and goes on when it is freed",
  async () => {
    disk = mountSmallDisk(2_048);
    const laptop = device({ home: join(disk?.folder ?? "", "home") });
    const saved: string[] = [];
    for (let n = 1; n <= 3; n += 1) {
      await laptop.json("save", "--title", `before ${n}`);
      saved.push(`before ${n}`);
    }
    // Hooks make room for their count of what they leave out the first time they run.
    await hook(laptop, "marker E stands for a hook");
    saved.push("marker E stands for a hook");
    disk?.fill();
    const narrative = "n".repeat(8_000);
    const failures: string[] = [];
    for (let n = 1; n <= 6; n += 1) {
      const title = `full ${n}`;
      const args = ["save", "--title", title, "--narrative", narrative, "--json"];
      const { code, stderr } = await laptop.run(args);
      if (code === 0) saved.push(title);
      else failures.push((JSON.parse(stderr) as { error: { code: string } }).error.code);
    }
    expect(failures.length).toBeGreaterThan(0);
    expect(new Set(failures)).toEqual(new Set(["store-full"]));
    const { code, stdout, stderr } = await hook(laptop, "marker F stands for a hook");
    expect([code, stdout, stderr]).toEqual([0, "", ""]);
    disk?.free();
    const held = await titles(laptop);
    expect(saved.filter((title) => !held.includes(title))).toEqual([]);
    // A hook that found no room at all has at least counted what it left out.
    const { hooks } = await checks(laptop);
    expect(held.includes("marker F stands for a hook") || hooks !== "PASS").toBe(true);
    await laptop.json("save", "--title", "after");
    expect(await titles(laptop)).toContain("after");
    expect(await checks(laptop)).toMatchObject({ integrity: "PASS", database: "PASS" });
  },
);

/** Whether that user may run the program at all: the checkout may lie where only root gets. */
function mayRun(uid: number | undefined): boolean {
  const user = uid === undefined ? {} : { uid, gid: uid };
  return (
    process.platform !== "win32" &&
    spawnSync(process.execPath, [clientProgram, "--version"], { env: {}, cwd: "/", ...user })
      .status === 0
  );
}

test.skipIf(!mayRun(nobody))(
  "[CX6] a home that cannot be written refuses clearly and loses nothing",
  async () => {
    if (nobody !== undefined) chownSync(root, nobody, nobody);
    const laptop = device(nobody === undefined ? {} : { uid: nobody });
    await laptop.json("save", "--title", "before");
    chmodSync(laptop.home, 0o500);
    expect(await laptop.failure("save", "--title", "refused")).toMatch(
      /^(?:store-(?:read-only|cannot-open)|unwritable-home)$/,
    );
    const { code, stdout, stderr } = await hook(laptop, "marker R stands for a hook");
    expect([code, stdout, stderr]).toEqual([0, "", ""]);
    chmodSync(laptop.home, 0o700);
    expect(await titles(laptop)).toContain("before");
    await laptop.json("save", "--title", "after");
    expect(await titles(laptop)).toEqual(expect.arrayContaining(["after", "before"]));
    expect(await titles(laptop)).not.toContain("refused");
    expect(await checks(laptop)).toMatchObject({ integrity: "PASS" });
  },
);
