import { ok, type NamespaceId } from "@tidemark/protocol";
import type { Reads } from "../../../store/reads/create-reads.ts";
import type { Command } from "../command.ts";
import { looking } from "../looking.ts";
import { columns, counted, valueText } from "../render/text.ts";
import { findNamespace } from "../scope.ts";

const limitDefault = 50;

/** Lists values that lost to a concurrent change. */
export const conflicts: Command = {
  options: [
    { flags: "-n, --namespace <name>", help: "in this namespace alone (name or id)" },
    { flags: "--limit <n>", help: "at most so many, the newest", isCount: true },
    { flags: "-a, --all", help: "no limit" },
  ],
  notes: "Nothing is lost when two devices change one field: the value that lost is kept here.",
  run: async (deps, call) => {
    const memory = deps.memory();
    const name = call.text("namespace");
    const wanted = name === undefined ? undefined : findNamespace(memory, name);
    if (wanted?.ok === false) return wanted;
    const limit = call.count("limit") ?? (call.isOn("all") ? undefined : limitDefault);
    return await looking(deps, limit === undefined ? "listing" : undefined, () => {
      const json = listed(memory.store.reads, wanted?.value.namespace, limit);
      return ok({ json, text: textOf(json) });
    });
  },
};

interface Listed {
  readonly items: ReturnType<Reads["conflicts"]>;
  /** Of all that there are, listed or not. */
  readonly total: number;
}

function listed(
  reads: Reads,
  namespace: NamespaceId | undefined,
  limit: number | undefined,
): Listed {
  const namespaces = namespace === undefined ? undefined : [namespace];
  const items = reads.conflicts({ namespaces, limit });
  return { items, total: Math.max(items.length, reads.counts(namespace).conflicts) };
}

function textOf({ items, total }: Listed): string {
  if (items.length === 0 && total > 0) {
    return `${counted(total, "conflict")}, sealed under a key that is not here\nhint: tidemark status`;
  }
  if (items.length === 0) return "no conflicts";
  const rows = items.map((item) => [
    item.id.slice(0, 10),
    item.record.slice(0, 10),
    item.field,
    `lost: ${valueText(item.value, 60)}`,
    `stands: ${valueText(item.current, 60)}`,
  ]);
  const left = total - items.length;
  return [
    columns(rows),
    ...(left > 0 ? [`… ${counted(left, "more conflict")}: --limit or --all`] : []),
    "tidemark resolve <id> --keep current, or --keep losing",
  ].join("\n");
}
