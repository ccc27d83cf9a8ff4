import type { NamespaceId } from "../../packages/protocol/src/index.ts";
import { serverHistory, serverHoldings, serverRecords } from "./inventory.ts";
import { wordsIn } from "./oracle.ts";
import { isShutOut } from "./sealed-checks.ts";
import type { SimDevice } from "./sim-device.ts";
import type { World } from "./world.ts";

/**
 * Forgetting erases: of a record that is forgotten no word is left on the server, in values, kept
 * losers or history (TB11), nor in what its members' devices hold as confirmed or past (TB5).
 */
export function checkForgottenContent(world: World): void {
  const { oracle, run, server } = world;
  const dead = new Map<string, ReadonlySet<string>>();
  for (const namespace of server.state.namespaces.keys()) {
    const records = serverRecords(server.state, namespace);
    dead.set(namespace, new Set(records.filter(({ fields }) => !fields).map(({ id }) => id)));
  }
  const words = [...oracle.tokens.values()]
    .filter(({ namespace, record }) => dead.get(namespace)?.has(record) === true)
    .map(({ text, namespace }) => ({ text, namespace: namespace as NamespaceId }));
  const served = new Set([...serverHoldings(server.state), ...serverHistory(server.state)]);
  for (const { text } of words) {
    if (served.has(text)) run.broken("TB11", `the server still has ${text}, which was forgotten`);
  }
  for (const device of world.devices) {
    const kept = keptBy(device);
    for (const { text, namespace } of words) {
      if (!kept.has(text) || !world.isMember(device, namespace)) continue;
      if (isShutOut(world, device, namespace)) continue;
      // What only a reader still has after a restore is told; it need not have caught up by now.
      const role = device.reader().store.replicas.replica(namespace)?.role;
      if (role === "reader" && run.struck.has("serverRestore")) continue;
      run.broken("TB5", `${device.name} still has ${text}, which was forgotten`);
    }
  }
}

function keptBy({ inspector }: SimDevice): ReadonlySet<string> {
  const rows = inspector.all("SELECT fields AS held FROM records UNION SELECT value FROM past");
  return new Set(rows.flatMap(({ held }) => wordsIn(String(held))));
}
