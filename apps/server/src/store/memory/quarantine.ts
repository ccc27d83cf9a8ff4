import type { DeviceId, NamespaceId } from "@tidemark/protocol";
import type { Suspect } from "@tidemark/protocol/wire";
import type { AccountStore } from "../accounts-port.ts";
import { quarantineEntry } from "../audit-entries.ts";
import { mayQuarantine } from "../quarantine-rules.ts";
import type { AccountState, StoredDevice } from "./account-state.ts";
import { appendAudit } from "./audit.ts";
import type { NamespaceState } from "./namespace-state.ts";
import { namespacesOf } from "./namespaces.ts";

type QuarantineMethods = Pick<
  AccountStore,
  "quarantinable" | "quarantine" | "liftQuarantine" | "suspects"
>;

/** Hiding what a device wrote and showing it again, in memory. */
export function quarantineMethods(
  state: AccountState,
  clock: { nowMs(): number },
): QuarantineMethods {
  return {
    quarantinable: async ({ asking, device }) =>
      changeable(state, state.devices.get(asking), state.devices.get(device)).map(({ id }) => id),
    quarantine: async (input) => quarantine(state, input, clock.nowMs()),
    liftQuarantine: async (input) => lift(state, input, clock.nowMs()),
    suspects: async (asking) =>
      namespacesOf(state, asking).flatMap(({ id }) => suspectsIn(state.namespaces.get(id))),
  };
}

function quarantine(
  state: AccountState,
  { asking, device, sinceMs, places, network }: Parameters<AccountStore["quarantine"]>[0],
  nowMs: number,
): readonly Suspect[] {
  const by = state.devices.get(asking);
  const suspect = state.devices.get(device);
  if (by === undefined || suspect === undefined) return [];
  return changeable(state, by, suspect).flatMap((namespace) => {
    const aboveSeq = places.get(namespace.id);
    if (aboveSeq === undefined) return [];
    const row = { aboveSeq, sinceMs, setBy: by.user };
    namespace.suspects.set(device, row);
    const doer = { user: by.user, device: asking, network, namespace: namespace.id };
    appendAudit(state, nowMs, quarantineEntry(doer, suspect, sinceMs));
    return [suspectOf(namespace.id, device, row)];
  });
}

function lift(
  state: AccountState,
  { asking, device, network }: Parameters<AccountStore["liftQuarantine"]>[0],
  nowMs: number,
): readonly NamespaceId[] {
  const by = state.devices.get(asking);
  const suspect = state.devices.get(device);
  if (by === undefined || suspect === undefined) return [];
  return changeable(state, by, suspect).flatMap((namespace) => {
    if (!namespace.suspects.delete(device)) return [];
    const doer = { user: by.user, device: asking, network, namespace: namespace.id };
    appendAudit(state, nowMs, quarantineEntry(doer, suspect, undefined));
    return [namespace.id];
  });
}

function changeable(
  state: AccountState,
  by: StoredDevice | undefined,
  suspect: StoredDevice | undefined,
): readonly NamespaceState[] {
  if (by?.status !== "active" || by.only !== undefined || suspect === undefined) return [];
  return [...state.namespaces.values()].filter((namespace) =>
    mayQuarantine({
      role: namespace.members.get(by.user),
      asking: { device: by.id, user: by.user },
      suspect: { device: suspect.id, user: suspect.user },
      setBy: namespace.suspects.get(suspect.id)?.setBy,
    }),
  );
}

function suspectsIn(namespace: NamespaceState | undefined): readonly Suspect[] {
  if (namespace === undefined) return [];
  return [...namespace.suspects].map(([device, row]) => suspectOf(namespace.id, device, row));
}

function suspectOf(
  namespace: NamespaceId,
  device: DeviceId,
  { aboveSeq, sinceMs }: { readonly aboveSeq: number; readonly sinceMs: number },
): Suspect {
  return { namespace, device, aboveSeq, since: sinceMs };
}
