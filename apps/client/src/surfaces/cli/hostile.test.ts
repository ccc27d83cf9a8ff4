import { fail, ok } from "@tidemark/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../../store/store.ts";
import { world } from "../../store/testing/world.ts";
import type { CliDeps } from "./deps.ts";
import { runCli } from "./run-cli.ts";
import { rows } from "./table.ts";

/** All that a terminal acts on, or that hides what is there. */
const evil =
  "\u001B[2J\u001B]0;owned\u0007\u001B]52;c;b3duZWQ=\u0007\u001BPdcs\u001B\\\u009B31m\rover\b\u202E\u2066" +
  "\u200B\u{E0041}\uFEFF\0\u0085\u2028" +
  `Z${"\u0301".repeat(1_000)}`;
const acted = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const stacked = /\p{M}{5}/u;

let store: Store;
beforeAll(() => {
  ({ a: store } = world());
});
afterAll(() => {
  store.close();
});

const named = { id: "usr_1", name: evil };
const device = {
  id: "dev_1",
  name: evil,
  platform: evil,
  status: "active",
  kind: "ci",
  namespace: evil,
  roleMax: "writer",
  link: evil,
  lastSeenAt: null,
};
const link = {
  id: "abcdefgh",
  kind: "ci",
  namespace: evil,
  role: evil,
  status: "open",
  uses: 0,
  usesMax: 2,
  expiresAt: 1_790_000_000_000,
  devices: 1,
};
const details = { name: evil, platform: evil, by: evil, approvedBy: evil, from: evil, to: evil };
const events = [
  "device-joined",
  "device-renamed",
  "role-changed",
  "link-created",
  "key-copied",
  "something-of-a-later-version",
  evil,
];
const audited = events.map((event, at) => ({
  seq: at + 1,
  at: 1_790_000_000_000,
  event,
  user: named,
  device: named,
  namespace: named,
  network: evil,
  details,
  hash: evil,
}));

/** Runs a command against a server whose every text is hostile, or that fails in hostile words. */
async function run(argv: readonly string[], isFailing = false): Promise<string> {
  let printed = "";
  const print = (text: string): void => {
    printed += text;
  };
  const error = { code: "refused", message: evil, hint: evil };
  const answer = async <T>(value: T) => await Promise.resolve(isFailing ? fail(error) : ok(value));
  const server = {
    identity: { device: named, user: named, server: { id: "srv_1", url: "https://a.example" } },
    accounts: {
      devices: async () => await answer([device]),
      links: async () => await answer([link]),
      members: async () => await answer([{ user: named, role: "reader" }]),
      waiting: async () =>
        await answer([
          {
            user: named,
            role: "reader",
            since: 1,
            device: { name: evil, platform: evil },
            network: evil,
            invitedBy: named,
            madeFor: `for ${evil}`,
          },
        ]),
    },
    audit: {
      rows: async () => await answer({ items: audited, isWhole: false }),
      check: async () => await answer({ rows: 3, head: { seq: 3, hash: evil } }),
    },
  };
  const deps = {
    io: { out: print, err: print, isOutTty: true, isErrTty: true, width: 80, hasPerson: false },
    clock: { nowMs: () => 1_790_000_100_000 },
    version: "0.0.0",
    signal: new AbortController().signal,
    memory: () => ({ store }),
    home: () => ({
      identity: () => server.identity,
      projectAt: () => evil,
      scrub: { text: (text: string) => text },
    }),
    server: async () => await Promise.resolve(server),
    diagnose: async () =>
      await Promise.resolve([{ name: "database", status: "FAIL", message: evil, fix: evil }]),
  };
  await runCli(deps as unknown as CliDeps, argv);
  expect(printed.length).toBeGreaterThan(10);
  return printed;
}

function expectHarmless(printed: string, isJson: boolean): void {
  // Lines are ours; columns are made of blanks.
  expect(printed.replaceAll("\n", "")).not.toMatch(acted);
  // Text of a person is kept whole in JSON, where it is escaped and not shown.
  if (!isJson) expect(printed).not.toMatch(stacked);
}

const told: readonly (readonly string[])[] = [
  ["device", "list"],
  ["device", "links"],
  ["device", "log"],
  ["audit"],
  ["audit", "--verify"],
  ["namespace", "members", "personal"],
  ["doctor"],
];

test.each(told.flatMap((argv) => [[argv], [[...argv, "--json"]]]))(
  "[CL4] %j prints nothing that a terminal acts on, whatever the server says (abuse 173)",
  async (argv) => {
    for (const isFailing of [false, true]) {
      const printed = await run(argv, isFailing);
      expectHarmless(printed, argv.includes("--json"));
      // What is left of it shows that it was printed.
      expect(printed).toContain("Z");
    }
  },
);

test.each(rows.map(({ path }) => path))(
  "[CL4] %s repeats no word of its caller that a terminal acts on (abuse 173)",
  async (path) => {
    for (const words of [
      [evil, "--help-of-none"],
      [`--${evil}`],
      ["--limit", evil],
      ["--namespace", evil, "--json", "--x"],
    ]) {
      expectHarmless(await run([...path.split(" "), ...words]), true);
    }
  },
);

test("[CL4] a verb that is none is not repeated as it came (abuse 173)", async () => {
  for (const argv of [[evil], ["device", evil], [evil, "--json"], ["help", evil]])
    expectHarmless(await run(argv), true);
});
