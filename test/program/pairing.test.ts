import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { clientProgram, createDevices, type TestDevice } from "./client-process.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
const a = devices.device("laptop-a");
let url = "";

beforeAll(async () => {
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  url = server.url;
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  await a.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "laptop-a", "--user", "ada");
  await a.json("save", "--title", "known before");
  await a.json("sync");
});

afterAll(async () => {
  await bench.clear();
  devices.clear();
});

/** A device that shows a code: the code, and how it ended. */
async function pairing(device: TestDevice, ...args: readonly string[]) {
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: "/nonexistent", TIDEMARK_HOME: device.home, TIDEMARK_KEYCHAIN: "off" };
  const child = spawn(process.execPath, [clientProgram, "pair", url, ...args], { env });
  let err = "";
  let out = "";
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stdin.end();
  const ended = new Promise<{ exit: number | null; out: string; err: string }>((resolve) => {
    child.once("close", (exit) => {
      resolve({ exit, out, err });
    });
  });
  await vi.waitUntil(() => /Code {3}\S+/.test(err), { timeout: 20_000 });
  return { code: /Code {3}(\S+)/.exec(err)?.[1] ?? "", ended };
}

test("[PR1] [PR12] a code, an approval by the named person, and what one laptop knew the other knows", async () => {
  const b = devices.device("laptop-b");
  await b.json("save", "--title", "made on b");
  const { code, ended } = await pairing(b, "--name", "thinkpad x1", "--user", "ada", "--json");
  expect(await a.json("approve", code, "--yes")).toMatchObject({
    name: "thinkpad x1",
    sameNetwork: true,
    status: "approved",
  });
  const { exit, out, err } = await ended;
  expect([exit, err]).toEqual([0, expect.stringMatching(/Joined as ada \(\w+\) at http/)]);
  expect(err).toContain(` at ${url}, approved by laptop-a`);
  expect(JSON.parse(out)).toMatchObject({ user: { name: "ada" }, device: { name: "thinkpad x1" } });
  await a.json("sync");
  const { items } = await a.json<{ items: readonly { title: string }[] }>("list", "--all");
  expect(items.map(({ title }) => title).toSorted()).toEqual(["known before", "made on b"]);
  expect(await a.error("approve", code, "--yes")).toMatchObject({ code: "invalid-or-expired" });
});

test("[PR12] a device that lost its name, not its key, asks with a new key, and is denied (abuse 27)", async () => {
  const d = devices.device("laptop-d");
  const { link } = await a.json<{ link: string }>("device", "add");
  await d.json("pair", link, "--name", "lost");
  rmSync(join(d.home, "device.json"));
  const { code, ended } = await pairing(d, "--name", "found", "--yes");
  expect(await a.json("approve", code, "--deny")).toMatchObject({
    name: "found",
    status: "denied",
  });
  const { exit, err } = await ended;
  expect([exit, err.includes("error: the request was denied")]).toEqual([1, true]);
  expect(await d.json("status")).toMatchObject({ device: null });
});

test("[PR12] a device that another person than the named one let in sends nothing (abuse 26)", async () => {
  const c = devices.device("laptop-c");
  await c.json("save", "--title", "of nobody's business");
  const { code, ended } = await pairing(c, "--name", "box", "--user", "grace");
  await a.json("approve", code, "--yes");
  const { exit, err } = await ended;
  expect([exit, err]).toEqual([
    1,
    expect.stringMatching(/ada \(\w+\) approved, and not grace; nothing was sent/),
  ]);
  expect(await c.json("status")).toMatchObject({ device: null, user: null });
  const listed = await a.json<{ items: readonly object[] }>("device", "list");
  expect(listed.items).toContainEqual(expect.objectContaining({ name: "box", status: "revoked" }));
  await a.json("sync");
  expect(JSON.stringify(await a.json("list", "--all"))).not.toContain("nobody's business");
});

test("[PR14] a link for machines opens from its networks alone", async () => {
  await a.json("namespace", "create", "yard");
  const add = (from: string) =>
    a.json<{ link: string; id: string }>("device", "add", "--ci", "-n", "yard", "--from", from);
  const machine = devices.device("y1");
  const elsewhere = await add("192.0.2.0/24");
  expect(await machine.error("pair", elsewhere.link)).toMatchObject({ code: "invalid-or-expired" });
  const here = await add("127.0.0.0/8");
  await machine.json("pair", here.link);
  await machine.json("save", "--namespace", "yard", "--title", "from the yard");
  await machine.json("sync");
  const shown = await a.run(["device", "links"]);
  expect(shown.stdout).toContain("from 192.0.2.0/24");
  const told = await a.run(["audit"]);
  expect(told.stdout).toMatch(/refused the ci link \w+, which was tried from outside/);
  for (const { id } of [elsewhere, here]) await a.json("device", "unlink", id, "--devices");
});

test("[PR8] [PR9] [PR10] a link for machines lets two in, to one namespace, and out again", async () => {
  await a.json("namespace", "create", "crew");
  const { link, id } = await a.json<{ link: string; id: string }>(
    "device",
    "add",
    "--ci",
    "--namespace",
    "crew",
    "--uses",
    "2",
    "--name",
    "box",
  );
  const [one, two, three] = ["m1", "m2", "m3"].map((name) => devices.device(name));
  const status = await one?.json<{ device: { name: string }; namespaces: object[] }>("pair", link);
  expect(status?.device.name).toMatch(/^box-[0-9a-v]{5}$/);
  const told = await two?.run(["pair", link, "--name", "second"]);
  expect(told?.stdout).toContain("hint: this device has crew alone: set TIDEMARK_NAMESPACE");
  expect(await three?.error("pair", link)).toMatchObject({ code: "invalid-or-expired" });
  await one?.json("save", "--namespace", "crew", "--title", "built on a machine");
  await one?.json("sync");
  await a.json("sync");
  const seen = await a.json<{ items: readonly { title: string }[] }>("list", "--namespace", "crew");
  expect(seen.items.map(({ title }) => title)).toEqual(["built on a machine"]);
  expect(JSON.stringify(await one?.json("list", "--all"))).not.toContain("known before");
  expect(await one?.error("device", "add")).toMatchObject({ code: "device-limited" });
  expect(await a.json("device", "links")).toMatchObject({
    items: [{ id, kind: "ci", status: "closed", uses: 2, usesMax: 2, devices: 2 }],
  });
  const ended = await a.json<{ devices: readonly string[] }>("device", "unlink", id, "--devices");
  expect(ended.devices).toHaveLength(2);
  expect(await two?.error("device", "list")).toMatchObject({ code: "device-revoked" });
  expect(await a.json("device", "links")).toMatchObject({ items: [] });
});

test("[CL90] a home whose answer was lost comes in by another link, and works", async () => {
  const e = devices.device("laptop-e");
  const link = async () => (await a.json<{ link: string }>("device", "add")).link;
  await e.json("pair", await link(), "--name", "cut off");
  rmSync(join(e.home, "device.json"));
  expect(await e.json("pair", await link(), "--name", "cut off")).toMatchObject({
    device: { name: "cut off" },
  });
  await e.json("save", "--title", "made after the cut");
  await e.json("sync");
  await a.json("namespace", "create", "quay");
  const invite = async () => (await a.json<{ link: string }>("namespace", "invite", "quay")).link;
  const guest = devices.device("laptop-g");
  await guest.json("pair", await invite(), "--user", "grace");
  rmSync(join(guest.home, "device.json"));
  expect(await guest.error("pair", await invite(), "--user", "grace")).toMatchObject({
    code: "conflict",
    hint: expect.stringContaining("`tidemark pair <link> --new-key`") as string,
  });
  await guest.json("pair", await invite(), "--user", "grace", "--new-key");
  await guest.json("sync");
});

test("[CL90] of programs that pair one home at once one does, and its key is the one let in", async () => {
  await a.json("namespace", "create", "dock");
  const { link } = await a.json<{ link: string }>("device", "add", "--ci", "-n", "dock");
  for (let round = 1; round <= 3; round += 1) {
    const box = devices.device(`box-${String(round)}`);
    const ended = await Promise.all([1, 2, 3].map(() => box.run(["pair", link, "--json"])));
    const refused = ended.filter(({ code }) => code !== 0).map(({ stderr }) => stderr);
    expect(refused).toHaveLength(2);
    for (const told of refused) expect(told).toMatch(/"code": ?"(?:already-paired|busy)"/u);
    await box.json("sync");
  }
});

test("[CL90] while a home shows a code nobody else pairs it", async () => {
  const f = devices.device("laptop-f");
  const { link } = await a.json<{ link: string }>("device", "add");
  const { code, ended } = await pairing(f, "--name", "two terminals", "--yes");
  const told = await f.run(["pair", link]);
  expect([told.code, told.stderr]).toEqual([
    1,
    expect.stringMatching(/this device is being paired by another program \(process \d+\)/u),
  ]);
  await a.json("approve", code, "--yes");
  expect((await ended).exit).toBe(0);
  await f.json("sync");
});
