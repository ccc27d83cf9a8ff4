import {
  fail,
  isAtLeast,
  ok,
  type DeviceId,
  type Result,
  type Role,
  type UserId,
} from "@tidemark/protocol";
import type { Named, WaitingMember, WaitingPlace } from "@tidemark/protocol/wire";
import type { AccountStore, MembershipActor, WaitingError } from "../accounts-port.ts";
import { higherRole } from "../admission-rules.ts";
import { waitingEntry } from "../audit-entries.ts";
import { judgeWaiting } from "../membership-rules.ts";
import type { AccountState } from "./account-state.ts";
import { appendAudit } from "./audit.ts";
import { activeUser } from "./membership.ts";
import { saveMember, type NamespaceState } from "./namespace-state.ts";

/** Who waits to be let into a namespace, in memory. */
export function waitingMethods(
  state: AccountState,
  clock: { nowMs(): number },
): Pick<AccountStore, "waitingPlaces" | "waiting" | "confirmMember" | "declineMember"> {
  return {
    waitingPlaces: async (asking) => placesOf(state, asking),
    waiting: async (actor) => {
      const namespace = state.namespaces.get(actor.namespace);
      const user = activeUser(state, actor);
      const role = user === undefined ? undefined : namespace?.members.get(user);
      if (namespace === undefined || role === undefined) return fail({ kind: "not-found" });
      if (!isAtLeast(role, "admin")) return fail({ kind: "forbidden" });
      return ok(waitingIn(state, namespace));
    },
    confirmMember: async (actor, user, role) =>
      decide(state, actor, { user, shown: role, nowMs: clock.nowMs() }),
    declineMember: async (actor, user) =>
      decide(state, actor, { user, shown: undefined, nowMs: clock.nowMs() }),
  };
}

function placesOf(state: AccountState, asking: DeviceId): readonly WaitingPlace[] {
  const device = state.devices.get(asking);
  if (device?.status !== "active" || device.only !== undefined) return [];
  return [...state.namespaces.values()]
    .filter(({ deleted }) => deleted === undefined)
    .flatMap(({ id, name, waiting }) => {
      const row = waiting.get(device.user);
      return row === undefined ? [] : [{ place: { id, name, role: row.role }, at: row.sinceMs }];
    })
    .toSorted((left, right) => left.at - right.at)
    .map(({ place }) => place);
}

function waitingIn(state: AccountState, { waiting }: NamespaceState): readonly WaitingMember[] {
  const named = (id: UserId): Named<UserId> => namedIn(state, id);
  return [...waiting].map(([id, row]) => {
    const { role, sinceMs: since, network, madeFor } = row;
    const device = state.devices.get(row.device);
    return {
      user: named(id),
      role,
      since,
      device: { name: device?.joinedName ?? "", platform: device?.platform ?? "" },
      ...(network === undefined ? {} : { network }),
      invitedBy: named(row.invitedBy),
      ...(madeFor === undefined ? {} : { madeFor }),
    };
  });
}

function decide(
  state: AccountState,
  actor: MembershipActor,
  target: { readonly user: UserId; readonly shown: Role | undefined; readonly nowMs: number },
): Result<void, WaitingError> {
  const { user, shown, nowMs } = target;
  const namespace = state.namespaces.get(actor.namespace);
  const asking = activeUser(state, actor);
  const actorRole = asking === undefined ? undefined : namespace?.members.get(asking);
  const row = namespace?.waiting.get(user);
  const verdict = judgeWaiting({ actorRole, waitingRole: row?.role }, shown);
  if (!verdict.ok) return verdict;
  if (namespace === undefined || asking === undefined || row === undefined) {
    return fail({ kind: "not-found" });
  }
  settle(namespace, user, { shown, nowMs });
  const event = shown === undefined ? "member-declined" : "member-confirmed";
  const by = {
    user: asking,
    device: actor.device,
    network: actor.network,
    namespace: namespace.id,
  };
  const member = { ...namedIn(state, user), role: row.role };
  appendAudit(state, nowMs, waitingEntry(event, by, member));
  return ok(undefined);
}

function settle(
  namespace: NamespaceState,
  user: UserId,
  { shown, nowMs }: { readonly shown: Role | undefined; readonly nowMs: number },
): void {
  namespace.waiting.delete(user);
  if (shown === undefined) return;
  saveMember(namespace, user, { role: higherRole(namespace.members.get(user), shown), nowMs });
}

function namedIn(state: AccountState, id: UserId): Named<UserId> {
  return { id, name: state.users.get(id)?.name ?? "" };
}
