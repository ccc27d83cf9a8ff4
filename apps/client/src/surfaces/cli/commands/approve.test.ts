import { ok } from "@tidemark/protocol";
import type { PairFacts } from "@tidemark/protocol/wire";
import { expect, test } from "vitest";
import type { CliDeps } from "../deps.ts";
import { runCli } from "../run-cli.ts";
import { lastWord } from "./approve.ts";

const code = "WDJB-MJHT-7KQ2XN";
const facts: PairFacts = {
  id: "pair_1",
  name: "Ada's thinkpad-x1",
  platform: "linux x64",
  thumbprint: "t".repeat(43),
  mac: "mac",
  salt: "salt",
  network: "203.0.113.0/24",
  isSameNetwork: false,
  ageMs: 12_400,
  expiresInMs: 281_000,
};

interface Given {
  readonly facts?: PairFacts;
  readonly isGenuine?: boolean;
  readonly hasPerson?: boolean;
  readonly answer?: string;
}

/** Runs the command line against a server that shows these facts. */
async function run(given: Given, ...argv: readonly string[]) {
  const sent: string[] = [];
  let out = "";
  let err = "";
  const decide = (verb: string) => async () => {
    sent.push(verb);
    return ok(undefined);
  };
  const deps = {
    io: {
      out: (text: string) => (out += text),
      err: (text: string) => (err += text),
      hasPerson: given.hasPerson ?? false,
      hasColour: false,
      ask: async (question: string) => {
        err += question;
        return given.answer;
      },
    },
    version: "0.0.0",
    signal: new AbortController().signal,
    server: async () => ({
      identity: { user: { name: "ada" }, server: { url: "https://tidemark.example" } },
      approvals: {
        lookUp: async (text: string) => {
          sent.push(`look up ${text}`);
          return ok(given.facts ?? facts);
        },
        isGenuine: async (_: PairFacts, half: string) =>
          (given.isGenuine ?? true) && half === "7KQ2XN",
        approve: decide("approve"),
        deny: decide("deny"),
      },
    }),
  };
  const exit = await runCli(deps as unknown as CliDeps, argv);
  return { exit, out, err, sent };
}

test("[PR11] a person sees who asks, and types the last word of its name", async () => {
  const ended = await run({ hasPerson: true, answer: " X1 " }, "approve", "wdjb mjht 7kq2xn");
  expect(ended).toMatchObject({ exit: 0, out: "approved Ada's thinkpad-x1: it is yours now\n" });
  expect(ended.sent).toEqual(["look up WDJBMJHT", "approve"]);
  for (const shown of [
    "as ada at https://tidemark.example",
    "name      Ada's thinkpad-x1",
    "system    linux x64",
    "203.0.113.0/24  [a DIFFERENT network than yours]",
    "asked     12 s ago, expires in 4:41",
  ]) {
    expect(ended.err).toContain(shown);
  }
  const same = { ...facts, isSameNetwork: true };
  expect((await run({ facts: same }, "approve", code, "--yes")).err).toContain("[the SAME network");
  const unknown = { ...facts, network: null, isSameNetwork: null };
  expect((await run({ facts: unknown }, "approve", code, "--yes")).err).toContain("not known");
});

test("[PR11] another word, or none, lets nobody in", async () => {
  for (const answer of ["y", "yes", "thinkpad", "", undefined]) {
    const given = { hasPerson: true, ...(answer === undefined ? {} : { answer }) };
    const ended = await run(given, "approve", code);
    expect([ended.exit, ended.sent]).toEqual([1, ["look up WDJBMJHT"]]);
  }
  expect(lastWord("thinkpad-x1")).toBe("x1");
  expect(lastWord("Größe (Küche)")).toBe("küche");
  for (const name of ["★", "", "\u3164", "\u115F\u1160", "a \u034F", "\u2800", "yes", "laptop-Y"]) {
    expect(lastWord(name)).toBe(name === "a \u034F" ? "a" : undefined);
  }
});

test("[PR11] where its name has no word to read, the code is typed, and no habit lets it in", async () => {
  for (const name of ["\u3164", "\u115F\u1160", "yes", "laptop y", "★", "\u034F"]) {
    const shown = { ...facts, name };
    for (const answer of ["", "y", "yes", "★", "\u3164", "7KQ2XM", undefined]) {
      const given = { facts: shown, hasPerson: true, ...(answer === undefined ? {} : { answer }) };
      const ended = await run(given, "approve", code);
      expect([ended.exit, ended.sent]).toEqual([1, ["look up WDJBMJHT"]]);
      expect(ended.err).toContain("last 6 characters");
      expect(ended.err).not.toContain("7KQ2XN");
    }
    const meant = await run({ facts: shown, hasPerson: true, answer: "7kq2xn " }, "approve", code);
    expect([meant.exit, meant.sent]).toEqual([0, ["look up WDJBMJHT", "approve"]]);
  }
});

test("[PR11] a script says --yes, and finds the facts on standard error", async () => {
  const silent = await run({}, "approve", code);
  expect(silent).toMatchObject({ exit: 1, sent: [] });
  expect(silent.err).toContain("--yes");
  expect(await run({ hasPerson: true }, "approve", code, "--json")).toMatchObject({
    exit: 1,
    sent: [],
  });
  const ended = await run({}, "approve", code, "--yes", "--json");
  expect(ended).toMatchObject({ exit: 0, sent: ["look up WDJBMJHT", "approve"] });
  expect(ended.err).toContain("DIFFERENT network");
  expect(JSON.parse(ended.out)).toEqual({
    name: facts.name,
    platform: facts.platform,
    network: facts.network,
    sameNetwork: false,
    status: "approved",
  });
});

test("[PR3] where key or name do not fit the code, it stops and sends nothing (abuse 18, 19)", async () => {
  for (const argv of [[code], [code, "--yes"], ["WDJB-MJHT-7KQ2XM", "--yes"]]) {
    const isGenuine = argv[0] !== code;
    const ended = await run({ isGenuine, hasPerson: true, answer: "x1" }, "approve", ...argv);
    expect(ended).toMatchObject({ exit: 1, out: "", sent: ["look up WDJBMJHT"] });
    expect(ended.err).toContain("no approval was sent");
    expect(ended.err).not.toContain("thinkpad");
  }
});

test("[PR11] a no needs neither the second half nor an answer", async () => {
  const ended = await run({}, "approve", "WDJB-MJHT", "--deny", "--json");
  expect(ended).toMatchObject({ exit: 0, sent: ["look up WDJBMJHT", "deny"] });
  expect(JSON.parse(ended.out)).toMatchObject({ status: "denied" });
});

test("[PR2] what is no code, or half of one, is told before the server is asked (abuse 11)", async () => {
  for (const text of ["AEIO-UAEI-123456", "WDJB", "ＷDJB-MJHT-7KQ2XN", "WDJB-MJHT"]) {
    expect(await run({}, "approve", text, "--yes")).toMatchObject({ exit: 2, sent: [] });
  }
});

test("[PR11] a name that draws on the terminal is one safe line (abuse 23)", async () => {
  const name = `\u001B[2Jdesk\u202E\n  network   203.0.113.0/24  [the SAME network as yours]${"x".repeat(9_000)}`;
  const { err, out } = await run({ facts: { ...facts, name } }, "approve", code, "--yes");
  for (const sign of ["\u001B", "\u202E"]) expect(err + out).not.toContain(sign);
  const lines = err.split("\n");
  expect(lines.filter((line) => line.startsWith("  network"))).toEqual([
    "  network   203.0.113.0/24  [a DIFFERENT network than yours]",
  ]);
  const shown = lines.find((line) => line.startsWith("  name")) ?? "";
  expect(shown.length).toBeLessThan(100);
});
