import type { StoreContext } from "../context.ts";

/** Takes away the vector of a text that changed or went, in the transaction that did it (RC31). */
export function dropVector({ db }: StoreContext, id: number): void {
  db.run("DELETE FROM vectors WHERE id = ?", id);
}
