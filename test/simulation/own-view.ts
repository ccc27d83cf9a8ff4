import type { RecordId } from "../../packages/protocol/src/index.ts";
import { truthName, type ActionWorld, type Doing } from "./action-world.ts";
import { holdingsOf } from "./inventory.ts";
import { wordOf } from "./oracle.ts";

/**
 * What waits in an outbox lies over all that its author had seen, be it sent, refused or sent again:
 * a person is shown their own last word and nothing from before it (OP4, OP27).
 */
export function checkOwnView(world: ActionWorld, doing: Doing): void {
  const { run, oracle, extras } = world;
  const { device, handle, namespace } = doing;
  // What is sealed under a key that is gone is not shown.
  if (extras.isLosingKeys === true) return;
  const truth = truthName(world, doing);
  for (const word of holdingsOf(device, world.personalOf(device)).waiting) {
    const token = oracle.tokens.get(word);
    if (token?.namespace !== truth) continue;
    const view = handle.store.reads.get(namespace, token.record as RecordId);
    const shown = wordOf(view?.fields[token.field]);
    if (shown === undefined || shown === word || !token.seen.has(shown)) continue;
    run.broken(
      "OP27",
      `${device.name} shows ${shown} over ${word}, which waits and was written after`,
    );
  }
}

/** What a device shows of a record, field by field. */
export function shownOf({ handle, namespace }: Doing, record: string): ReadonlyMap<string, string> {
  const view = handle.store.reads.get(namespace, record as RecordId);
  return new Map(
    Object.entries(view?.fields ?? {}).flatMap(([field, value]) => {
      const word = wordOf(value);
      return word === undefined ? [] : [[field, word]];
    }),
  );
}
