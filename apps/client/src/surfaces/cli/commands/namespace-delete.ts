import { fail, isEncryptedId, ok, type Result } from "@tidemark/protocol";
import type { DeletedNamespace } from "@tidemark/protocol/wire";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import { stopped } from "../ask.ts";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { columns, counted } from "../render/text.ts";
import { findNamespace } from "../scope.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";

const dayMs = 86_400_000;

/** Deletes a namespace for everybody in it. */
export const remove: Command = {
  arguments: [{ syntax: "<namespace>", help: "its name or id" }],
  options: [{ flags: "-y, --yes", help: "do not ask for its name" }],
  notes:
    "For its owners alone. Members find nothing of it from now on; what is on their devices stays\n" +
    "there and can be exported. For 30 days an owner can bring it back as it was, with\n" +
    "`tidemark namespace restore`; after that the server erases it for good.",
  run: async (deps, call) => {
    const found = findNamespace(deps.memory(), call.args[0] ?? "");
    if (!found.ok) return found;
    const { namespace, name, kind, role } = found.value;
    if (kind !== "team") return { ok: false, error: noTeam(name) };
    if (role !== "owner") return { ok: false, error: noOwner(name) };
    const isMeant = await isNamed(deps, call, name);
    if (!isMeant.ok) return isMeant;
    if (!isMeant.value) return stopped;
    const { accounts } = await deps.server();
    const done = await accounts.deleteNamespace(namespace, deps.signal);
    if (!done.ok) return { ok: false, error: trouble(done.error) };
    await (await deps.sync()).learnNamespaces(deps.signal);
    const until = dateText(done.value.purgeAt);
    const text = `deleted ${safeText(name)}; until ${until} it comes back with:\nhint: tidemark namespace restore ${namespace}`;
    return ok({ json: done.value, text });
  },
};

/** Brings a deleted namespace back. */
export const restore: Command = {
  arguments: [{ syntax: "<namespace>", help: "its name or id" }],
  notes: "For who owned it, within 30 days. Members, roles and what they had stored are as before.",
  run: async (deps, { args: [wanted = ""] }) => {
    const { accounts } = await deps.server();
    const listed = await deletedNamespaces(deps);
    if (!listed.ok) return listed;
    const one = findDeleted(listed.value, wanted);
    if (!one.ok) return one;
    const done = await accounts.restoreNamespace(one.value.id, deps.signal);
    if (!done.ok) return { ok: false, error: trouble(done.error) };
    await (await deps.sync()).learnNamespaces(deps.signal);
    const text = safeText(`restored ${done.value.name} (${done.value.id})`);
    return ok({ json: done.value, text });
  },
};

/** Deleted namespaces that this person may restore, with what is left of their time. */
export async function listDeleted(deps: CliDeps): Promise<Outcome> {
  const listed = await deletedNamespaces(deps);
  if (!listed.ok) return listed;
  const nowMs = deps.clock.nowMs();
  const items = listed.value.map((one) => ({
    ...one,
    daysLeft: Math.max(0, Math.ceil((one.purgeAt - nowMs) / dayMs)),
  }));
  const rows = items.map(({ id, name, deletedAt, daysLeft }) => [
    id,
    name,
    `deleted ${dateText(deletedAt)}`,
    `${counted(daysLeft, "day")} left`,
  ]);
  return ok({ json: { items, total: items.length }, text: columns(rows) });
}

/** The server does not know what an encrypted one is called; this device does while it holds its replica. */
async function deletedNamespaces(
  deps: CliDeps,
): Promise<Result<readonly DeletedNamespace[], Trouble>> {
  const { accounts } = await deps.server();
  const listed = await accounts.deletedNamespaces(deps.signal);
  if (!listed.ok) return fail(trouble(listed.error));
  const { replicas } = deps.memory().store;
  const called = ({ id, name }: DeletedNamespace): string =>
    isEncryptedId(id) ? (replicas.replica(id)?.name ?? name) : name;
  return ok(listed.value.map((one) => ({ ...one, name: called(one) })));
}

/** A name has to be read to be typed; where nobody can be asked, `--yes` has to be there. */
async function isNamed(deps: CliDeps, call: Call, name: string): Promise<Result<boolean, Trouble>> {
  if (call.isOn("yes")) return ok(true);
  if (call.isJson || !deps.io.hasPerson) {
    return fail(misuse("a namespace is not deleted without a yes", "repeat with --yes"));
  }
  const shown = safeText(name);
  const question = `Delete ${shown} for all its members? Type its name to go on: `;
  return ok((await deps.io.ask(question))?.trim() === shown);
}

function findDeleted(
  deleted: readonly DeletedNamespace[],
  wanted: string,
): Result<DeletedNamespace, Trouble> {
  const [only, second] = deleted.filter(({ id, name }) => id === wanted || name === wanted);
  if (only !== undefined && second === undefined) return ok(only);
  const message =
    only === undefined
      ? `there is no deleted namespace ${wanted} that you owned`
      : `several deleted namespaces are called ${wanted}`;
  // An encrypted one whose name this device never had, or has not any more, may be the one that is meant.
  const isNamed = only !== undefined || !deleted.some(({ id }) => isEncryptedId(id));
  const hint = isNamed
    ? "`tidemark namespace list --deleted` shows them, with their ids"
    : "the server does not know what an encrypted namespace is called: give its id, which `tidemark namespace list --deleted` shows";
  return fail(trouble({ code: "unknown-namespace", message, hint }));
}

function noTeam(name: string): Trouble {
  return trouble({
    code: "forbidden",
    message: `${name} is no shared namespace, and stays`,
    hint: "`tidemark forget` erases what is in it",
  });
}

function noOwner(name: string): Trouble {
  return trouble({
    code: "forbidden",
    message: `only an owner deletes ${name}`,
    hint: "`tidemark namespace members` shows who that is; you may leave it: `tidemark namespace leave`",
  });
}
