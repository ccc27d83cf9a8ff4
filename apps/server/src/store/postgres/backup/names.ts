/** A name as SQL takes it, whatever it is. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Columns as a statement lists them. */
export function columnList(columns: readonly string[]): string {
  return columns.map(quoteName).join(", ");
}
