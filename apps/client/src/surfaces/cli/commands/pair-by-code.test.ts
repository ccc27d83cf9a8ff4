import { fail, ok } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { CliDeps } from "../deps.ts";
import { runCli } from "../run-cli.ts";

interface Given {
  readonly hasPerson?: boolean;
  readonly answer?: string;
  readonly outcome?: "denied";
  readonly isNameShared?: boolean;
}

const address = "https://tidemark.example";

/** Runs `pair` against a server where grace's desk approves. */
async function run(given: Given, ...argv: readonly string[]) {
  const done: string[] = [];
  let err = "";
  let nowMs = 1_000_000;
  const hasPerson = given.hasPerson ?? false;
  const pairing = {
    ask: async (
      url: string,
      options: object,
      waiting: { show(shown: object): void; tick(): void },
    ) => {
      done.push(`ask ${url} ${JSON.stringify(options)}`);
      waiting.tick();
      waiting.show({ code: "WDJB-MJHT-7KQ2XN", expiresAtMs: nowMs + 300_000 });
      nowMs += 1_000;
      waiting.tick();
      if (given.outcome === "denied") {
        return fail({ code: "denied", message: "the request was denied", hint: "use a link" });
      }
      return ok({
        user: { id: "usr_1", name: "grace" },
        serverUrl: url,
        approvedBy: "desk\u001B[2J",
        isNameShared: given.isNameShared ?? false,
        accept: () => done.push("accept"),
        refuse: async () => done.push("refuse"),
      });
    },
  };
  const deps = {
    io: {
      out: () => undefined,
      err: (text: string) => (err += text),
      hasPerson,
      isErrTty: hasPerson,
      ask: async (question: string) => {
        err += question;
        return given.answer;
      },
    },
    version: "0.0.0",
    clock: { nowMs: () => nowMs },
    signal: new AbortController().signal,
    after: () => new AbortController().signal,
    pairing: async () => pairing,
    sync: async () => {
      done.push("sync");
      throw new Error("far enough");
    },
  };
  const exit = await runCli(deps as unknown as CliDeps, ["pair", ...argv]);
  return { exit, err, done };
}

test("[PR12] without a terminal, a name or --yes nothing is even asked for (abuse 26)", async () => {
  for (const argv of [[address], [address, "--json"], [address, "--name", "box"]]) {
    const ended = await run({}, ...argv);
    expect(ended).toMatchObject({ exit: 1, done: [] });
    expect(ended.err).toContain("--user NAME");
  }
  expect(await run({ hasPerson: true }, address, "--json")).toMatchObject({ exit: 1, done: [] });
});

test("[PR12] a person is shown the code, the time that is left, and whose account it is (abuse 26)", async () => {
  const ended = await run({ hasPerson: true, answer: "y" }, address, "--name", "box");
  expect(ended.done).toEqual([
    `ask ${address} {"allowPlainLan":false,"deviceName":"box"}`,
    "accept",
    "sync",
  ]);
  expect(ended.err).toContain("tidemark approve WDJB-MJHT-7KQ2XN");
  expect(ended.err).toContain("expires in 4:59");
  expect(ended.err).toContain(`Joined as grace (usr_1) at ${address}, approved by desk[2J\n`);
});

test("[PR12] nothing is sent before a yes; a no shuts the device out again (abuse 26)", async () => {
  for (const answer of ["n", "no", "what?"]) {
    const ended = await run({ hasPerson: true, answer }, address);
    expect(ended.done.slice(1)).toEqual(["refuse"]);
    expect(ended.exit).toBe(1);
  }
  expect((await run({ hasPerson: true }, address)).done.slice(1)).toEqual(["refuse"]);
  expect((await run({ hasPerson: true, answer: "" }, address)).done.slice(1)).toEqual([
    "accept",
    "sync",
  ]);
});

test("[PR12] a script names the person who is to approve, and is let in by nobody else (abuse 26)", async () => {
  expect((await run({}, address, "--user", "Grace")).done.slice(1)).toEqual(["accept", "sync"]);
  expect((await run({}, address, "--yes")).done.slice(1)).toEqual(["accept", "sync"]);
  const stranger = await run({}, address, "--user", "ada");
  expect(stranger.done.slice(1)).toEqual(["refuse"]);
  expect(stranger.err).toContain("grace (usr_1) approved, and not ada; nothing was sent");
  // A yes to anybody is none to somebody else than was named.
  expect((await run({}, address, "--user", "ada", "--yes")).done.slice(1)).toEqual(["refuse"]);
});

test("[PR12] a name that two people have lets nobody in; the id of one does", async () => {
  const shared = { isNameShared: true };
  const ended = await run(shared, address, "--user", "grace");
  expect(ended.done.slice(1)).toEqual(["refuse"]);
  expect(ended.err).toContain("--user usr_1");
  expect((await run(shared, address, "--user", "grace", "--yes")).done.slice(1)).toEqual([
    "refuse",
  ]);
  const named = await run(shared, address, "--user", "usr_1");
  expect(named.done.slice(1)).toEqual(["accept", "sync"]);
  expect((await run({}, address, "--user", "usr_2")).done.slice(1)).toEqual(["refuse"]);
});

test("[PR12] a denied device is told so (abuse 27)", async () => {
  const ended = await run({ outcome: "denied" }, address, "--yes");
  expect(ended).toMatchObject({ exit: 1 });
  expect(ended.err).toContain("error: the request was denied");
  expect(ended.done.slice(1)).toEqual([]);
});
