import { ok } from "@tidemark/protocol";
import { safeText } from "../../../platform/terminal.ts";
import type { Command } from "../command.ts";
import { trouble } from "../trouble.ts";

/** Checks this installation. */
export const doctor: Command = {
  options: [{ flags: "--rebuild-search", help: "build the search index anew first" }],
  notes:
    "A damaged database is repaired first, as every command does; else it changes nothing without\n" +
    "an option. Exits with 1 if a check fails.",
  run: async (deps, call) => {
    const checks = await deps.diagnose({ rebuildsSearch: call.isOn("rebuildSearch") });
    const lines = checks.flatMap(({ name, status, message, fix }) => [
      `${status}  ${name}: ${safeText(message)}`,
      ...(fix === "" ? [] : [`      fix: ${safeText(fix)}`]),
    ]);
    const failedChecks = checks.filter(({ status }) => status === "FAIL");
    const json = { ok: failedChecks.length === 0, checks };
    if (failedChecks.length === 0) return ok({ json, text: lines.join("\n") });
    const names = failedChecks.map(({ name }) => name).join(", ");
    const hint = failedChecks[0]?.fix ?? "";
    const error = trouble({ code: "unwell", message: `not well: ${names}`, hint });
    return ok({ json, text: lines.join("\n"), trouble: error });
  },
};
