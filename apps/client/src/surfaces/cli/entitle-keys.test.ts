import { fail, ok } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Entitled, Entitlement } from "../../sync/sealed/entitling.ts";
import { needsEntitledDevice } from "../../sync/sealed/refusals.ts";
import type { CliDeps } from "./deps.ts";
import { runCli } from "./run-cli.ts";

const vault = { namespace: "nse_vault", name: "vault", kind: "team", role: "owner" };
const grace = { user: { id: "usr_grace", name: "grace" }, role: "writer" };
const entitled: Entitled = { devices: 2, changed: ["aaaa-bbbb", "cccc-dddd"] };

/** Runs `namespace role` for grace, with what a person answers; undefined where nobody is there. */
async function run(
  role: string,
  {
    answer,
    refused = false,
    found = entitled,
    argv = [],
  }: { answer?: string; refused?: boolean; found?: Entitled; argv?: readonly string[] },
) {
  const asked: string[] = [];
  const said: Entitlement[] = [];
  let out = "";
  const deps = {
    io: {
      out: (text: string) => (out += text),
      err: () => undefined,
      hasPerson: answer !== undefined,
      ask: async (question: string) => {
        asked.push(question);
        return answer;
      },
    },
    version: "0.0.0",
    signal: new AbortController().signal,
    memory: () => ({ store: { replicas: { replicas: () => [vault] } } }),
    server: async () => ({
      accounts: { members: async () => ok([grace]), setRole: async () => ok(undefined) },
      keeper: () => ({
        entitle: async (_: string, whom: Entitlement) => {
          said.push(whom);
          return refused ? fail(needsEntitledDevice) : ok(found);
        },
      }),
    }),
  };
  const args = ["namespace", "role", "vault", "grace", role, ...argv];
  const exit = await runCli(deps as unknown as CliDeps, args);
  return { exit, out, asked, signed: said.filter(({ isDry }) => isDry !== true) };
}

const admin = { user: "usr_grace", role: "admin" };

test("[EE25] a person is asked whether the fingerprints are that person's before anything is signed", async () => {
  const yes = await run("admin", { answer: "y" });
  expect(yes.asked).toEqual([expect.stringContaining("aaaa-bbbb, cccc-dddd. Are they of grace?")]);
  expect(yes.signed).toEqual([admin]);
  const no = await run("admin", { answer: "n" });
  expect(no.signed).toEqual([]);
  expect(no.out).toContain("grace is admin of vault\nthe devices of grace let nobody in\nhint: ");
  const sure = await run("admin", { answer: "n", argv: ["--yes"] });
  expect([sure.asked, sure.signed]).toEqual([[], [admin]]);
});

test("[EE25] a script is told the fingerprints in its answer, and what could not be done", async () => {
  const done = await run("admin", { argv: ["--json"] });
  expect(JSON.parse(done.out)).toMatchObject({
    notes: ["their devices may let others in: aaaa-bbbb, cccc-dddd"],
  });
  const refused = await run("reader", { refused: true, argv: ["--json"] });
  expect(refused.signed).toEqual([]);
  expect(JSON.parse(refused.out)).toMatchObject({
    role: "reader",
    notes: [
      expect.stringContaining("warning: the devices of grace may still let others in"),
      expect.stringContaining("tidemark namespace role nse_vault usr_grace reader"),
    ],
  });
});

test("[EE25] where nothing is to be changed nothing is asked, signed or said", async () => {
  const { asked, signed, out } = await run("admin", { answer: "n", found: { devices: 2, changed: [] } }); // prettier-ignore
  expect([asked, signed, out]).toEqual([[], [], "grace is admin of vault\n"]);
});

test("[EE25] taking the right away asks nobody", async () => {
  const { asked, signed, out } = await run("writer", { answer: "n" });
  expect(asked).toEqual([]);
  expect(signed).toEqual([{ user: "usr_grace", role: "member" }]);
  expect(out).toContain("their devices let nobody else in");
});
