import { fail, ok } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { CliDeps } from "../deps.ts";
import { runCli } from "../run-cli.ts";

const dayMs = 86_400_000;
const nowMs = 1_790_000_000_000;
const crew = { namespace: "ns_crew", name: "crew", kind: "team", role: "owner", status: "active" };
const gone = { id: "ns_gone", name: "gone", deletedAt: nowMs - dayMs, purgeAt: nowMs + 29 * dayMs };

const vault = { ...gone, id: `nse_${"a".repeat(22)}`, name: "encrypted" };
const lost = { ...gone, id: `nse_${"b".repeat(22)}`, name: "encrypted" };

interface Given {
  readonly answer?: string;
  readonly role?: string;
  readonly kind?: string;
  readonly refusal?: string;
  /** Deleted namespaces more, whose names the server does not know. */
  readonly sealed?: readonly object[];
}

/** Runs the command line against a server that deletes and restores what it is told to. */
async function run(given: Given, ...argv: readonly string[]) {
  const done: string[] = [];
  const asked: string[] = [];
  let out = "";
  let err = "";
  const replica = { ...crew, role: given.role ?? "owner", kind: given.kind ?? "team" };
  const answer = (word: string, value: object) => async (namespace: string) => {
    if (given.refusal !== undefined) {
      return fail({ code: given.refusal, message: "no", hint: "no" });
    }
    done.push(`${word} ${namespace}`);
    return ok(value);
  };
  const accounts = {
    deleteNamespace: answer("delete", { ...gone, id: "ns_crew", name: "crew" }),
    restoreNamespace: answer("restore", { ...crew, id: "ns_gone", name: "gone", head: 3 }),
    deletedNamespaces: async () =>
      ok([
        gone,
        { ...gone, id: "ns_same" },
        { ...gone, id: "ns_x", name: "x" },
        ...(given.sealed ?? []),
      ]),
    removeMember: async ({ namespace, user }: { namespace: string; user: string }) => {
      done.push(`leave ${namespace} ${user}`);
      return ok(undefined);
    },
  };
  const deps = {
    io: {
      out: (text: string) => (out += text),
      err: (text: string) => (err += text),
      hasPerson: given.answer !== undefined,
      ask: async (question: string) => {
        asked.push(question);
        return given.answer;
      },
    },
    clock: { nowMs: () => nowMs },
    version: "0.0.0",
    signal: new AbortController().signal,
    memory: () => ({
      store: {
        replicas: {
          replicas: () => [replica],
          replica: (id: string) => (id === vault.id ? { name: "vault" } : undefined),
        },
        bindings: { personal: () => "ns_p" },
      },
    }),
    server: async () => ({ accounts, identity: { user: { id: "usr_me" } } }),
    sync: async () => ({ learnNamespaces: async () => void done.push("learn") }),
  };
  const exit = await runCli(deps as unknown as CliDeps, ["namespace", ...argv]);
  return { exit, out, err, asked, done };
}

test("[NS22] deleting takes the name, or --yes, and says until when it comes back", async () => {
  const typed = await run({ answer: "crew" }, "delete", "crew");
  expect(typed.asked).toEqual(["Delete crew for all its members? Type its name to go on: "]);
  expect(typed.done).toEqual(["delete ns_crew", "learn"]);
  expect(typed.out).toContain("tidemark namespace restore ns_crew");
  for (const answer of ["y", "yes", "", "Crew"]) {
    expect(await run({ answer }, "delete", "crew")).toMatchObject({ exit: 1, done: [] });
  }
  expect(await run({}, "delete", "crew")).toMatchObject({ exit: 2, done: [] });
  expect(await run({}, "delete", "crew", "--json")).toMatchObject({ exit: 2, done: [] });
  const told = await run({}, "delete", "crew", "--yes", "--json");
  expect(JSON.parse(told.out)).toMatchObject({ id: "ns_crew", purgeAt: gone.purgeAt });
});

test("[NS22] who may not delete is told before the server is asked", async () => {
  const admin = await run({ role: "admin" }, "delete", "crew", "--yes");
  expect(admin).toMatchObject({ exit: 1, done: [] });
  expect(admin.err).toContain("tidemark namespace leave");
  const own = await run({ kind: "personal" }, "delete", "crew", "--yes");
  expect(own).toMatchObject({ exit: 1, done: [] });
});

test("[NS22] what was deleted is listed with the days that are left, and restored by name or id", async () => {
  const listed = await run({}, "list", "--deleted");
  expect(listed.out).toMatch(/^ns_gone +gone +deleted \S+.* 29 days left$/m);
  const json = JSON.parse((await run({}, "list", "--deleted", "--json")).out) as object;
  expect(json).toMatchObject({ total: 3, items: [{ id: "ns_gone", daysLeft: 29 }, {}, {}] });
  expect((await run({}, "restore", "x")).done).toEqual(["restore ns_x", "learn"]);
  expect((await run({}, "restore", "ns_same")).done).toEqual(["restore ns_same", "learn"]);
  const unclear = await run({}, "restore", "gone");
  expect(unclear).toMatchObject({ exit: 1, done: [] });
  expect(unclear.err).toContain("tidemark namespace list --deleted");
});

test("[NS22] an encrypted one is restored by the name that this device knows, else by its id, which is said", async () => {
  const sealed = [vault, lost];
  expect((await run({ sealed }, "restore", "vault")).done).toEqual([
    `restore ${vault.id}`,
    "learn",
  ]);
  const unknown = await run({ sealed }, "restore", "safe");
  expect(unknown).toMatchObject({ exit: 1, done: [] });
  expect(unknown.err).toContain("there is no deleted namespace safe that you owned");
  expect(unknown.err).toMatch(/give its id, which `tidemark namespace list --deleted` shows/u);
  expect((await run({ sealed }, "restore", lost.id)).done).toEqual([`restore ${lost.id}`, "learn"]);
  expect((await run({ sealed }, "list", "--deleted")).out).toMatch(/^nse_a+ +vault +deleted /mu);
  expect((await run({}, "restore", "safe")).err).not.toContain("give its id");
});

test("[NS2] everybody may leave, by a command of its own", async () => {
  expect((await run({ answer: "n" }, "leave", "crew")).done).toEqual([]);
  expect((await run({ answer: "y" }, "leave", "crew")).done).toEqual([
    "leave ns_crew usr_me",
    "learn",
  ]);
});
