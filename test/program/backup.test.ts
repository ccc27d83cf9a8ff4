import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from "../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts";
import { createLog } from "../../apps/server/src/platform/log.ts";
import { systemRandom } from "../../apps/server/src/platform/random.ts";
import { systemTimers } from "../../apps/server/src/platform/timers.ts";
import { createDevices, titlesOf, type TestDevice } from "./client-process.ts";
import { createBench, freePort, linksIn, type ServerProcess } from "./server-process.ts";

const deps = {
  clock: systemClock,
  random: systemRandom,
  timers: systemTimers,
  log: createLog({ level: "error" }),
};
const bench = createBench();
const devices = createDevices();
/** Stands for a PostgreSQL that somebody else runs. */
let external: EmbeddedPostgres;

beforeAll(async () => {
  const settings = { fsync: "off", full_page_writes: "off" };
  const place = { dataDir: bench.folder(), listen: "loopback", settings } as const;
  const started = await startEmbeddedPostgres(deps, place);
  if (!started.ok) throw new Error(started.error.message);
  external = started.value;
});
afterAll(async () => {
  await external.stop();
  await bench.clear();
  devices.clear();
});

async function stop(server: ServerProcess): Promise<void> {
  server.kill("SIGTERM");
  expect((await server.ended).code).toBe(0);
}

async function save(device: TestDevice, ...all: readonly string[]): Promise<void> {
  for (const title of all) await device.json("save", "--title", title);
}

/** A server's settings, on its own PostgreSQL or on the external one. */
async function settings(kind: "its own" | "an external") {
  const args = ["--data-dir", bench.folder()];
  return {
    args,
    port: String(await freePort()),
    env: kind === "its own" ? {} : { DATABASE_URL: external.url },
  };
}

test.each(["its own", "an external"] as const)(
  "[OPS83] after a restore of an older backup on %s PostgreSQL devices give back what it lacks",
  async (kind) => {
    const { args, port, env } = await settings(kind);
    const serving = { args: ["--port", port, ...args], env };
    const file = join(bench.folder(), "tidemark.backup");
    const [one, two] = [devices.device(`${kind}-1`), devices.device(`${kind}-2`)];
    const server = await bench.serve(serving);
    await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
    await one.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "one", "--user", "ada");
    const { link } = await one.json<{ link: string }>("device", "add");
    await two.json("pair", link, "--name", "two");
    await save(one, "before 1", "before 2");
    await one.json("sync");
    await two.json("sync");

    const taken = await bench.run({ args: ["backup", file, "--json", ...args], env });
    expect(taken).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(taken.stdout)).toMatchObject({ file, namespaces: 1 });
    expect(statSync(file).mode & 0o777).toBe(0o600);

    await save(one, "after, from one");
    await one.json("sync");
    await two.json("sync");
    await save(two, "after, from two");
    await two.json("sync");
    const whileServed = await bench.run({ args: ["restore", file, "--replace", ...args], env });
    expect(whileServed).toMatchObject({ code: 1, stdout: "" });
    expect(whileServed.stderr).toMatch(/stop/u);
    await stop(server);

    const filled = await bench.run({ args: ["restore", file, ...args], env });
    expect(filled).toMatchObject({ code: 1, stdout: "" });
    expect(filled.stderr).toBe(
      "error: the database holds a server that has an owner\n" +
        "hint: restore into an empty database, or let what is there go: --replace\n",
    );
    const restored = await bench.run({ args: ["restore", file, "--replace", ...args], env });
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    expect(restored.stdout).toMatch(/^Restored srv_\w+ as it was at 20\d\d-/u);

    const again = await bench.serve(serving);
    await save(two, "offline meanwhile");
    for (const device of [one, two, one]) await device.json("sync");
    const all = ["after, from one", "after, from two", "before 1", "before 2", "offline meanwhile"];
    expect(await titlesOf(one)).toEqual(all);
    expect(await titlesOf(two)).toEqual(all);
    const added = await one.json<{ link: string }>("device", "add");
    const fresh = devices.device(`${kind}-fresh`);
    await fresh.json("pair", added.link, "--name", "fresh");
    expect(await titlesOf(fresh)).toEqual(all);
    await stop(again);
  },
);

test("[OPS81] a backup moves a server to another machine, and its devices follow", async () => {
  const { args, port } = await settings("its own");
  const file = join(bench.folder(), "move.backup");
  const device = devices.device("moving");
  const server = await bench.serve({ args: ["--port", port, ...args] });
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  await device.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "one", "--user", "ada");
  await save(device, "moved");
  await device.json("sync");
  await stop(server);
  // With the server stopped too.
  expect((await bench.run({ args: ["backup", file, ...args] })).code).toBe(0);

  const place = ["--data-dir", bench.folder()];
  const restored = await bench.run({ args: ["restore", file, "--json", ...place] });
  expect(restored).toMatchObject({ code: 0, stderr: "" });
  const next = await bench.serve({ args: ["--port", port, ...place] });
  // It has an owner: no link is printed.
  expect(linksIn(next.stdout())).toEqual([]);
  await device.json("sync");
  const { namespaces } = await device.json<{ namespaces: readonly { synced: boolean }[] }>(
    "status",
  );
  expect(namespaces.map(({ synced }) => synced)).toEqual([true]);
  await stop(next);
});

test("[OPS81] [OPS82] what is no whole backup, or somebody else's, changes nothing and says what to do", async () => {
  const { args, env } = await settings("an external");
  const folder = bench.folder();
  const [whole, cut, other] = ["whole", "cut", "other"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  expect((await bench.run({ args: ["backup", whole, ...args], env })).code).toBe(0);
  writeFileSync(cut, readFileSync(whole).subarray(0, -20));
  writeFileSync(other, "select 1;");
  const sql = postgres(external.adminUrl.replace(/\/[^/]*$/u, "/tidemark"), { max: 1 });
  const state = async () =>
    await sql`
    select (select count(*) from tidemark.records)::int as records,
      (select seq from tidemark.audit_head)::int as audit`;
  const before = await state();
  for (const [file, text] of [
    [cut, "is damaged or cut off; nothing was changed"],
    [other, "is no backup of a server; nothing was changed"],
    [join(folder, "none"), "cannot read"],
  ] as const) {
    const ended = await bench.run({ args: ["restore", file, "--replace", ...args], env });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain(text);
    expect(ended.stderr).toMatch(/^hint: /mu);
  }
  expect(await state()).toEqual(before);
  await sql.end({ timeout: 5 });
  const twice = await bench.run({ args: ["backup", whole, ...args], env });
  expect(twice).toMatchObject({ code: 1, stdout: "" });
  expect(twice.stderr).toMatch(/is there already.*\nhint: choose another name/u);
  const nowhere = await bench.run({ args: ["backup", join(folder, "a", "b"), ...args], env });
  expect(nowhere.stderr).toMatch(/cannot write .*\nhint: name a file in a folder/u);
});
