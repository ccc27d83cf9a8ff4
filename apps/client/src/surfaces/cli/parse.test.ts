import { expect, test } from "vitest";
import type { CliDeps } from "./deps.ts";
import { parseArguments, type Parsed } from "./parse.ts";
import { rows } from "./table.ts";

interface Called {
  readonly parsed: Parsed;
  readonly printed: string;
}

async function parse(...argv: readonly string[]): Promise<Called> {
  let printed = "";
  const out = (text: string): void => {
    printed += text;
  };
  const parsed = await parseArguments(argv, { version: "9.9.9", io: { out } } as CliDeps);
  return { parsed, printed };
}

test("[CL1] a verb is called with its arguments and options", async () => {
  const { parsed } = await parse(
    "list",
    "--limit",
    "3",
    "-k",
    "fix",
    "-k",
    "note",
    "--all",
    "--json",
  );
  if (parsed.kind !== "command") throw new Error(parsed.kind);
  const { call } = parsed;
  expect([call.count("limit"), call.texts("kind"), call.isOn("all"), call.isJson]).toEqual([
    3,
    ["fix", "note"],
    true,
    true,
  ]);
});

test("[CL1] words of a query are joined", async () => {
  const { parsed } = await parse("search", "flaky", "login", "test");
  expect(parsed.kind === "command" && parsed.call.args).toEqual(["flaky login test"]);
});

test("[CL1] an option's value may begin with a dash", async () => {
  const { parsed } = await parse("save", "--title", "--json is an option", "--narrative", "-V");
  if (parsed.kind !== "command") throw new Error(parsed.kind);
  expect(parsed.call.text("title")).toBe("--json is an option");
  expect(parsed.call.text("narrative")).toBe("-V");
  expect(parsed.call.isJson).toBe(false);
});

test.each([[["--json", "list"]], [["list", "--json"]], [["device", "--json", "list"]]])(
  "[CL1] --json counts wherever it stands: %j",
  async (argv) => {
    const { parsed } = await parse(...argv);
    expect(parsed.kind === "command" && parsed.call.isJson).toBe(true);
  },
);

test.each([
  [["bogus"], "unknown command"],
  [["list", "--limit", "0"], "whole number"],
  [["list", "--limit", "many"], "whole number"],
  [["list", "--nope"], "unknown option"],
  [["list", "extra"], "too many arguments"],
  [["show"], "missing required argument"],
  [["device"], "a command is missing"],
  [["device", "bogus"], "unknown command"],
  [["save", "--title"], "argument missing"],
])("[CL1] %j is used wrongly", async (argv, message) => {
  const { parsed } = await parse(...argv);
  if (parsed.kind !== "misused") throw new Error(parsed.kind);
  expect(parsed.trouble.exitCode).toBe(2);
  expect(parsed.trouble.message).toContain(message);
  expect(parsed.trouble.hint).not.toBe("");
});

test.each([
  [["device"], "tidemark device --help"],
  [["device", "bogus"], "tidemark device --help"],
  [["session", "list"], "tidemark session --help"],
  [["list", "--nope"], "tidemark list --help"],
  [["bogus", "--help"], "tidemark --help"],
  [["bogus", "-h"], "tidemark --help"],
])("[CL1] %j is told where its help is", async (argv, hint) => {
  const { parsed, printed } = await parse(...argv);
  if (parsed.kind !== "misused") throw new Error(parsed.kind);
  expect(parsed.trouble.hint).toBe(hint);
  expect(printed).toBe("");
});

test("[CL2] help lists every verb and loads none", async () => {
  const { parsed, printed } = await parse("--help");
  expect(parsed.kind).toBe("printed");
  for (const { path } of rows) expect(printed).toContain(path.split(" ")[0] ?? "");
});

test("[CL2] every verb has help of its own", async () => {
  for (const { path, summary } of rows) {
    const { parsed, printed } = await parse(...path.split(" "), "--help");
    expect(parsed.kind).toBe("printed");
    expect(printed).toContain(summary);
    expect(printed).toContain("--json");
  }
});

test("[CL2] the version is printed", async () => {
  expect((await parse("--version")).printed).toBe("9.9.9\n");
  expect((await parse("version")).printed).toBe("9.9.9\n");
});

test.each([["save"], ["namespace create"], ["hook"]])(
  "[CL37] help %s prints what --help prints",
  async (path) => {
    const words = path.split(" ");
    const help = await parse("help", ...words);
    expect(help.parsed.kind).toBe("printed");
    expect(help.printed).toBe((await parse(...words, "--help")).printed);
  },
);

test("[CL37] help alone lists the verbs; of an unknown word it is wrong usage", async () => {
  expect((await parse("help")).printed).toBe((await parse("--help")).printed);
  expect((await parse("help", "namespace")).printed).toContain("invite");
  expect((await parse("help", "bogus")).parsed).toMatchObject({ kind: "misused" });
  expect((await parse("help", "namespace", "bogus")).parsed).toMatchObject({ kind: "misused" });
});

test("[CL38] help says the limits, what may be repeated and how long an id's beginning is", async () => {
  const save = (await parse("save", "--help")).printed.replace(/\s+/gu, " ");
  expect(save).toMatch(/at most 300 characters.*at most 16 KiB.*\(repeatable\)/u);
  const edit = (await parse("edit", "--help")).printed.replace(/\s+/gu, " ");
  expect(edit).toMatch(/first 6 characters.*\(repeatable\).*at most 300 characters.*16 KiB/u);
});
