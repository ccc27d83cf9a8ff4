import type { StoreContext } from "../context.ts";

/** Projects that observations of this device belong to, whatever their namespace. */
export function listProjects({ db }: StoreContext): readonly string[] {
  return db
    .all<{ project: string }>(
      "SELECT DISTINCT project FROM observations WHERE project IS NOT NULL ORDER BY project",
    )
    .map(({ project }) => project);
}
