import { editRecord, parseAssignment, type Assignment } from "../../../memory/edit.ts";
import type { Command } from "../command.ts";
import { changedOutcome, failed } from "../shown.ts";
import { misuse } from "../trouble.ts";
import { explain } from "../../../memory/explain.ts";

/** Changes fields of an observation. */
export const edit: Command = {
  arguments: [{ syntax: "<id>", help: "an observation's id, or the beginning of one" }],
  options: [
    { flags: "-s, --set <field=value>", help: "the field's new value", isRepeatable: true },
  ],
  notes:
    "Fields: title, narrative, kind, project, facts, concepts, filesRead, filesModified, pinned,\n" +
    "archived. Lists are a JSON array or one member a line, switches `true` or `false`.",
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
    const memory = deps.memory();
    const changed = editRecord(memory, call.args[0] ?? "", assignments);
    return changed.ok ? changedOutcome(deps, memory, changed, "edited") : failed(changed.error);
  },
};
