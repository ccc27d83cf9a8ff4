import { ok } from "@tidemark/protocol";
import { safeText } from "../../../platform/terminal.ts";
import type { AuditPart } from "../../../sync/access/audit.ts";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { auditLines } from "../render/audit.ts";
import { counted } from "../render/text.ts";
import { findNamespace } from "../scope.ts";
import { misuse, trouble } from "../trouble.ts";

const limitDefault = 50;

const limitOptions = [
  { flags: "--limit <n>", help: "at most so many", isCount: true },
  { flags: "-a, --all", help: "no limit" },
] as const;

/** Who did what, newest first. */
export const audit: Command = {
  options: [
    { flags: "-n, --namespace <name>", help: "of this namespace alone (name or id)" },
    ...limitOptions,
    { flags: "--verify", help: "check that no row was changed, taken out or put in" },
  ],
  notes:
    "Without --namespace the owner of the server reads everything; --namespace is for its admins.\n" +
    "--verify has the server follow the chain of all rows, tells from which row on it does not hold,\n" +
    "and exits with 1. What the chain cannot tell: whether somebody who owns the database wrote all\n" +
    "of it anew. Note down the last row's hash elsewhere to be able to tell.",
  run: async (deps, call) => {
    if (call.isOn("verify")) return await verified(deps, call);
    const name = call.text("namespace");
    if (name === undefined) return await listed(deps, call, { of: "server" });
    const found = findNamespace(deps.memory(), name);
    if (!found.ok) return found;
    return await listed(deps, call, { of: "namespace", namespace: found.value.namespace });
  },
};

/** What happened to the person's devices, and what they did. */
export const deviceLog: Command = {
  options: limitOptions,
  notes: "Who let which device in, from where, who renamed it or shut it out, and what yours did.",
  run: async (deps, call) => await listed(deps, call, { of: "self" }),
};

async function listed(deps: CliDeps, call: Call, part: AuditPart): Promise<Outcome> {
  const limit = call.count("limit") ?? (call.isOn("all") ? undefined : limitDefault);
  const server = await deps.server();
  const read = await server.audit.rows(part, limit, deps.signal);
  if (!read.ok) return { ok: false, error: trouble(read.error) };
  const { items, isWhole } = read.value;
  const more = isWhole ? [] : ["… older events: --limit or --all"];
  const lines = items.length === 0 ? "nothing happened yet" : auditLines(items);
  return ok({ json: { items, complete: isWhole }, text: [lines, ...more].join("\n") });
}

async function verified(deps: CliDeps, call: Call): Promise<Outcome> {
  if (call.text("namespace") !== undefined) {
    const message = "--verify checks the whole audit, not a namespace's";
    return { ok: false, error: misuse(message, "tidemark audit --verify") };
  }
  const server = await deps.server();
  const checked = await server.audit.check(deps.signal);
  if (!checked.ok) return { ok: false, error: trouble(checked.error) };
  const { rows, head, brokenAt } = checked.value;
  const json = { holds: brokenAt === undefined, rows, head, brokenAt: brokenAt ?? null };
  if (brokenAt === undefined) {
    const text = `${counted(rows, "row")} hold${rows === 1 ? "s" : ""}; the last is ${head.seq} with the hash ${safeText(head.hash)}`;
    return ok({ json, text });
  }
  return ok({
    json,
    text: `${counted(rows, "row")} from the first on ${rows === 1 ? "holds" : "hold"}`,
    trouble: trouble({
      code: "audit-broken",
      message: `the audit does not hold from row ${brokenAt} on: somebody changed it in the database`,
      hint: "look who can write to the database; compare with a backup of it",
    }),
  });
}
