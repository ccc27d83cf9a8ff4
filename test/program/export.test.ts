import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { afterAll, expect, test } from "vitest";
import { clientProgram, createDevices, type TestDevice } from "./client-process.ts";

const devices = createDevices();
afterAll(() => {
  devices.clear();
});

test("[IM10] Markdown: a file for each project, and an index, in a folder of their own", async () => {
  const device = devices.device("markdown");
  const save = (...more: readonly string[]) =>
    device.json<{ id: string }>("save", "--kind", "decision", ...more);
  await save(
    "--title",
    "Money is an integer",
    "--narrative",
    "Floats lost a cent.",
    "--fact",
    "Cents, not euros",
  );
  const hidden = await save("--title", "# [Click](https://evil.example)");
  await device.json("archive", hidden.id);
  const folder = join(device.folder, "out");
  const written = await device.json("export", "--format", "markdown", "--out", folder);
  expect(written).toMatchObject({ observations: 2, files: [{ observations: 2 }] });
  const names = readdirSync(folder);
  expect(names).toHaveLength(2);
  const file = names.find((name) => name !== "index.md") ?? "";
  const text = readFileSync(join(folder, file), "utf8");
  expect(text).toContain("### Money is an integer\n");
  expect(text).toContain("Floats lost a cent.");
  expect(text).toContain("- Cents, not euros");
  expect(text).toContain(String.raw`### \# \[Click\](https\://evil.example)`);
  expect(text).toContain("archived");
  expect(readFileSync(join(folder, "index.md"), "utf8")).toContain(`](${file}): 2 observations`);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
});

test("[IM10] nothing is written over, and a wrong use says the right one", async () => {
  const device = devices.device("over");
  await device.json("save", "--title", "One");
  expect(
    await device.error("export", "--format", "markdown", "--out", device.folder + "/.."),
  ).toMatchObject({
    exit: 1,
    code: "exists",
  });
  for (const args of [
    ["--format", "markdown"],
    ["--out", "x"],
    ["--format", "pdf"],
    ["--format", "markdown", "--out", "x", "--output", "y"],
  ]) {
    const ended = await device.error("export", ...args);
    expect([args, ended.exit, ended.hint !== ""]).toEqual([args, 2, true]);
  }
  expect(readdirSync(device.folder)).toEqual([]);
});

/** A line of an export, of about a kilobyte. */
function lineOf(index: number): string {
  const fields = { kind: "note", title: `Note ${index}`, narrative: "word ".repeat(180) };
  const id = `n${String(index).padStart(25, "0")}`;
  return JSON.stringify({ id, collection: "observation", lamport: 1, writer: "w", at: 5, fields });
}

async function filled(name: string, records: number): Promise<TestDevice> {
  const device = devices.device(name);
  const lines = Array.from({ length: records }, (_, index) => lineOf(index));
  const taken = await device.run(["import", "-"], lines.join("\n"));
  expect([taken.code, taken.stderr]).toEqual([0, ""]);
  return device;
}

/** Runs the client as on a disk with no more room: a write is cut and the next one refused. */
function runWithoutRoom({ home }: TestDevice, blocks: number, ...args: readonly string[]): string {
  const limited = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`;
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TIDEMARK_HOME: home, TIDEMARK_KEYCHAIN: "off" }; // prettier-ignore
  const line = [process.execPath, clientProgram, ...args];
  return execFileSync("bash", ["-c", limited, ...line], { env, stdio: "pipe" }).toString();
}

test.skipIf(process.platform === "win32")(
  "[IM19] an export for which there is no room leaves no file that looks like one, and its name free",
  async () => {
    const device = await filled("no-room", 1_000);
    const path = join(device.folder, "memory.jsonl");
    expect(() => runWithoutRoom(device, 600, "export", "--output", path)).toThrow(
      /memory\.jsonl cannot be written[^]*EFBIG/u,
    );
    expect(readdirSync(device.folder)).toEqual([]);
    expect(await device.json("export", "--output", path)).toMatchObject({ records: 1_000 });
    const folder = join(device.folder, "notes", "memory");
    const args = ["export", "--format", "markdown", "--out", folder];
    expect(() => runWithoutRoom(device, 600, ...args)).toThrow(/\.md cannot be written[^]*EFBIG/u);
    expect(readdirSync(device.folder)).toEqual(["memory.jsonl"]);
    expect(await device.json(...args)).toMatchObject({ observations: 1_000 });
  },
);
