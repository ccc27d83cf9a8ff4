import { isFields, textOf, type Fields } from "../../capture/json.ts";
import type { Glance } from "../../store/glance.ts";
import { lastFailureName, readLastFailure } from "../../sync/last-failure.ts";
import { countedMax, shortStatus } from "../../sync/short-status.ts";

/** What the line is made of. */
export interface StatuslineDeps {
  readonly nowMs: number;
  readonly isPaired: boolean;
  readonly isSpooled: boolean;
  readonly projectOf: (folder: string | undefined) => string;
}

/** The folder that a host's status line is about, whatever else it sends. */
export function statuslineFolder(stdin: string): string | undefined {
  const payload = parse(stdin);
  const workspace = isFields(payload["workspace"]) ? payload["workspace"] : {};
  return textOf(workspace, "current_dir", "project_dir") ?? textOf(payload, "cwd");
}

/** One short line for the foot of an agent's window. */
export function statusline(
  { nowMs, isPaired, isSpooled, projectOf }: StatuslineDeps,
  glance: Glance,
  folder: string | undefined,
): string {
  return shortStatus({
    observations: glance.countOf(projectOf(folder), countedMax + 1),
    replicas: glance.replicas,
    lastFailure: isPaired ? readLastFailure(glance.meta(lastFailureName)) : undefined,
    isPaired,
    isSpooled,
    nowMs,
  });
}

function parse(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/u, ""));
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}
