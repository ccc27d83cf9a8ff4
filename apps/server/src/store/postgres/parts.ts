/**
 * Rows of one statement. A forget takes a family of any size with it; in one statement of its own it
 * would run into the time that a statement may take, and so would every repeat.
 */
const rowsMax = 10_000;

/** Does a part after the other, none larger than one statement may be; nothing where there are no rows. */
export async function inParts<Row>(
  rows: readonly Row[],
  work: (part: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsMax) {
    await work(rows.length <= rowsMax ? rows : rows.slice(from, from + rowsMax));
  }
}
