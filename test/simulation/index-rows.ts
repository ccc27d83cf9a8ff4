import type { SimDevice } from "./sim-device.ts";

/**
 * What the projection and the index hold beyond the observations in view: one sentence each. A search
 * would leave such rows out, but words of what was forgotten stay in the file (ST5).
 */
export function strayIndexRows(device: SimDevice): readonly string[] {
  const { reads } = device.reader().store;
  const stray = device.inspector
    .all("SELECT namespace, record FROM observations")
    .filter(({ namespace, record }) => {
      const view = reads.get(namespace as never, record as never);
      return view === undefined || view.collection !== "observation";
    })
    .map(({ record }) => `${device.name} has a row of ${String(record)}, which is not there`);
  const orphans = device.inspector
    .all("SELECT id FROM search_docsize WHERE id NOT IN (SELECT id FROM observations)")
    .map(({ id }) => `${device.name} indexes ${String(id)}, which no observation has`);
  return [...stray, ...orphans];
}
