import { readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDevices, titlesOf, type TestDevice } from "./client-process.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
const laptop = devices.device("laptop");
const desktop = devices.device("desktop");
const grace = devices.device("grace");
/** Words that stand in nothing but what is written here. */
const word = "zephyrine";
const name = "quartzvault";
let dataDir = "";
/** A link that vouches for nobody: people compare fingerprints. */
const quiet = ["--ttl", "2h"] as const;

interface Made {
  readonly id: string;
  readonly recoveryCode: string;
}

interface Waits {
  readonly waits: boolean;
  readonly device: string;
  readonly fingerprint: string;
}

interface Status {
  readonly namespaces: readonly {
    readonly id: string;
    readonly name: string;
    readonly sealing?: { readonly epoch: number; readonly hasKey: boolean };
  }[];
}

let made: Made;
/** The recovery code of now. */
let code = "";

beforeAll(async () => {
  dataDir = bench.folder();
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", dataDir] });
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  const first = linksIn(server.stdout())[0] ?? "";
  await laptop.json("pair", first, "--name", "laptop", "--user", "ada");
  const { link } = await laptop.json<{ link: string }>("device", "add", ...quiet);
  await desktop.json("pair", link, "--name", "desktop");
  made = await laptop.json<Made>("namespace", "create", name, "--encrypted");
  await save(laptop, `the ${word} gate opens at nine`);
  await laptop.json("sync");
});

afterAll(async () => {
  await bench.clear();
  devices.clear();
});

async function save(device: TestDevice, title: string): Promise<void> {
  await device.json("save", "--namespace", made.id, "--title", title, "--narrative", `${word} too`);
}

async function titles(device: TestDevice): Promise<readonly string[]> {
  return await titlesOf(device, "search", word);
}

/** Lets a device in as a person does who reads the fingerprint off its screen. */
async function admit(by: TestDevice, who: TestDevice): Promise<void> {
  const waits = await who.json<Waits>("namespace", "admit", made.id);
  expect(waits.waits).toBe(true);
  await by.json("namespace", "admit", made.id, "--device", waits.device, "--fingerprint", waits.fingerprint); // prettier-ignore
}

function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile());
}

test("[EE13] a device that nobody let in sees that the namespace is there, and nothing of it", async () => {
  const synced = await desktop.run(["sync"]);
  expect(synced.stdout).toContain("this device waits for its key");
  const { namespaces } = await desktop.json<Status>("status");
  const one = namespaces.find(({ id }) => id === made.id);
  expect(one?.name).not.toBe(name);
  expect(one?.sealing).toMatchObject({ hasKey: false });
  expect(await titles(desktop)).toEqual([]);
  expect((await desktop.run(["status"])).stdout).toContain("waits for its key");
  expect((await desktop.run(["doctor"])).stdout).toMatch(/WARN +keys of encrypted/);
});

test("[EE14] a device comes in by its fingerprint, by no other and by none without one", async () => {
  const waits = await desktop.json<Waits>("namespace", "admit", made.id);
  expect(waits.fingerprint).toMatch(/^(?:[0-9a-v]{4}-){4}[0-9a-v]{4}$/);
  const none = await laptop.error("namespace", "admit", name, "--device", "desktop");
  expect(none).toMatchObject({ code: "needs-fingerprint" });
  const other = waits.fingerprint.replace(/^./, (first) => (first === "0" ? "1" : "0"));
  const wrong = await laptop.error("namespace", "admit", name, "--device", "desktop", "--fingerprint", other); // prettier-ignore
  expect(wrong).toMatchObject({ code: "other-fingerprint" });
  await desktop.json("sync");
  expect(await titles(desktop)).toEqual([]);
  await admit(laptop, desktop);
  await desktop.json("sync");
  expect(await titles(desktop)).toEqual([`the ${word} gate opens at nine`]);
  const { namespaces } = await desktop.json<Status>("status");
  expect(namespaces.find(({ id }) => id === made.id)).toMatchObject({
    name,
    sealing: { epoch: 1, hasKey: true },
  });
  await save(desktop, `the ${word} gate closes at five`);
  await desktop.json("sync");
  await laptop.json("sync");
  expect(await titles(laptop)).toHaveLength(2);
});

test("[EE1] no file of the server holds a word of it, nor what its members call it", async () => {
  const files = filesUnder(dataDir);
  expect(files.length).toBeGreaterThan(100);
  const holding = files.filter((path) => {
    const bytes = readFileSync(path);
    return bytes.includes(word) || bytes.includes(name);
  });
  expect(holding).toEqual([]);
});

test("[EE27] what the server keeps of a record's past is shown opened", async () => {
  const { items } = await laptop.json<{ items: readonly { id: string }[] }>("search", "closes");
  const id = items[0]?.id ?? "";
  await laptop.json("edit", id, "--set", `title=the ${word} gate closes at six`);
  await laptop.json("sync");
  await laptop.json("edit", id, "--set", `title=the ${word} gate closes at seven`);
  await laptop.json("sync");
  const shown = await laptop.run(["history", id]);
  expect(shown.stdout).toMatch(/title +past .*closes at five/);
  expect(shown.stdout).toMatch(/title +past .*closes at six/);
  expect(shown.stdout).not.toContain("sealed1.");
  expect(shown.stdout).not.toContain("older values");
});

test("[EE15] who is removed has no key of what is written next, and the others have it by themselves", async () => {
  const { link } = await laptop.json<{ link: string }>("namespace", "invite", name);
  await grace.json("pair", link, "--name", "grace-pc", "--user", "grace");
  await admit(laptop, grace);
  await grace.json("sync");
  expect(await titles(grace)).toHaveLength(2);
  await save(grace, `grace knows the ${word} gate`);
  await grace.json("sync");
  await laptop.json("namespace", "remove", name, "grace");
  const after = await laptop.json<Status>("status");
  expect(after.namespaces.find(({ id }) => id === made.id)).toMatchObject({
    sealing: { epoch: 2, hasKey: true },
  });
  await save(laptop, `the ${word} gate moved`);
  await laptop.json("sync");
  await desktop.json("sync");
  expect(await titles(desktop)).toHaveLength(4);
});

test("[EE11] what a device wrote before it heard of a new key goes out under that", async () => {
  await save(desktop, `the ${word} gate is red`);
  const { epoch } = await laptop.json<{ epoch: number }>("namespace", "rotate", name);
  expect(epoch).toBe(3);
  await save(laptop, `the ${word} gate is tall`);
  await laptop.json("sync");
  await desktop.json("sync");
  await laptop.json("sync");
  expect(await titles(laptop)).toEqual(await titles(desktop));
  expect(await titles(laptop)).toHaveLength(6);
});

test("[IM12] what an export holds of it goes into no other namespace unless that is named", async () => {
  const file = join(laptop.folder, "vault.ndjson");
  await laptop.json("export", "--namespace", name, "--output", file);
  const elsewhere = devices.device("elsewhere");
  const { link } = await laptop.json<{ link: string }>("device", "add", ...quiet);
  await elsewhere.json("pair", link, "--name", "elsewhere");
  const taken = await elsewhere.run(["import", file]);
  expect(taken.code).toBe(1);
  expect(taken.stdout).toContain("0 records added");
  expect(taken.stderr).toContain("6 records of an encrypted namespace left out");
  expect(taken.stderr).toContain(`tidemark import FILE --namespace ${made.id}`);
  await elsewhere.json("sync");
  expect(await titles(elsewhere)).toEqual([]);
  await laptop.json("sync");
  expect(await titles(laptop)).toHaveLength(6);
  // Where it is already, nothing is left out.
  expect(await laptop.json("import", file)).toMatchObject({ added: 0, known: 6 });
  // A person's word.
  await elsewhere.json("import", file, "--namespace", "local");
  expect(await titles(elsewhere)).toHaveLength(6);
});

test("[EE16] with its recovery code a namespace opens where no device is left that has the key", async () => {
  const { link } = await laptop.json<{ link: string }>("device", "add", ...quiet);
  const fresh = devices.device("fresh");
  await fresh.json("pair", link, "--name", "fresh");
  const misspelt = await fresh.run(["namespace", "recover", made.id], "AAAA-BBBB");
  expect(misspelt.stderr).toContain("no recovery code");
  const done = await fresh.run(["namespace", "recover", made.id], made.recoveryCode.toLowerCase());
  expect(done.stderr).toBe("");
  expect(done.code).toBe(0);
  const codes = done.stdout.match(/(?:[0-9A-Z]{4}-){8}[0-9A-Z]{4}/g);
  expect(codes).toHaveLength(1);
  expect(codes?.[0]).not.toBe(made.recoveryCode);
  code = codes?.[0] ?? "";
  await fresh.json("sync");
  expect(await titles(fresh)).toHaveLength(6);
  // The code of before is spent.
  const again = await laptop.json<{ link: string }>("device", "add", ...quiet);
  const late = devices.device("late");
  await late.json("pair", again.link, "--name", "late");
  const refused = await late.run(["namespace", "recover", made.id], made.recoveryCode);
  expect(refused.stderr).toContain("has been taken out");
  // The device that came in by it can let others in from now on.
  const { link: next } = await laptop.json<{ link: string }>("device", "add", ...quiet);
  const last = devices.device("last");
  await last.json("pair", next, "--name", "last");
  await admit(fresh, last);
  await last.json("sync");
  expect(await titles(last)).toHaveLength(6);
});

test("[EE15] a device that is revoked has no key of what is written next", async () => {
  const before = await laptop.json<Status>("status");
  const epochOf = ({ namespaces }: Status) => namespaces.find(({ id }) => id === made.id)?.sealing?.epoch ?? 0; // prettier-ignore
  await laptop.json("device", "revoke", "last");
  expect(epochOf(await laptop.json<Status>("status"))).toBe(epochOf(before) + 2);
});

test("[EE21] [EE22] a second laptop that comes in by a link opens it without another word", async () => {
  const added = await laptop.run(["device", "add"]);
  expect(added.stdout).toContain("encrypted namespaces open there too");
  const link = /https?:\S+#j=[^\s']+/.exec(added.stdout)?.[0] ?? "";
  const second = devices.device("second");
  const paired = await second.run(["pair", link, "--name", "second"]);
  expect(paired.stdout).toContain("the keys come by themselves");
  expect(await titles(second)).toEqual([]);
  await laptop.json("sync");
  await second.json("sync");
  expect(await titles(second)).toHaveLength(6);
  expect((await laptop.run(["doctor"])).stdout).not.toContain("pairing links");
  await save(second, `the ${word} gate is blue`);
  await second.json("sync");
  await laptop.json("sync");
  expect(await titles(laptop)).toHaveLength(7);
});

test("[EE21] with a daemon on both, the keys are there without a command", async () => {
  const third = devices.device("third");
  await laptop.withDaemon(async () => {
    // It has long been at rest when the link is made.
    await laptop.json("sync");
    const { link } = await laptop.json<{ link: string }>("device", "add");
    await third.json("pair", link, "--name", "third");
    await third.withDaemon(async () => {
      const hasAll = async (): Promise<boolean> => (await titles(third)).length === 7;
      await vi.waitUntil(hasAll, { timeout: 50_000, interval: 500 });
    });
  });
});

test("[EE29] a sync that waits for a key ends with what to run for it", async () => {
  const late = devices.device("late");
  await save(late, `the ${word} gate waits`);
  expect(await late.error("sync")).toMatchObject({
    code: "unfinished",
    hint: `tidemark namespace admit ${made.id}`,
  });
});

test("[EE16] whose role allows no new recovery code is told that the one of now still works", async () => {
  const { link } = await laptop.json<{ link: string }>("namespace", "invite", name);
  const zoe = devices.device("zoe");
  await zoe.json("pair", link, "--name", "zoe-pc", "--user", "zoe");
  const opened = await zoe.run(["namespace", "recover", made.id], code);
  expect(opened.code).toBe(1);
  expect(opened.stderr).toContain("the one you gave still works");
  expect(opened.stderr).toContain(`tidemark namespace rotate ${made.id} --recovery-code`);
  await zoe.json("sync");
  expect(await titles(zoe)).toHaveLength(7);
  await laptop.json("namespace", "rotate", name, "--recovery-code");
  const spent = await zoe.run(["namespace", "recover", made.id], code);
  expect(spent.stderr).toContain("has been taken out");
  await laptop.json("namespace", "remove", name, "zoe");
});

test("[EE36] a home that paired anew with the keys it has is told that it waits, and lets nobody in", async () => {
  for (const device of [laptop, desktop]) await device.json("sync");
  renameSync(join(desktop.home, "device.json"), join(desktop.home, "device.json.lost"));
  const pairing = await laptop.json<{ link: string }>("device", "add", ...quiet);
  await desktop.json("pair", pairing.link, "--name", "desktop anew");
  const other = await laptop.json<{ link: string }>("device", "add", ...quiet);
  const tablet = devices.device("tablet");
  await tablet.json("pair", other.link, "--name", "tablet");
  const { namespaces } = await desktop.json<Status>("status");
  expect(namespaces.find(({ id }) => id === made.id)?.sealing).toMatchObject({ hasKey: true });
  const told = await desktop.run(["namespace", "admit", name]);
  expect(told.stdout).toContain("it has keys from before it was paired again");
  expect(await desktop.error("namespace", "rotate", name)).toMatchObject({ code: "not-in" });
  await admit(laptop, desktop);
  await desktop.json("sync");
  await admit(desktop, tablet);
  await tablet.json("sync");
  expect(await titles(tablet)).toHaveLength(7);
});
