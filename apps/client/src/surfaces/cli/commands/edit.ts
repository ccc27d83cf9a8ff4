import {
  editableFields,
  editRecord,
  parseAssignment,
  type Assignment,
} from "../../../memory/edit.ts";
import { memoryLimits } from "../../../memory/limits.ts";
import type { Command } from "../command.ts";
import { memoryAt, placeOption } from "../scope.ts";
import { changedOutcome, failed } from "../shown.ts";
import { misuse } from "../trouble.ts";
import { explain } from "../../../memory/explain.ts";

/** Changes fields of an observation. */
export const edit: Command = {
  arguments: [{ syntax: "<id>", help: "an observation's id, or its first 6 characters or more" }],
  options: [
    placeOption,
    { flags: "-s, --set <field=value>", help: "the field's new value", isRepeatable: true },
  ],
  notes:
    `Fields: ${editableFields.slice(0, 6).join(", ")},\n` +
    `${editableFields.slice(6).join(", ")}. A title has at most ${memoryLimits.titleCharsMax} characters, a\n` +
    `narrative ${memoryLimits.narrativeBytesMax / 1_024} KiB. Lists are a JSON array or one member a line, switches \`true\` or \`false\`.`,
  run: (deps, call) => {
    const assignments: Assignment[] = [];
    for (const text of call.texts("set")) {
      const parsed = parseAssignment(text);
      if (!parsed.ok) {
        const { message, hint } = explain(parsed.error);
        return { ok: false, error: misuse(message, hint) };
      }
      assignments.push(parsed.value);
    }
    if (assignments.length === 0) {
      return {
        ok: false,
        error: misuse("--set is missing", "tidemark edit <id> --set field=value"),
      };
    }
    const memory = memoryAt(deps, call);
    if (!memory.ok) return memory;
    const changed = editRecord(memory.value, call.args[0] ?? "", assignments);
    if (changed.ok) return changedOutcome(deps, memory.value, changed, "edited");
    if (changed.error.kind !== "unknown-field") return failed(changed.error);
    const { message, hint } = explain(changed.error);
    return { ok: false, error: misuse(message, hint) };
  },
};
