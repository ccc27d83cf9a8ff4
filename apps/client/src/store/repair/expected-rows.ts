import { treePage } from "./cells.ts";
import type { PageImage } from "./page-image.ts";
import type { SchemaEntry } from "./table-rows.ts";

/**
 * How many rows a table had, by the trees of it and of its indexes that are whole; undefined where
 * none is.
 */
export function expectedRows(
  image: PageImage,
  schema: readonly SchemaEntry[],
  table: string,
): number | undefined {
  const counts = schema
    .filter((entry) => entry.table === table)
    .flatMap(({ root }) => countIn(image, root) ?? []);
  return counts.length === 0 ? undefined : Math.max(...counts);
}

function countIn(image: PageImage, root: number): number | undefined {
  const seen = new Set<number>();
  const open = [root];
  let count = 0;
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    const page = seen.has(number) ? undefined : treePage(image, number);
    if (page === undefined || page.unreadable > 0) return undefined;
    seen.add(number);
    open.push(...page.children);
    count += page.rows.length;
  }
  return count;
}
