import type { Transaction } from "./door.ts";
import { textArrayType } from "./text-array.ts";

/** Binds one column of many rows; null stays null. */
export function column<T>(
  tx: Transaction,
  rows: readonly T[],
  valueOf: (row: T) => string | number | boolean | null | undefined,
): ReturnType<Transaction["array"]> {
  return tx.array(
    rows.map((row) => {
      const value = valueOf(row);
      return value === null || value === undefined ? null : String(value);
    }) as string[],
    textArrayType,
  );
}
