import { readFindingCounts } from "../platform/finding-counts.ts";
import type { Check } from "./diagnose.ts";
import type { Home } from "./home.ts";
import { UserError } from "./user-error.ts";

/** Kinds that are named with their counts; the rest is summed up. */
const kindsShown = 8;

/** Which scrub settings are in force, and which are broken or wait for consent (CL46). */
export function checkScrub(home: Home): Check {
  const name = "scrub settings";
  try {
    const { hasOwn, project } = home.scrubControl();
    const own = hasOwn ? [home.paths.config] : [];
    if (project === undefined) {
      const message = own.length === 0 ? "the catalogue alone" : `the catalogue and ${own.join()}`;
      return { name, status: "PASS", message, fix: "" };
    }
    if (project.isTrusted) {
      const agreed = project.weakens.length === 0 ? "" : ` (you agreed that it ${words(project)})`;
      const message = `${["the catalogue", ...own].join(", ")} and ${project.path}${agreed}`;
      return { name, status: "PASS", message, fix: "" };
    }
    return {
      name,
      status: "WARN",
      message: `${project.path} waits for your consent: it ${words(project)}; only the rest of it counts`,
      fix: "read it, then run tidemark scrub --trust, or leave it so",
    };
  } catch (cause) {
    if (!(cause instanceof UserError)) throw cause;
    const fix =
      "mend it, or update tidemark if it is for a newer version; until then nothing is captured here";
    return { name, status: "FAIL", message: cause.message, fix };
  }
}

function words({ weakens }: { readonly weakens: readonly string[] }): string {
  return weakens.join(" and ");
}

/** How often something was taken out on this device, by kind (SC57). */
export function checkFindings({ paths }: Home): Check {
  const counts = Object.entries(readFindingCounts(paths.findings)).toSorted(
    ([leftKind, left], [rightKind, right]) => right - left || (leftKind < rightKind ? -1 : 1),
  );
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const shown = counts.slice(0, kindsShown).map(([kind, count]) => `${kind} ${count}`);
  const rest = counts.length - shown.length;
  if (rest > 0) shown.push(`${rest} more kinds`);
  const message =
    total === 0 ? "nothing was taken out yet" : `${total} taken out (${shown.join(", ")})`;
  return { name: "findings", status: "PASS", message, fix: "" };
}
