import type { NamespaceId, UserId } from "@tidemark/protocol";
import { isRoomForPlace } from "../admission-rules.ts";
import type { AccountState } from "./account-state.ts";
import type { NamespaceState } from "./namespace-state.ts";

/**
 * Whether somebody is in as many namespaces as one may be in (NS28).
 *
 * @param into the one that they come into: who is in it already needs no room
 */
export function hasAllPlaces(state: AccountState, user: UserId, into?: NamespaceId): boolean {
  const places = [...state.namespaces.values()].filter((namespace) => hasPlace(namespace, user));
  return !places.some(({ id }) => id === into) && !isRoomForPlace(places.length);
}

function hasPlace({ members, waiting, deleted }: NamespaceState, user: UserId): boolean {
  return members.has(user) || waiting.has(user) || deleted?.members.has(user) === true;
}
