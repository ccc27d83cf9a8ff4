import { collections, ok } from "@tidemark/protocol";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import type { RecordView } from "../../../store/store.ts";
import type { Command } from "../command.ts";
import { observationText } from "../render/observation.ts";
import { valueText } from "../render/text.ts";
import { failed } from "../shown.ts";

/** Shows a record whole. */
export const show: Command = {
  arguments: [{ syntax: "<id>", help: "an id, or the beginning of one" }],
  run: (deps, { args: [id = ""] }) => {
    const { reads } = deps.memory().store;
    const found = reads.find(id);
    if (!found.ok) return failed(found.error);
    const record = found.value;
    const observation =
      record.collection === collections.observation
        ? reads.observation(record.namespace, record.id)
        : undefined;
    if (observation !== undefined) {
      return ok({ json: observation, text: observationText(observation, deps.io) });
    }
    return ok({ json: recordJson(record), text: recordText(record) });
  },
};

function recordJson(record: RecordView): unknown {
  const { createdAtMs: createdAt, changedAtMs: changedAt, ...rest } = record;
  return { ...rest, createdAt, changedAt };
}

function recordText(record: RecordView): string {
  const fields = Object.entries(record.fields).map(
    ([name, value]) => `${safeText(name)}: ${valueText(value, 2_000)}`,
  );
  return [
    `${safeText(record.collection)} ${record.id}`,
    `namespace: ${record.namespace}`,
    `created: ${dateText(record.createdAtMs)}`,
    ...fields,
  ].join("\n");
}
