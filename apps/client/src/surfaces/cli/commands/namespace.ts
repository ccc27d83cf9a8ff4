import { fail, limits, ok, roles, type Result, type Role } from "@tidemark/protocol";
import type { MemberInfo } from "@tidemark/protocol/wire";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import type { Replica } from "../../../store/replica-store.ts";
import { namespaceStatuses } from "../../../sync/status.ts";
import { isSure, stopped } from "../ask.ts";
import type { Server } from "../../../wiring/server.ts";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { secondsOf } from "../duration.ts";
import { endKeys } from "../end-keys.ts";
import { entitleKeys, unlikeRoles } from "../entitle-keys.ts";
import { columns } from "../render/text.ts";
import { findNamespace } from "../scope.ts";
import { listDeleted } from "./namespace-delete.ts";
import { isSomebodyElse, waitingLines } from "./namespace-waiting.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";

const nameArgument = { syntax: "<namespace>", help: "its name or id" };
const userArgument = { syntax: "<user>", help: "a member's name or id" };

/** Makes a namespace to share. */
export const create: Command = {
  arguments: [{ syntax: "<name>", help: `its name, at most ${limits.nameMax} characters` }],
  options: [
    { flags: "--encrypted", help: "seal all of it on the devices: the server cannot read it" },
  ],
  notes:
    "Of an encrypted one the server sees who belongs to it, how much is written and when, and no name,\n" +
    "field or value. Each device gets its key by `tidemark namespace admit`. A recovery code is shown\n" +
    "once: without it and without a device that has the key, nobody can ever read it.",
  run: async (deps, call) => {
    const [given = ""] = call.args;
    const name = deps.home().scrub.text(given).trim();
    if (name === "") {
      return { ok: false, error: misuse("the name is empty", "tidemark namespace create --help") };
    }
    if (name.length > limits.nameMax) {
      const message = `the name is longer than ${limits.nameMax} characters`;
      return { ok: false, error: misuse(message, "give a shorter one") };
    }
    const server = await deps.server();
    const taken = namesake(deps, name);
    if (taken !== undefined) return { ok: false, error: taken };
    if (call.isOn("encrypted")) return await createEncrypted(deps, server, name);
    const made = await server.accounts.createNamespace(name, deps.signal);
    if (!made.ok) return { ok: false, error: trouble(made.error) };
    await (await deps.sync()).learnNamespaces(deps.signal);
    const text = `created ${safeText(made.value.name)} (${made.value.id})\nhint: tidemark namespace invite ${safeText(quoted(name))}`;
    return ok({ json: made.value, text });
  },
};

async function createEncrypted(deps: CliDeps, server: Server, name: string): Promise<Outcome> {
  const made = await server.keeper(deps.memory().store).create(name, deps.signal);
  if (!made.ok) return fail(trouble(made.error));
  await (await deps.sync()).learnNamespaces(deps.signal);
  const { info, recoveryCode } = made.value;
  const shown = safeText(quoted(name));
  const text =
    `created ${safeText(name)} (${info.id}), encrypted: the server keeps what it cannot read\n` +
    `recovery code, shown this once; keep it where no machine of yours is:\n\n  ${recoveryCode}\n\n` +
    `hint: tidemark namespace invite ${shown}; then tidemark namespace admit ${shown} for each device`;
  return ok({ json: { ...info, encrypted: true, recoveryCode }, text });
}

/** Two namespaces of one name could be told apart by their ids alone. */
function namesake(deps: CliDeps, name: string): Trouble | undefined {
  const lower = name.toLowerCase();
  const taken = deps
    .memory()
    .store.replicas.replicas()
    .find((replica) => replica.status !== "parked" && replica.name.toLowerCase() === lower);
  if (taken === undefined) return undefined;
  return trouble({
    code: "name-taken",
    message: `you have a namespace ${taken.name} already`,
    hint: "give another name; `tidemark namespace list` shows those that you have",
  });
}

/** Lists the namespaces of this device. */
export const list: Command = {
  options: [
    {
      flags: "--deleted",
      help: "those that were deleted and that you may restore, from the server",
    },
  ],
  run: async (deps, call) => {
    if (call.isOn("deleted")) return await listDeleted(deps);
    const items = namespaceStatuses(deps.memory().store.replicas.replicas());
    const rows = items.map((one) => [one.id, one.name, one.kind, one.role ?? "-", one.status]);
    return ok({ json: { items, total: items.length }, text: columns(rows) });
  },
};

/** Prints a link that makes somebody a member. */
export const invite: Command = {
  arguments: [nameArgument],
  options: [
    { flags: "-r, --role <role>", help: "reader, writer or admin; writer unless given" },
    { flags: "--ttl <time>", help: "how long the link works, such as 12h or 7d" },
    { flags: "--confirm", help: "who opens it waits until an admin has looked and said yes" },
    {
      flags: "--for <who>",
      help: "for whom it is, by name or address; implies --confirm. By id it lets that person in at once, anybody else waits",
    },
  ],
  notes:
    "Without --confirm and --for whoever opens the link is a member at once: give it to nobody else.\n" +
    "With them they see nothing before `tidemark namespace confirm`; `tidemark namespace members`\n" +
    "shows who waits, from where, and for whom the invite was made.",
  run: async (deps, call) => {
    const ttl = secondsOf(call.text("ttl"));
    if (!ttl.ok) return ttl;
    const role = roleOf(call.text("role") ?? "writer");
    if (!role.ok) return role;
    const found = findShared(deps, call.args[0] ?? "");
    if (!found.ok) return found;
    const wait = waitOf(deps, call);
    if (!wait.ok) return wait;
    const { accounts } = await deps.server();
    const made = await accounts.invite(
      {
        namespace: found.value.namespace,
        role: role.value,
        ...(ttl.value === undefined ? {} : { ttlSeconds: ttl.value }),
        ...wait.value,
      },
      deps.signal,
    );
    if (!made.ok) return { ok: false, error: trouble(made.error) };
    const { link, id, expiresAtMs: expiresAt } = made.value;
    const { confirm = false, madeFor } = wait.value;
    const who = madeFor === undefined ? "one person" : safeText(madeFor);
    const then = confirm
      ? `hint: who opens it waits: tidemark namespace members ${safeText(quoted(found.value.name))}\n`
      : "";
    const text = `for ${who}, until ${dateText(expiresAt)}:\n\n  tidemark pair '${link}'\n${then}`;
    return ok({ json: { link, id, expiresAt, role: role.value, ...wait.value }, text });
  },
};

function findShared(deps: CliDeps, name: string): Result<Replica, Trouble> {
  const found = findNamespace(deps.memory(), name);
  if (!found.ok || found.value.kind === "team") return found;
  return fail(
    trouble({
      code: "not-shared",
      message: `${found.value.name} is of one person and cannot be shared`,
      hint: "tidemark namespace create <name> makes one to share; tidemark device add lets in a device of yours",
    }),
  );
}

interface Wait {
  readonly confirm?: true;
  readonly madeFor?: string;
}

/** Whether who opens an invite is to wait, and for whom it is. */
function waitOf(deps: CliDeps, call: Call): Result<Wait, Trouble> {
  const given = call.text("for");
  if (given === undefined) return ok(call.isOn("confirm") ? { confirm: true } : {});
  const madeFor = deps.home().scrub.text(given).trim();
  return madeFor !== "" && madeFor.length <= limits.nameMax
    ? ok({ confirm: true, madeFor })
    : fail(misuse(`--for takes a name of 1 to ${limits.nameMax} characters`, "shorten it"));
}

/** Lists members and roles, and to those who may let them in who waits. */
export const members: Command = {
  arguments: [nameArgument],
  run: async (deps, call) => {
    const found = findNamespace(deps.memory(), call.args[0] ?? "");
    if (!found.ok) return found;
    const { accounts } = await deps.server();
    const answer = await accounts.members(found.value.namespace, deps.signal);
    if (!answer.ok) return { ok: false, error: trouble(answer.error) };
    const items = answer.value;
    const mayConfirm = found.value.role === "admin" || found.value.role === "owner";
    const waits = mayConfirm
      ? await accounts.waiting(found.value.namespace, deps.signal)
      : ok([] as const);
    if (!waits.ok) return { ok: false, error: trouble(waits.error) };
    const waiting = waits.value.map((who) => ({ ...who, isSomebodyElse: isSomebodyElse(who) }));
    const rows = items.map(({ user, role }) => [user.id, user.name, role]);
    const unlike = await unlikeRoles(deps, found.value, items);
    const text = [columns(rows), ...unlike, ...waitingLines(waits.value, deps.clock.nowMs())];
    if (waiting.length > 0)
      text.push(
        `hint: tidemark namespace confirm|decline ${safeText(quoted(found.value.name))} USER`,
      );
    return ok({ json: { items, total: items.length, waiting }, text: text.join("\n") });
  },
};

/** Changes a member's role. */
export const role: Command = {
  arguments: [nameArgument, userArgument, { syntax: "<role>", help: roles.join(", ") }],
  notes:
    "In an encrypted namespace an admin's devices also let others in and shut them out. The server has no\n" +
    "word in that: run it on a device that may do so itself, and compare the fingerprints that it shows.",
  options: [{ flags: "-y, --yes", help: "do not ask" }],
  run: async (deps, call) => {
    const [name = "", user = "", role = ""] = call.args;
    const wanted = roleOf(role);
    if (!wanted.ok) return wanted;
    const member = await findMember(deps, name, user);
    if (!member.ok) return member;
    const { accounts } = await deps.server();
    const { namespace, info } = member.value;
    const subject = { namespace: namespace.namespace, user: info.user.id };
    const done = await accounts.setRole(subject, wanted.value, deps.signal);
    if (!done.ok) return { ok: false, error: trouble(done.error) };
    const notes = await entitleKeys(deps, call, { namespace, user: info.user, role: wanted.value });
    const given = { namespace: namespace.namespace, user: info.user, role: wanted.value };
    const json = notes.length === 0 ? given : { ...given, notes };
    const told = safeText(`${info.user.name} is ${wanted.value} of ${namespace.name}`);
    return ok({ json, text: [told, ...notes].join("\n") });
  },
};

/** Removes a member. */
export const remove: Command = {
  arguments: [nameArgument, userArgument],
  options: [{ flags: "-y, --yes", help: "do not ask" }],
  notes: "They read and write nothing more; what they have on their devices stays there.",
  run: async (deps, call) => {
    const [name = "", user = ""] = call.args;
    const member = await findMember(deps, name, user);
    if (!member.ok) return member;
    const { namespace, info } = member.value;
    if (!(await isSure(deps, call, `Remove ${info.user.name} from ${namespace.name}?`)))
      return stopped;
    const { accounts } = await deps.server();
    const subject = { namespace: namespace.namespace, user: info.user.id };
    const done = await accounts.removeMember(subject, deps.signal);
    if (!done.ok) return { ok: false, error: trouble(done.error) };
    const notes = await endKeys(deps, [namespace.namespace], (one) => one.user === info.user.id);
    const json = { namespace: namespace.namespace, user: info.user, removed: true };
    const text = safeText(`removed ${info.user.name} from ${namespace.name}`);
    return ok({ json, text: [text, ...notes].join("\n") });
  },
};

/** Ends one's own membership. */
export const leave: Command = {
  arguments: [nameArgument],
  options: [{ flags: "-y, --yes", help: "do not ask" }],
  notes:
    "What is on this device stays and can be exported; nothing more is synced. The last owner makes\n" +
    "somebody else an owner first, or deletes the namespace.",
  run: async (deps, call) => {
    const found = findNamespace(deps.memory(), call.args[0] ?? "");
    if (!found.ok) return found;
    const { namespace, name } = found.value;
    if (!(await isSure(deps, call, `Leave ${name}?`))) return stopped;
    const { accounts, identity } = await deps.server();
    const subject = { namespace, user: identity.user.id };
    const done = await accounts.removeMember(subject, deps.signal);
    if (!done.ok) return { ok: false, error: trouble(done.error) };
    await (await deps.sync()).learnNamespaces(deps.signal);
    return ok({ json: { namespace, left: true }, text: safeText(`left ${name}`) });
  },
};

/** Binds the project of this folder to a namespace. */
export const use: Command = {
  arguments: [nameArgument],
  notes: "What is captured and saved in this project goes there from now on; `personal` undoes it.",
  run: (deps, call) => {
    const memory = deps.memory();
    const found = findNamespace(memory, call.args[0] ?? "");
    if (!found.ok) return found;
    const { namespace, name, role } = found.value;
    const project = deps.home().projectAt();
    const bound = memory.store.bindings.bind(project, namespace);
    if (!bound.ok) {
      const { kind: code } = bound.error;
      return fail(
        trouble({
          code,
          message: `there is no namespace ${name}`,
          hint: "tidemark namespace list",
        }),
      );
    }
    const note =
      role === "reader"
        ? "\nhint: you are a reader of it, so captures go to your personal namespace"
        : "";
    return ok({
      json: { project, namespace, name },
      text: safeText(`${project} is bound to ${name}`) + note,
    });
  },
};

function roleOf(text: string): Result<Role, Trouble> {
  const role = roles.find((one) => one === text);
  return role === undefined
    ? fail(misuse(`${text} is no role`, `roles are ${roles.join(", ")}`))
    : ok(role);
}

async function findMember(
  deps: CliDeps,
  name: string,
  user: string,
): Promise<Result<{ readonly namespace: Replica; readonly info: MemberInfo }, Trouble>> {
  const found = findNamespace(deps.memory(), name);
  if (!found.ok) return found;
  const { accounts } = await deps.server();
  const answer = await accounts.members(found.value.namespace, deps.signal);
  if (!answer.ok) return fail(trouble(answer.error));
  const fits = answer.value.filter((info) => info.user.id === user || info.user.name === user);
  const [info, second] = fits;
  if (info !== undefined && second === undefined) return ok({ namespace: found.value, info });
  const message =
    info === undefined ? `${name} has no member ${user}` : `several members are called ${user}`;
  return fail(
    trouble({ code: "unknown-user", message, hint: `tidemark namespace members ${quoted(name)}` }),
  );
}

function quoted(name: string): string {
  return /^[\w.-]+$/u.test(name) ? name : JSON.stringify(name);
}
