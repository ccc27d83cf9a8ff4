import { collections, ok } from "@tidemark/protocol";
import { safeText } from "../../../platform/terminal.ts";
import type { RecordView } from "../../../store/store.ts";
import type { Command } from "../command.ts";
import { namesOf } from "../names.ts";
import { observationText, type Names } from "../render/observation.ts";
import { fieldText, wallTimeText } from "../render/text.ts";
import { failed } from "../shown.ts";

/** Shows a record whole. */
export const show: Command = {
  arguments: [{ syntax: "<id>", help: "an id, or its first 6 characters or more" }],
  run: (deps, { args: [id = ""] }) => {
    const { reads } = deps.memory().store;
    const found = reads.find(id);
    if (!found.ok) return failed(found.error);
    const record = found.value;
    const names = namesOf(deps);
    const nowMs = deps.clock.nowMs();
    const observation =
      record.collection === collections.observation
        ? reads.observation(record.namespace, record.id)
        : undefined;
    if (observation !== undefined) {
      return ok({
        json: observation,
        text: observationText(observation, deps.io, { nowMs, names }),
      });
    }
    return ok({ json: recordJson(record), text: recordText(record, names, nowMs) });
  },
};

function recordJson(record: RecordView): unknown {
  const { createdAtMs: createdAt, changedAtMs: changedAt, ...rest } = record;
  return { ...rest, createdAt, changedAt };
}

function recordText(record: RecordView, names: Names, nowMs: number): string {
  const fields = Object.entries(record.fields).map(
    ([name, value]) => `${safeText(name)}: ${fieldText(name, value, 2_000)}`,
  );
  return [
    `${safeText(record.collection)} ${record.id}`,
    `namespace: ${safeText(names.namespace(record.namespace))}`,
    `created: ${wallTimeText(record.createdAtMs, nowMs)}`,
    ...fields,
  ].join("\n");
}
