import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDevices, titlesOf, type TestDevice } from "./client-process.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
const laptop = devices.device("laptop");
const grace = devices.device("grace");
const name = "quartzvault";
/** A link that vouches for nobody: people compare fingerprints. */
const quiet = ["--ttl", "2h"] as const;

interface Waits {
  readonly waits: boolean;
  readonly device: string;
  readonly fingerprint: string;
}

let id = "";

beforeAll(async () => {
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  const first = linksIn(server.stdout())[0] ?? "";
  await laptop.json("pair", first, "--name", "laptop", "--user", "ada");
  ({ id } = await laptop.json<{ id: string }>("namespace", "create", name, "--encrypted"));
  await laptop.json("sync");
  await join(laptop, grace, "grace");
});

afterAll(async () => {
  await bench.clear();
  devices.clear();
});

/** Invites a person and lets their device in. */
async function join(by: TestDevice, who: TestDevice, user: string): Promise<void> {
  const { link } = await by.json<{ link: string }>("namespace", "invite", id);
  await who.json("pair", link, "--name", `${user}-pc`, "--user", user);
  await admit(by, who);
}

async function admit(by: TestDevice, who: TestDevice): Promise<void> {
  const { device, fingerprint } = await who.json<Waits>("namespace", "admit", id);
  await by.json("namespace", "admit", id, "--device", device, "--fingerprint", fingerprint);
  await who.json("sync");
}

async function save(device: TestDevice, title: string): Promise<void> {
  await device.json(
    "save",
    "--namespace",
    id,
    "--title",
    title,
    "--narrative",
    "the zephyrine gate",
  );
  await device.json("sync");
}

async function titles(device: TestDevice): Promise<readonly string[]> {
  await device.json("sync");
  return await titlesOf(device, "search", "zephyrine");
}

async function said(device: TestDevice, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await device.run(args);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

test("[EE25] whom a person makes an admin lets others in, whose devices get the keys of that", async () => {
  const before = await grace.error("namespace", "rotate", id);
  expect(before).toMatchObject({ code: "needs-admin-device" });
  const made = await said(laptop, "namespace", "role", name, "grace", "admin");
  const { fingerprint } = await grace.json<{ fingerprint: string }>("namespace", "admit", id);
  const told = `their devices may let others in: ${fingerprint}`;
  expect(made).toBe(`grace is admin of ${name}\n${told}\n`);
  // Once more changes nothing, and says nothing of it.
  expect(await said(laptop, "namespace", "role", name, "grace", "admin")).not.toContain("devices");
  expect(await said(laptop, "namespace", "members", name)).not.toContain("hint");
  expect(await grace.json("namespace", "rotate", id)).toMatchObject({ epoch: 2 });
  const hank = devices.device("hank");
  await join(grace, hank, "hank");
  await save(hank, "hank was let in by grace");
  expect(await titles(laptop)).toEqual(["hank was let in by grace"]);
});

test("[EE25] a further device of an admin comes in as one, whoever lets it in", async () => {
  const { link } = await grace.json<{ link: string }>("device", "add", ...quiet);
  const second = devices.device("second");
  await second.json("pair", link, "--name", "second");
  await admit(laptop, second);
  expect(await second.json("namespace", "rotate", id)).toMatchObject({ epoch: 3 });
});

test("[EE25] who is an admin no more lets nobody in, and reads on", async () => {
  const lowered = await said(laptop, "namespace", "role", name, "grace", "writer");
  expect(lowered).toContain("their devices let nobody else in");
  const refused = await grace.error("namespace", "rotate", id);
  expect(refused).toMatchObject({ code: "needs-admin-device" });
  await save(laptop, "grace reads on");
  expect(await titles(grace)).toEqual(["grace reads on", "hank was let in by grace"]);
});

test("[EE37] a member's device that is to let in somebody else's says who can", async () => {
  const jo = devices.device("jo");
  const { link } = await laptop.json<{ link: string }>("namespace", "invite", id);
  await jo.json("pair", link, "--name", "jo-pc", "--user", "jo");
  const { device, fingerprint } = await jo.json<Waits>("namespace", "admit", id);
  const asked = ["namespace", "admit", id, "--device", device, "--fingerprint", fingerprint];
  expect(await grace.error(...asked)).toMatchObject({
    code: "needs-admin-device",
    hint: expect.stringContaining("`tidemark namespace recover` on the one that waits"),
  });
  await laptop.json(...asked);
});

test("[EE25] where a device may give nobody the right, the command and the list of members say what to run", async () => {
  const { link } = await laptop.json<{ link: string }>("device", "add", ...quiet);
  const outside = devices.device("outside");
  await outside.json("pair", link, "--name", "outside");
  await outside.json("sync");
  const given = await said(outside, "namespace", "role", id, "hank", "admin");
  expect(given).toContain("the devices of hank let nobody in yet");
  const hint = /namespace role \S+ \S+ admin/.exec(given)?.[0] ?? "";
  expect(await said(laptop, "namespace", "members", name)).toContain(hint);
  expect(await said(laptop, ...hint.split(" "))).toContain("their devices may let others in");
  expect(await said(laptop, "namespace", "members", name)).not.toContain("hint");
});

test("[EE25] who has no device in yet is told of, with what to run then", async () => {
  const ivy = devices.device("ivy");
  const { link } = await laptop.json<{ link: string }>("namespace", "invite", id);
  await ivy.json("pair", link, "--name", "ivy-pc", "--user", "ivy");
  const given = await said(laptop, "namespace", "role", name, "ivy", "admin");
  expect(given).toContain("no device of ivy has the key yet");
  const hint = /namespace role \S+ \S+ admin/.exec(given)?.[0] ?? "";
  await admit(laptop, ivy);
  expect(await said(laptop, ...hint.split(" "))).toContain("their devices may let others in");
  expect(await ivy.json("namespace", "rotate", id)).toMatchObject({ epoch: 4 });
});
