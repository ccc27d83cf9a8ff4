import { ok } from "@tidemark/protocol";
import type { Command } from "../command.ts";
import { columns, valueText } from "../render/text.ts";
import { findNamespace } from "../scope.ts";

/** Lists values that lost to a concurrent change. */
export const conflicts: Command = {
  options: [{ flags: "-n, --namespace <name>", help: "in this namespace alone (name or id)" }],
  notes: "Nothing is lost when two devices change one field: the value that lost is kept here.",
  run: (deps, call) => {
    const memory = deps.memory();
    const name = call.text("namespace");
    const wanted = name === undefined ? undefined : findNamespace(memory, name);
    if (wanted?.ok === false) return wanted;
    const items = memory.store.reads.conflicts(
      wanted === undefined ? {} : { namespaces: [wanted.value.namespace] },
    );
    const rows = items.map((item) => [
      item.id.slice(0, 10),
      item.record.slice(0, 10),
      item.field,
      `lost: ${valueText(item.value, 60)}`,
      `stands: ${valueText(item.current, 60)}`,
    ]);
    const text =
      rows.length === 0
        ? "no conflicts"
        : `${columns(rows)}\ntidemark resolve <id> --keep current, or --keep losing`;
    return ok({ json: { items, total: items.length }, text });
  },
};
