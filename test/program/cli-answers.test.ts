import { afterAll, expect, test } from "vitest";
import { createDevices } from "./client-process.ts";

const devices = createDevices();
afterAll(() => {
  devices.clear();
});

interface Shown {
  readonly id: string;
}

let count = 0;

function device() {
  count += 1;
  return devices.device(`device-${count}`);
}

test("[CL31] an unknown field and an empty title are refused, and the fields are listed", async () => {
  const one = device();
  const { id } = await one.json<Shown>("save", "--title", "kept");
  const unknown = await one.error("edit", id, "--set", "tilte=x");
  expect(unknown).toMatchObject({ exit: 2, hint: expect.stringMatching(/title\?.*narrative/) });
  expect(await one.error("edit", id, "--set", "title= ")).toMatchObject({ code: "bad-value" });
  expect(await one.json<Shown>("show", id)).toMatchObject({ title: "kept" });
});

test("[CL32] scrub tells what it had to withhold, and exits with 1", async () => {
  const one = device();
  const huge = "words and more words ".repeat(900_000);
  const ended = await one.run(["scrub"], huge);
  expect(ended.code).toBe(1);
  expect(ended.stdout).toMatch(/^__SECRET_withheld_\w+__$/);
  expect(ended.stderr).toMatch(/^error: .*too large to scrub.*\nhint: split it/);
  expect((await one.run(["scrub", "--help"])).stdout).toContain("16 Mi");
});

test("[CL32] scrub --jsonl withholds a line, does the others, and exits with 1", async () => {
  const one = device();
  const texts = ["before", "words and more words ".repeat(900_000), "after"];
  const input = texts.map((text, id) => JSON.stringify({ id, text })).join("\n");
  const { code, stdout, stderr } = await one.run(["scrub", "--jsonl"], input);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { text: string }).text)).toEqual([
    "before",
    expect.stringMatching(/^__SECRET_withheld_/),
    "after",
  ]);
  expect(stderr).toMatch(/^error: line 2 .*\nerror: 1 of 3 lines was too large.*\nhint: /);
  expect(code).toBe(1);
});

test("[CL33] an empty context says why it is empty", async () => {
  const one = device();
  expect((await one.run(["context"])).stdout).toMatch(/nothing is remembered of path:/);
  await one.json("save", "--title", "The login test needs a fixed clock");
  expect((await one.run(["context", "--prompt", "hello"])).stdout).toBe(
    "nothing to give: nothing in memory fits this prompt\n",
  );
  expect((await one.run(["context", "--tokens", "100"])).stdout).toMatch(
    /^nothing to give: the budget of 100 tokens is too small for any record\n/,
  );
});

test("[CL34] what is no conflict is told as what it is", async () => {
  const one = device();
  const { id } = await one.json<Shown>("save", "--title", "T");
  const ended = await one.run(["resolve", id]);
  expect([ended.code, ended.stderr]).toEqual([
    1,
    `error: ${id} is no conflict, it is of the kind observation\nhint: tidemark conflicts\n`,
  ]);
});

test.each([
  [[" "], "empty"],
  [["n".repeat(65)], "longer than 64 characters"],
])("[CL36] a namespace cannot be called %j", async (args, why) => {
  const ended = await devices.device("refusals").run(["namespace", "create", ...args]);
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(why)]);
});

test("[CL37] hook --help prints help, starts no hook and counts no skip", async () => {
  const one = device();
  for (const args of [
    ["hook", "--help"],
    ["hook", "-h"],
    ["help", "hook"],
  ]) {
    const { code, stdout } = await one.run(args);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Usage: tidemark hook /)]);
  }
  const { stdout } = await one.run(["doctor"]);
  expect(stdout).toContain("hooks: nothing was left out");
});

test("[CL39] a list over several namespaces names them", async () => {
  const one = device();
  await one.json("save", "--title", "here");
  expect((await one.run(["list"])).stdout).not.toContain("(in ");
  const { id } = await one.json<Shown>("save", "--title", "there", "--local");
  const { stdout } = await one.run(["list"]);
  expect(stdout).toMatch(/there {2}\(in local\)\n.*here {2}\(in personal\)\n$/);
  expect((await one.run(["show", id])).stdout).toMatch(/^namespace +local$/m);
});

test("[CL40] the history prints times as dates", async () => {
  const one = device();
  const { id } = await one.json<Shown>("save", "--title", "T");
  expect((await one.run(["history", id])).stdout).toMatch(/createdAt .* \d{4}-\d\d-\d\dT[\d:]+Z$/m);
});

test("[RC13] an agent that pins in its shell vouches for nothing", async () => {
  const one = device();
  const { id } = await one.json<Shown>("save", "--title", "kept");
  await one.json("pin", id);
  const said = await one.run(["history", id]);
  expect(said.stdout).toMatch(/pinnedOrigin .* user$/m);
  const { id: other } = await one.json<Shown>("save", "--title", "read somewhere");
  await one.runAsAgent("pin", other);
  expect((await one.run(["history", other])).stdout).toMatch(/pinnedOrigin .* agent$/m);
});
