import type { StoreContext } from "../context.ts";
import type { SuspectRow } from "../rows.ts";

/** Devices whose words are hidden in a namespace. */
export function readSuspects(context: StoreContext, namespace: string): readonly SuspectRow[] {
  return context.db.all<SuspectRow>(
    "SELECT namespace, device, above, since FROM suspects WHERE namespace = ? ORDER BY device",
    namespace,
  );
}

/** Puts these rows in the place of those that a namespace has. */
export function replaceSuspects(
  context: StoreContext,
  namespace: string,
  rows: readonly Omit<SuspectRow, "namespace">[],
): void {
  context.db.run("DELETE FROM suspects WHERE namespace = ?", namespace);
  for (const { device, above, since } of rows) {
    context.db.run(
      "INSERT INTO suspects (namespace, device, above, since) VALUES (?, ?, ?, ?)",
      namespace,
      device,
      above,
      since,
    );
  }
}
