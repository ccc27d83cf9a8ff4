import { ok, type JsonValue } from "@tidemark/protocol";
import type { RevisionsAnswer } from "@tidemark/protocol/wire";
import type { HistoryEntry, RecordView } from "../../../store/store.ts";
import type { Command } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { authorName, columns, fieldText } from "../render/text.ts";
import { memoryAt, placeOption } from "../scope.ts";
import { failed } from "../shown.ts";
import { dateText } from "../../../platform/date-text.ts";

const serverMsMax = 5_000;

/** Shows every value that a record's fields are known to have had. */
export const history: Command = {
  arguments: [{ syntax: "<id>", help: "an id, or its first 6 characters or more" }],
  options: [placeOption, { flags: "--offline", help: "do not ask the server for older values" }],
  run: async (deps, call) => {
    const memory = memoryAt(deps, call);
    if (!memory.ok) return memory;
    const { reads } = memory.value.store;
    const found = reads.find(call.args[0] ?? "");
    if (!found.ok) return failed(found.error);
    const own = reads.history(found.value.namespace, found.value.id);
    const older = call.isOn("offline") ? undefined : await fromServer(deps, found.value);
    const items =
      older === undefined ? own : merged(own, reads.openedHistory(found.value, toldBy(older)));
    const source = older === undefined ? "device" : "server";
    const rows = items.map((item) => [
      dateText(item.at),
      item.field,
      item.state,
      authorName(item.author),
      fieldText(item.field, item.value, 80),
    ]);
    const more = older?.more === true;
    const json = { id: found.value.id, source, items, ...(more ? { more } : {}) };
    return ok({ json, text: columns(rows) + noteOf(source, more) });
  },
};

function noteOf(source: "device" | "server", isMore: boolean): string {
  if (source === "device") return "\nknown to this device; the server may know older values";
  return isMore ? "\nthe newest values; the server keeps older ones" : "";
}

async function fromServer(deps: CliDeps, record: RecordView): Promise<RevisionsAnswer | undefined> {
  if (deps.home().identity() === undefined) return undefined;
  const replica = deps.memory().store.replicas.replica(record.namespace);
  if (replica === undefined || replica.kind === "local" || replica.status !== "active") {
    return undefined;
  }
  const server = await deps.server();
  const signal = AbortSignal.any([deps.signal, deps.after(serverMsMax)]);
  const answer = await server.transport.revisions(record.namespace, record.id, signal);
  return answer.ok ? answer.value : undefined;
}

function toldBy({ revisions, writers }: RevisionsAnswer): readonly HistoryEntry[] {
  const byWriter = new Map(writers.map((info) => [info.writer, info]));
  return revisions.map(({ field, value, lamport, writer, at }): HistoryEntry => {
    const info = byWriter.get(writer);
    const author = { user: info?.userName ?? null, device: info?.deviceName ?? null };
    return { field, value: value as JsonValue, lamport, writer, author, at, state: "past" };
  });
}

function merged(
  own: readonly HistoryEntry[],
  told: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const known = new Set(own.map(keyOf));
  const older = told.filter((entry) => !known.has(keyOf(entry)));
  return [...own, ...older].toSorted((left, right) => right.lamport - left.lamport);
}

function keyOf({ field, lamport, writer }: HistoryEntry): string {
  return JSON.stringify([field, lamport, writer]);
}
