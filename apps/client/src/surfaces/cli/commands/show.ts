import { collections, isArray, isId, ok, type JsonValue, type RecordId } from "@tidemark/protocol";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import {
  retrospectiveOf,
  retrospectiveParts,
  type Retrospective,
} from "../../../memory/retrospective.ts";
import type { Reads, RecordView } from "../../../store/store.ts";
import type { Command } from "../command.ts";
import { namesOf } from "../names.ts";
import { observationText, type Names } from "../render/observation.ts";
import { counted, fieldText, wallTimeText } from "../render/text.ts";
import { memoryAt, placeOption } from "../scope.ts";
import { failed } from "../shown.ts";

/** Shows a record whole. */
export const show: Command = {
  arguments: [{ syntax: "<id>", help: "an id, or its first 6 characters or more" }],
  options: [placeOption],
  run: (deps, call) => {
    const memory = memoryAt(deps, call);
    if (!memory.ok) return memory;
    const { reads } = memory.value.store;
    const found = reads.find(call.args[0] ?? "");
    if (!found.ok) return failed(found.error);
    const record = found.value;
    const names = namesOf(deps);
    const nowMs = deps.clock.nowMs();
    const observation =
      record.collection === collections.observation
        ? reads.observation(record.namespace, record.id)
        : undefined;
    if (observation !== undefined) {
      const text = observationText(observation, deps.io, { nowMs, names });
      const { lines, json } = moreOf(reads, record);
      const shown = lines.length === 0 ? text : [text, "", ...lines].join("\n");
      return ok({ json: { ...observation, ...json }, text: shown });
    }
    if (record.collection === collections.session) {
      const left = reads.list({ session: record.id, includeHidden: true, order: "oldest" });
      const retrospective = retrospectiveOf(record.fields, left);
      const json = { ...recordJson(record), retrospective };
      return ok({ json, text: sessionText(record, retrospective, { names, nowMs }) });
    }
    return ok({ json: recordJson(record), text: recordText(record, names, nowMs) });
  },
};

/** What is known of an observation besides what it says. */
function moreOf(
  reads: Reads,
  { namespace, id, fields }: RecordView,
): { readonly lines: readonly string[]; readonly json: object } {
  const quarantines = reads.quarantinesOf(namespace, id);
  const { importedFrom: from, foldedInto: digest } = fields;
  const seen = Object.keys(fields).filter((name) => name.startsWith("seen/")).length;
  const sources = idsOf(fields["sources"]);
  const lines = [
    ...(typeof from === "string" ? [`imported from: ${safeText(from, 300)}`] : []),
    ...(seen === 0 ? [] : [`seen again in ${counted(seen, "more session")}`]),
    ...(sources.length === 0 ? [] : [`stands for ${sources.map((source) => source.slice(0, 10)).join(", ")}: tidemark show ID`]), // prettier-ignore
    ...(typeof digest === "string" ? [`folded into ${safeText(digest.slice(0, 10))}; tidemark unarchive ${id.slice(0, 10)} brings it back`] : []), // prettier-ignore
    ...quarantines.map((one) => quarantineLine(one, id)),
  ];
  const json = {
    ...(typeof from === "string" ? { importedFrom: from } : {}),
    ...(seen === 0 ? {} : { seenAgain: seen }),
    ...(sources.length === 0 ? {} : { sources }),
    ...(typeof digest === "string" ? { foldedInto: digest } : {}),
    ...(quarantines.length === 0 ? {} : { quarantines: quarantines.map(quarantineJson) }),
  };
  return { lines, json };
}

function idsOf(value: JsonValue | undefined): readonly string[] {
  const texts = value !== undefined && isArray(value) ? value : [];
  return texts.filter((each) => typeof each === "string" && isId(each)) as readonly string[];
}

type Quarantine = ReturnType<Reads["quarantinesOf"]>[number];

function quarantineJson({ device, author, since }: Quarantine): unknown {
  return {
    device: { id: device, name: author.device },
    user: author.user,
    since: since === 0 ? null : since,
  };
}

function quarantineLine({ device, author, since }: Quarantine, id: RecordId): string {
  const who = `${author.user ?? "unknown"} / ${author.device ?? device}`;
  const from = since === 0 ? "" : ` since ${dateText(since)}`;
  return safeText(
    `quarantined: written by ${who}, suspected${from}; tidemark pin ${id.slice(0, 10)} lets this one through`,
  );
}

function recordJson(record: RecordView): object {
  const { createdAtMs: createdAt, changedAtMs: changedAt, ...rest } = record;
  return { ...rest, createdAt, changedAt };
}

/** A session as people read it: what it was for and what came of it, before its fields. */
function sessionText(
  record: RecordView,
  told: Retrospective,
  { names, nowMs }: { readonly names: Names; readonly nowMs: number },
): string {
  const lines = retrospectiveParts(told).flatMap(({ name, items }) => [
    `${name.toLowerCase()}:`,
    ...items.map((item) => `  ${safeText(item, 200)}`),
  ]);
  return [...lines, ...(lines.length === 0 ? [] : [""]), recordText(record, names, nowMs)].join(
    "\n",
  );
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
