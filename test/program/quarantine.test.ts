import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDevices, titlesOf, type TestDevice } from "./client-process.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
/** Ada's laptops: `b` is offline while things happen, and `x` is the one that was stolen. */
const a = devices.device("laptop-a");
const b = devices.device("laptop-b");
const x = devices.device("laptop-x");

interface Quarantined {
  readonly device: { readonly id: string };
  readonly hidden: number;
}

interface Revoked {
  readonly quarantine: {
    readonly places: readonly { readonly hidden: number; readonly since: number }[];
    readonly descendants: readonly { readonly id: string; readonly why: string }[];
    readonly descendantsTotal: number;
  };
}

/** When `x` was stolen. */
let stolenAt = "";
let xId = "";
const ids = { plain: "", outdated: "", edited: "", successor: "" };

async function save(device: TestDevice, title: string): Promise<string> {
  return (await device.json<{ id: string }>("save", "--title", title)).id;
}

const search = ["search", "walrus"] as const;

async function givenTo(device: TestDevice): Promise<string> {
  return (await device.run(["context"])).stdout;
}

/** One project on all of them, or a session would be given nothing of the others. */
function checkOut({ folder }: TestDevice): void {
  mkdirSync(join(folder, ".git"));
  const config = '[remote "origin"]\n\turl = https://git.example/ada/walrus.git\n';
  writeFileSync(join(folder, ".git", "config"), config);
  writeFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
}

beforeAll(async () => {
  for (const device of [a, b, x]) checkOut(device);
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  await a.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "laptop-a", "--user", "ada");
  for (const [device, name] of [
    [b, "laptop-b"],
    [x, "laptop-x"],
  ] as const) {
    const { link } = await a.json<{ link: string }>("device", "add");
    const paired = await device.json<{ device: { id: string } }>("pair", link, "--name", name);
    if (device === x) xId = paired.device.id;
  }
  await save(a, "walrus of a");
  await save(x, "walrus from before");
  for (const device of [a, x, b]) await device.json("sync");
  stolenAt = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 20));
  ids.plain = await save(x, "walrus poison plain");
  ids.outdated = await save(x, "walrus poison outdated");
  ids.edited = await save(x, "walrus poison edited");
  await x.json("sync");
  await a.json("sync");
  ids.successor = await save(a, "walrus of a that came of it");
  await a.json("supersede", ids.outdated, ids.successor);
  await a.json("edit", ids.edited, "--set", "title=walrus poison that a has edited");
  await a.json("sync");
  await b.json("sync");
});

afterAll(async () => {
  await bench.clear();
  devices.clear();
});

test("[QU1] [QU4] [QU5] [QU6] what a stolen device wrote vanishes here at once, and on who was offline at its next sync (abuse 160)", async () => {
  const poison = ["walrus poison plain", "walrus poison that a has edited"];
  const sound = ["walrus from before", "walrus of a", "walrus of a that came of it"];
  expect(await titlesOf(b, ...search)).toEqual([...sound, ...poison].toSorted());
  expect(await givenTo(b)).toContain("walrus poison plain");
  const all = await b.run(["list", "--all", "--json"]);
  const found = await b.run([...search, "--json"]);

  const done = await a.json<Revoked>("device", "revoke", xId, "--suspect-since", stolenAt);
  expect(done.quarantine.places).toMatchObject([{ hidden: 3 }]);
  expect(done.quarantine.descendants).toEqual([
    expect.objectContaining({ id: ids.successor, why: "supersedes" }),
    expect.objectContaining({ id: ids.edited, why: "edited" }),
  ]);
  expect(done.quarantine.descendantsTotal).toBe(2);
  expect(await titlesOf(a, ...search)).toEqual(sound);
  expect(await titlesOf(a, "list")).toEqual(sound);
  // Who is offline cannot know yet.
  expect(await titlesOf(b, ...search)).toEqual([...sound, ...poison].toSorted());

  await b.json("sync");
  expect(await titlesOf(b, ...search)).toEqual(sound);
  expect(await titlesOf(b, "list")).toEqual(sound);
  const given = await givenTo(b);
  expect(given).toContain("walrus from before");
  expect(given).not.toContain("poison");
  expect(await titlesOf(b, "list", "--all")).toEqual(
    [...sound, ...poison, "walrus poison outdated"].toSorted(),
  );
  expect((await b.run(["list", "--all"])).stdout).toMatch(
    /walrus poison plain {2}\[quarantined\]/u,
  );
  const shown = (await b.run(["show", ids.plain])).stdout;
  expect(shown).toContain("quarantined: written by ada / laptop-x, suspected since");
  expect(shown).toContain(`tidemark pin ${ids.plain.slice(0, 10)} lets this one through`);
  const { items } = await b.json<{ items: readonly Quarantined[] }>("quarantine");
  expect(items).toMatchObject([{ device: { id: xId, name: "laptop-x" }, hidden: 3 }]);
  expect((await b.run(["status"])).stdout).toContain("1 device in quarantine: tidemark quarantine");

  expect((await b.run(["doctor"])).stdout).toMatch(
    /WARN {2}quarantine: 3 observations of 1 device hidden.*\n.*tidemark quarantine/u,
  );

  // What stands there is as it was: lifted, it is back byte for byte.
  expect(await a.json("quarantine", "--device", "laptop-x", "--lift")).toMatchObject({
    device: { id: xId },
  });
  expect(await titlesOf(a, ...search)).toEqual([...sound, ...poison].toSorted());
  await b.json("sync");
  expect((await b.run([...search, "--json"])).stdout).toBe(found.stdout);
  expect((await b.run(["list", "--all", "--json"])).stdout).toBe(all.stdout);
  expect((await b.run(["quarantine"])).stdout).toContain("no device is in quarantine");
});

test("[QU5] a person's pin lets one observation through, on every device of theirs", async () => {
  await a.json("quarantine", "--device", xId, "--since", stolenAt, "--yes");
  await b.json("sync");
  await b.json("pin", ids.plain);
  expect(await titlesOf(b, ...search)).toContain("walrus poison plain");
  expect(await titlesOf(b, ...search)).not.toContain("walrus poison that a has edited");
  await b.json("sync");
  await a.json("sync");
  expect(await titlesOf(a, ...search)).toContain("walrus poison plain");
  await a.json("unpin", ids.plain);
  expect(await titlesOf(a, ...search)).not.toContain("walrus poison plain");
});

test("[QU3] [QU7] what cannot be put in quarantine, and times that are none, are refused with the way out", async () => {
  expect(await a.error("quarantine", "--device", "laptop-a")).toMatchObject({ code: "not-found" });
  expect(await a.error("quarantine", "--device", "nobody")).toMatchObject({
    code: "unknown-device",
    exit: 1,
  });
  for (const since of ["tomorrow", "9999-01-01", "5x"]) {
    const misused = ["quarantine", "--device", xId, "--since", since] as const;
    expect(await a.error(...misused)).toMatchObject({ code: "usage", exit: 2 });
  }
  const both = ["quarantine", "--device", xId, "--since", "1d", "--lift"] as const;
  expect(await a.error(...both)).toMatchObject({ code: "usage", exit: 2 });
  expect(await a.error("quarantine", "--lift")).toMatchObject({ code: "usage", exit: 2 });
});
