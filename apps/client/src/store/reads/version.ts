import type { StoreContext } from "../context.ts";

/** Another text after each write, of other processes and of this one. */
export function versionOf({ db }: Pick<StoreContext, "db">): string {
  const own = db.get<{ count: number }>("SELECT total_changes() AS count")?.count;
  return `${db.pragma("data_version")} ${own}`;
}
