/** A server that was put back to before a device was let in, and on which another one was let in since. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDevices, titlesOf, type TestDevice } from "./client-process.ts";
import { createBench, freePort, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
const [laptop, desktop, tablet, phone] = ["laptop", "desktop", "tablet", "phone"].map((name) =>
  devices.device(name),
) as [TestDevice, TestDevice, TestDevice, TestDevice];
let vault = "";

async function linkOf(by: TestDevice): Promise<string> {
  // A link that vouches for nobody: people compare fingerprints.
  return (await by.json<{ link: string }>("device", "add", "--ttl", "2h")).link;
}

async function admit(by: TestDevice, who: TestDevice): Promise<void> {
  const asked = ["namespace", "admit", vault] as const;
  const waits = await who.json<{ device: string; fingerprint: string }>(...asked);
  await by.json(...asked, "--device", waits.device, "--fingerprint", waits.fingerprint);
  await who.run(["sync"]);
}

async function save(by: TestDevice, title: string): Promise<void> {
  await by.json("save", "--namespace", vault, "--title", title);
}

beforeAll(async () => {
  const place = ["--data-dir", bench.folder()];
  const serving = { args: ["--port", String(await freePort()), ...place] };
  const server = await bench.serve(serving);
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  await laptop.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "laptop", "--user", "ada");
  for (const [device, name] of [
    [desktop, "desktop"],
    [tablet, "tablet"],
    [phone, "phone"],
  ] as const) {
    // prettier-ignore
    await device.json("pair", await linkOf(laptop), "--name", name);
  }
  vault = (await laptop.json<{ id: string }>("namespace", "create", "vault", "--encrypted")).id;
  await admit(laptop, desktop);
  await save(laptop, "of before the backup");
  for (const device of [laptop, desktop]) await device.json("sync");
  const file = join(bench.folder(), "early.backup");
  expect((await bench.run({ args: ["backup", file, ...place] })).code).toBe(0);
  await admit(desktop, tablet);
  await save(tablet, "by the tablet");
  for (const device of [tablet, desktop]) await device.json("sync");
  server.kill("SIGTERM");
  await server.ended;
  expect((await bench.run({ args: ["restore", file, "--replace", ...place] })).code).toBe(0);
  await bench.serve(serving);
}, 120_000);
afterAll(async () => {
  await bench.clear();
  devices.clear();
});

test("[EE29] a device whose log went another way is told the way on, and gets there by it with all it holds", async () => {
  await admit(laptop, phone);
  await save(laptop, "by the laptop, since");
  expect((await laptop.run(["sync"])).code).toBe(0);
  await save(desktop, "waits on the desktop");
  const synced = await desktop.run(["sync"]);
  expect(synced.code).toBe(1);
  const way = [
    `tidemark export --namespace ${vault} --output FILE`,
    "set TIDEMARK_HOME to an empty folder",
    "pair there by a link of a device that syncs it",
    `tidemark import FILE --namespace ${vault} --differing newer`,
  ].join(", ");
  expect(synced.stderr).toContain(`error: the sync is not finished: vault\nhint: `);
  expect(synced.stderr).toContain(way);
  expect((await desktop.run(["status"])).stdout).toContain(way);
  expect((await tablet.run(["sync"])).stderr).toContain(way);
  await phone.json("sync");
  expect(await titlesOf(phone)).toEqual(["by the laptop, since", "of before the backup"]);

  const file = join(desktop.folder, "vault.jsonl");
  await desktop.json("export", "--namespace", vault, "--output", file);
  const anew = devices.device("anew");
  const { link } = await laptop.json<{ link: string }>("device", "add");
  await anew.json("pair", link, "--name", "anew");
  for (const device of [laptop, anew]) await device.json("sync");
  const taken = ["import", file, "--namespace", vault, "--differing", "newer"] as const;
  expect(await anew.json(...taken)).toMatchObject({ added: 2, known: 2 });
  for (const device of [anew, laptop]) await device.json("sync");
  const all = [
    "by the laptop, since",
    "by the tablet",
    "of before the backup",
    "waits on the desktop",
  ];
  for (const device of [anew, laptop]) expect(await titlesOf(device)).toEqual(all);
}, 120_000);
