import { isRetried } from "./oracle.ts";
import { holdingsOf, serverHistory, serverRecords } from "./inventory.ts";
import type { SimDevice } from "./sim-device.ts";
import type { World } from "./world.ts";

/**
 * A device holds its own writes until somebody who had seen them wrote something else: first in its
 * outbox, then in its confirmed records, with no gap between (OP19). Only so is a server that is set
 * back made whole again, and a person shown what they wrote.
 */
export function checkOwnWrites(world: World, device: SimDevice): void {
  const { run, oracle, server } = world;
  // A device that was set back, or meets a server that was, gets its writes from others again.
  if (run.struck.has("homeRestore") || server.epoch > 0) return;
  const own = [...oracle.tokens.values()].filter(
    (token) => token.device === device.name && token.isAcked && token.excuse === undefined,
  );
  if (own.length === 0) return;
  const { confirmed, waiting, dead } = holdingsOf(device, world.personalOf(device));
  const replaced = new Set([...oracle.tokens.values()].flatMap(({ seen }) => [...seen]));
  for (const token of own) {
    const { text, namespace, record } = token;
    if (confirmed.has(text) || waiting.has(text)) continue;
    // What was forgotten here is let go of at once, also where the server then refuses the forget.
    if (dead.has(oracle.tombstoneKey(token))) continue;
    if (replaced.has(text) || oracle.dismissed.has(text)) continue;
    // Who sends a refused value again means it: what it replaces goes to history, not to conflict.
    const isRetriedOver = [...oracle.tokens.values()].some(
      (each) => isRetried(each) && each.namespace === namespace && each.record === record,
    );
    if (isRetriedOver && serverHistory(server.state).has(text)) continue;
    const isDead = serverRecords(server.state, namespace).some(
      ({ id, fields }) => id === record && fields === undefined,
    );
    if (!isDead) run.broken("OP19", `${device.name} let go of ${text} before it saw it again`);
  }
}
