import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDevices, type TestDevice } from "./client-process.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
/** A laptop whose changes get nowhere any more. */
const old = devices.device("old");
/** The home that goes on in its place. */
const fresh = devices.device("fresh");

interface Saved {
  readonly id: string;
}

interface Imported {
  readonly added: number;
  readonly known: number;
  readonly changed: number;
  readonly erased: number;
  readonly unreadable: readonly number[];
  readonly differing: { readonly total: number; readonly items: readonly object[] };
  readonly alive: { readonly total: number };
}

let edited: string;
let gone: string;
let file: string;

beforeAll(async () => {
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  await old.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "old", "--user", "ada");
  const save = async (title: string): Promise<string> =>
    (await old.json<Saved>("save", "--title", title)).id;
  edited = await save("as both know it");
  gone = await save("goes there");
  await old.json("sync");
  const { link } = await old.json<{ link: string }>("device", "add");
  await fresh.json("pair", link, "--name", "fresh");
  await fresh.json("sync");
  // From here on the first laptop tells nobody anything.
  await old.json("edit", edited, "--set", "title=as the old home knows it");
  await old.json("forget", gone, "--yes");
  await save("only there");
  file = join(old.folder, "memory.jsonl");
  await old.json("export", "--output", file);
}, 120_000);

afterAll(async () => {
  await bench.clear();
  devices.clear();
});

async function titleOf(device: TestDevice, id: string): Promise<string> {
  return (await device.json<{ title: string }>("show", id)).title;
}

test("[IM13] what only the file knows is told, with the commands that take it, and nothing is lost without a word", async () => {
  const ended = await fresh.run(["import", file]);
  expect(ended.code).toBe(1);
  expect(ended.stdout).toContain("1 record added, 1 known before; left out: 1 forgotten record");
  expect(ended.stdout).toContain(`${edited}: newer in the file: title`);
  expect(ended.stdout).toContain(`${gone}: forgotten in the file, here it stands`);
  for (const word of ["--differing newer", "--differing file", "--forget"]) {
    expect(ended.stderr).toContain(word);
  }
  expect(await titleOf(fresh, edited)).toBe("as both know it");
  const json = await fresh.run(["import", file, "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    added: 0,
    known: 2,
    differing: { total: 1, items: [{ id: edited, fields: ["title"], newer: ["title"] }] },
    alive: { total: 1, items: [{ id: gone }] },
  });
  expect(await fresh.error("import", file)).toMatchObject({ exit: 1, code: "differs" });
  expect(await fresh.error("import", file, "--differing", "x")).toMatchObject({
    exit: 2,
    code: "usage",
  });
});

test("[IM14, IM15] on a person's word the file's edits and forgets come in, and go to the server as changes of this device", async () => {
  const words = ["--differing", "newer", "--forget", "--yes"];
  const dry = await fresh.json<Imported>("import", file, ...words, "--dry-run");
  expect(dry).toMatchObject({ changed: 1, erased: 1 });
  expect(await titleOf(fresh, edited)).toBe("as both know it");
  const taken = await fresh.json<Imported>("import", file, ...words);
  expect(taken).toMatchObject({ changed: 1, erased: 1, differing: { total: 0 } });
  await fresh.json("sync");
  expect(await titleOf(fresh, edited)).toBe("as the old home knows it");
  expect((await fresh.run(["history", edited])).stdout).toContain("as both know it");
  expect((await fresh.run(["show", gone])).code).toBe(1);
  const again = await fresh.json<Imported>("import", file, ...words);
  expect(again).toMatchObject({ added: 0, changed: 0, erased: 0, differing: { total: 0 } });
  // The old home comes back after all: both said the same of what was edited.
  await old.json("sync");
  expect(await titleOf(old, edited)).toBe("as the old home knows it");
  const { items } = await old.json<{ items: readonly { record: string }[] }>("conflicts");
  expect(items.map(({ record }) => record)).not.toContain(edited);
});

test("[IM16] of an export that was cut, or damaged where it begins, all that can be read comes in, and it ends with 1", async () => {
  const whole = readFileSync(file, "utf8");
  const lines = whole.trimEnd().split("\n");
  const shapes: Readonly<Record<string, readonly [string, number]>> = {
    "cut in its last line": [whole.slice(0, -20), lines.length],
    "damaged in its first line": [`{"id": br\n${whole}`, 1],
    "with empty lines before": [`\n\n{"id": br\n${whole}`, 3],
  };
  for (const [name, [text, line]] of Object.entries(shapes)) {
    const device = devices.device(`cut ${name}`);
    const path = join(device.folder, "cut.jsonl");
    writeFileSync(path, text);
    const ended = await device.run(["import", path]);
    expect([name, ended.code]).toEqual([name, 1]);
    expect(ended.stdout).toContain(`line ${line} passed over: it is no record`);
    expect(ended.stderr).toContain("1 line of the file is no record");
    const error = await device.error("import", path);
    expect(error).toMatchObject({ exit: 1, code: "unreadable" });
  }
});

test("[IM16] of a file that is broken all over each line is counted", async () => {
  const device = devices.device("broken all over");
  const path = join(device.folder, "broken.jsonl");
  const broken = Array.from({ length: 150 }, (_, n) => `{"id": br ${n}\n`).join("");
  writeFileSync(path, readFileSync(file, "utf8") + broken);
  const ended = await device.run(["import", path]);
  expect(ended.stderr).toContain("150 lines of the file are no record");
  expect(ended.stdout).toContain("… 145 more passed over");
});

test("[CP65] of two exports the older one brings back nothing that the newer one tells as forgotten", async () => {
  const home = devices.device("backups");
  const { id } = await home.json<Saved>("save", "--title", "to be forgotten");
  const [older, newer] = ["z-older.jsonl", "a-newer.jsonl"].map((name) => join(home.folder, name));
  await home.json("export", "--output", older ?? "");
  await home.json("forget", id, "--yes");
  await home.json("export", "--output", newer ?? "");
  const fresh = devices.device("from backups");
  await fresh.run(["import", newer ?? "", older ?? ""]);
  expect((await fresh.run(["show", id])).code).toBe(1);
});

test("[IM7] a file that cannot be read is told with its name, and keeps no other one back", async () => {
  const device = devices.device("unreadable");
  // What is read of it is refused to everybody, to root as well.
  const unreadable = "/proc/self/mem";
  const alone = await device.error("import", unreadable);
  expect(alone).toMatchObject({ exit: 1, code: "no-file" });
  expect(alone.hint).toBe(`ls -l ${unreadable} shows whose it is`);
  const both = await device.run(["import", unreadable, file]);
  expect(both.stdout).toContain(`${unreadable} passed over: ${unreadable} cannot be read: EIO`);
  expect(both.stdout).toContain("2 observations added");
  expect([both.code, both.stderr]).toEqual([1, expect.stringContaining("cannot be read")]);
});

test("[IM2] windows' line ends, two files in one, other orders and doubles come to the same", async () => {
  const text = readFileSync(file, "utf8");
  const lines = text.trimEnd().split("\n");
  const device = devices.device("shapes");
  const marked = `\uFEFF${text.replaceAll("\n", "\r\n")}`;
  const backwards = `${lines.toReversed().join("\n")}\n`;
  const first = await device.run(["import", "-", "--json"], backwards + marked + marked);
  expect(first.code).toBe(0);
  expect(JSON.parse(first.stdout)).toMatchObject({ added: 2, known: 4, unreadable: [] });
  const second = await device.run(["import", "-"], text);
  expect([second.code, second.stdout]).toEqual([
    0,
    expect.stringContaining("0 records added, 2 known before"),
  ]);
});

test("[IM17] a home that waits for the key of a namespace takes nothing into it, and says what to run", async () => {
  const { id } = await old.json<Saved>("namespace", "create", "vault", "--encrypted");
  const kept = await old.json<Saved>("save", "--namespace", "vault", "--title", "sealed");
  await old.json("sync");
  const path = join(old.folder, "vault.jsonl");
  await old.json("export", "--namespace", "vault", "--output", path);
  const late = devices.device("late");
  const { link } = await old.json<{ link: string }>("device", "add");
  await late.json("pair", link, "--name", "late");
  await late.run(["sync"]);
  const refused = await late.error("import", path, "--namespace", id);
  expect(refused).toMatchObject({ exit: 1, code: "no-key" });
  expect(refused.hint).toContain(`tidemark namespace admit ${id}`);
  await old.json("sync");
  await late.json("sync");
  const taken = await late.json<Imported>("import", path, "--namespace", id);
  expect(taken).toMatchObject({ added: 0, known: 1, differing: { total: 0 } });
  expect(await titleOf(late, kept.id)).toBe("sealed");
  const { items } = await late.json<{ items: readonly { record: string }[] }>("conflicts");
  expect(items.map(({ record }) => record)).not.toContain(kept.id);
});

test("[IM18] what waits in a namespace that one was taken out of is taken along by a file, as sync says", async () => {
  const bob = devices.device("bob");
  await old.json("namespace", "create", "team");
  const invited = await old.json<{ link: string }>(
    "namespace",
    "invite",
    "team",
    "--role",
    "writer",
  );
  await bob.json("pair", invited.link, "--name", "bobs", "--user", "bob");
  const kept = await bob.json<Saved>("save", "--namespace", "team", "--title", "never sent");
  await old.json("namespace", "remove", "team", "bob");
  const { hint } = await bob.error("sync");
  const [, id = ""] = /tidemark export --namespace (\S+) --output FILE/u.exec(hint) ?? [];
  expect(hint).toContain("tidemark import FILE --namespace personal");
  const path = join(bob.folder, "team.jsonl");
  await bob.json("export", "--namespace", id, "--output", path);
  const taken = await bob.json<Imported>("import", path, "--namespace", "personal");
  expect(taken).toMatchObject({ added: 1, known: 0 });
  expect(await bob.json("import", path, "--namespace", "personal")).toMatchObject({ added: 0 });
  expect(await titleOf(bob, kept.id)).toBe("never sent");
});

test("[IM40] what a shell or --json made of an export is refused with the command that writes one", async () => {
  const path = join(fresh.folder, "shown.jsonl");
  const refused = async (bytes: Buffer) => {
    writeFileSync(path, bytes);
    const { code, hint } = await fresh.error("import", path);
    expect(code).toBe("unknown-format");
    return hint;
  };
  const next = "`tidemark export --output FILE` writes a file that import reads";
  const utf16 = Buffer.from(`\uFEFF${readFileSync(file, "utf8")}`, "utf16le");
  expect(await refused(utf16)).toBe(`save it as UTF-8, or ${next}`);
  expect(await refused(Buffer.from(JSON.stringify(await old.json("export"))))).toBe(next);
  expect(await refused(Buffer.from('{"items":[]}'))).toContain("tidemark import --help");
});
