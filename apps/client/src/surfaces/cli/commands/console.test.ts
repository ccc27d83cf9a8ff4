import { ok } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { openerOf } from "../../../platform/open-browser.ts";
import type { CliDeps } from "../deps.ts";
import { runCli } from "../run-cli.ts";

const secret = "s".repeat(43);
const link = `https://tidemark.example/console/enter#${secret}`;

interface Given {
  readonly hasPerson?: boolean;
  readonly hasBrowser?: boolean;
}

/** Runs the command line against a server that gives a link. */
async function run(given: Given, ...argv: readonly string[]) {
  const opened: string[] = [];
  let out = "";
  let err = "";
  const answer = { path: `/console/enter#${secret}`, expiresInMs: 120_000 };
  const deps = {
    io: {
      out: (text: string) => (out += text),
      err: (text: string) => (err += text),
      hasPerson: given.hasPerson ?? false,
      hasColour: false,
    },
    version: "0.0.0",
    signal: new AbortController().signal,
    openBrowser: (url: string) => {
      opened.push(url);
      return given.hasBrowser ?? true;
    },
    server: async () => ({
      caller: {
        serverUrl: "https://tidemark.example",
        json: async () => ok(answer),
      },
    }),
  };
  const exit = await runCli(deps as unknown as CliDeps, argv);
  return { exit, out, err, opened };
}

test("[CO1] `tidemark console` prints its link, and opens it before a person who has a browser", async () => {
  const seen = await run({ hasPerson: true }, "console");
  expect([seen.exit, seen.opened]).toEqual([0, [link]]);
  expect(seen.out).toContain(link);
  expect(seen.out).toContain("opened in your browser");
  const blind = await run({ hasPerson: true, hasBrowser: false }, "console");
  expect(blind.out).toContain("open this in a browser");
  expect((await run({ hasPerson: true }, "console", "--no-open")).opened).toEqual([]);
  const script = await run({ hasPerson: true }, "console", "--json");
  expect(script.opened).toEqual([]);
  expect(JSON.parse(script.out)).toEqual({ link, expiresInMs: 120_000 });
});

test("[CO1] a browser is opened where a person sits before a screen alone", () => {
  expect(openerOf("linux", {})).toBeUndefined();
  expect(openerOf("linux", { DISPLAY: ":0" })).toEqual(["xdg-open"]);
  expect(openerOf("linux", { WAYLAND_DISPLAY: "wayland-0" })).toEqual(["xdg-open"]);
  expect(openerOf("linux", { DISPLAY: ":10", SSH_CONNECTION: "there" })).toBeUndefined();
  expect(openerOf("darwin", {})).toEqual(["open"]);
});
