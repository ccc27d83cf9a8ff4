import { isAtLeast, isEncryptedId, type LogRole, type Role } from "@tidemark/protocol";
import type { MemberInfo } from "@tidemark/protocol/wire";
import { safeText } from "../../platform/terminal.ts";
import type { Replica } from "../../store/replica-store.ts";
import type { AccessError } from "../../sync/access/access-error.ts";
import { isSure } from "./ask.ts";
import type { Call } from "./command.ts";
import type { CliDeps } from "./deps.ts";

/** Who got which role on the server. */
export interface RoleGiven {
  readonly namespace: Replica;
  readonly user: MemberInfo["user"];
  readonly role: Role;
}

/**
 * Lets a person's devices let others into an encrypted namespace, or no more, as their new role says
 * (EE25): the server has no word in that. Gives what to add to the answer.
 */
export async function entitleKeys(
  deps: CliDeps,
  call: Call,
  given: RoleGiven,
): Promise<readonly string[]> {
  const { namespace, user, role } = given;
  if (!isEncryptedId(namespace.namespace)) return [];
  const keeper = (await deps.server()).keeper(deps.memory().store);
  const whom = { user: user.id, role: rightOf(role) };
  const again = `tidemark namespace role ${namespace.namespace} ${user.id} ${role}`;
  const wanted = await keeper.entitle(namespace.namespace, { ...whom, isDry: true }, deps.signal);
  if (!wanted.ok) return failure(given, again, wanted.error);
  const { devices, changed } = wanted.value;
  if (devices === 0 && whom.role === "admin") return nobodyIn(given, again);
  if (changed.length === 0) return [];
  // Whose a device is, the server says: it could name another member's.
  const question = `In ${namespace.name} the devices with these fingerprints let others in then: ${changed.join(", ")}. Are they of ${user.name}?`;
  if (whom.role === "admin" && !(await isSure(deps, call, question))) {
    return [safeText(`the devices of ${user.name} let nobody in`), `hint: ${again}`];
  }
  const done = await keeper.entitle(namespace.namespace, whom, deps.signal);
  if (!done.ok) return failure(given, again, done.error);
  return whom.role === "admin"
    ? [`their devices may let others in: ${done.value.changed.join(", ")}`]
    : ["their devices let nobody else in"];
}

function failure(
  { user, role }: RoleGiven,
  again: string,
  { message, hint }: AccessError,
): readonly string[] {
  const still = rightOf(role) === "admin" ? "let nobody in yet" : "may still let others in";
  return [
    safeText(`warning: the devices of ${user.name} ${still}: ${message}`),
    safeText(`hint: ${hint}: ${again}`),
  ];
}

function nobodyIn({ namespace, user }: RoleGiven, again: string): readonly string[] {
  const admit = `tidemark namespace admit ${namespace.namespace}`;
  return [
    safeText(`no device of ${user.name} has the key yet, so none may let others in`),
    `hint: once one of theirs is in (${admit}): ${again}`,
  ];
}

/** Where an encrypted namespace's devices have another right than the server's roles say. */
export async function unlikeRoles(
  deps: CliDeps,
  { namespace }: Replica,
  members: readonly MemberInfo[],
): Promise<readonly string[]> {
  if (!isEncryptedId(namespace)) return [];
  const keeper = (await deps.server()).keeper(deps.memory().store);
  const people = await keeper.people(namespace, deps.signal);
  // A log that is not believed is what `status` tells of.
  if (!people.ok) return [];
  return members.flatMap(({ user, role }) => {
    const has = people.value.get(user.id);
    if (has === undefined || has === rightOf(role)) return [];
    const what = has === "admin" ? "may still let others in" : "may let nobody else in";
    const mend = `tidemark namespace role ${namespace} ${user.id} ${role}`;
    return [safeText(`the devices of ${user.name} ${what}`), `hint: ${mend}`];
  });
}

function rightOf(role: Role): LogRole {
  return isAtLeast(role, "admin") ? "admin" : "member";
}
