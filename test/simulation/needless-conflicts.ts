import type { SimDevice } from "./sim-device.ts";
import { serverRecords } from "./inventory.ts";
import { placeOf, type Token } from "./oracle.ts";
import type { World } from "./world.ts";

/**
 * A conflict record keeps what somebody wrote unaware; where all who wrote in a field knew of a value
 * or were known to its author, there was no race, and a record of it is noise (CF1, CF4). Only for a
 * world in which nothing was set back, copied or refused: there such records are expected.
 */
export function checkNeedlessConflicts(world: World): void {
  const { oracle, server, run, extras } = world;
  const isRefusing = run.struck.has("memberChange") || run.struck.has("deviceRevoked");
  if (
    isRefusing ||
    extras.isFull === true ||
    extras.isWary === true ||
    world.devices.some(hasRefused)
  )
    return;
  const tokensByPlace = new Map<string, Token[]>();
  for (const token of oracle.tokens.values()) {
    const place = placeOf(token.namespace, token.record, token.field);
    tokensByPlace.set(place, [...(tokensByPlace.get(place) ?? []), token]);
  }
  for (const namespace of server.state.namespaces.keys()) {
    for (const { collection, fields } of serverRecords(server.state, namespace)) {
      const token =
        collection === "conflict" ? oracle.tokens.get(String(fields?.["value"])) : undefined;
      if (token === undefined) continue;
      const others = tokensByPlace.get(placeOf(namespace, token.record, token.field)) ?? [];
      const hadRace = others.some(
        (other) => other !== token && !other.seen.has(token.text) && !token.seen.has(other.text),
      );
      if (!hadRace) run.broken("CF1", `a conflict record of ${token.text}, which nobody raced`);
    }
  }
}

function hasRefused(device: SimDevice): boolean {
  return device.reader().store.reads.rejected().length > 0;
}
