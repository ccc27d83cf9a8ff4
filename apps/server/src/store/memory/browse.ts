import { compareText, type DeviceId } from "@tidemark/protocol";
import { dayMs } from "../day.ts";
import type { BrowsedPart, BrowseQuery, DeviceWork, HeadsByDay, StoredRecord } from "../port.ts";
import type { AccountState } from "./account-state.ts";
import type { NamespaceState, RecordRow } from "./namespace-state.ts";

/** See `NamespaceReader.browse`. */
export function browse(
  state: NamespaceState,
  query: BrowseQuery,
  storedOfRow: (row: RecordRow) => StoredRecord,
): BrowsedPart {
  const { collection, before = Number.MAX_SAFE_INTEGER, words, countMax } = query;
  const scanMax = words.length === 0 ? countMax : query.scanMax;
  const seen = [...state.records.values()]
    .filter(
      ({ seq, form }) => form.fields !== null && form.collection === collection && seq < before,
    )
    .toSorted((left, right) => right.seq - left.seq)
    .slice(0, scanMax);
  const lowered = words.map((word) => word.toLowerCase());
  const holding = seen.filter(({ form }) =>
    lowered.every((word) => form.fields?.toLowerCase().includes(word)),
  );
  let bytesBefore = 0;
  const found = holding.slice(0, countMax).filter(({ bytes }) => {
    const isGiven = bytesBefore < query.bytesMax;
    bytesBefore += bytes;
    return isGiven;
  });
  const records = found.map(storedOfRow);
  if (records.length >= countMax || records.length < holding.length)
    return { records, below: records.at(-1)?.seq };
  const isWhole = words.length === 0 || seen.length < scanMax;
  return { records, below: isWhole ? undefined : seen.at(-1)?.seq };
}

/** See `NamespaceReader.headsByDay`. */
export function headsByDay(state: NamespaceState, sinceMs: number): HeadsByDay {
  let before = 0;
  const byDay = new Map<number, number>();
  for (const [head, { createdAtMs }] of state.marks) {
    const day = Math.floor(createdAtMs / dayMs);
    if (createdAtMs < sinceMs) before = Math.max(before, head);
    else byDay.set(day, Math.max(byDay.get(day) ?? 0, head));
  }
  const days = [...byDay].map(([day, head]) => ({ day, head }));
  return { before, days: days.toSorted((left, right) => left.day - right.day) };
}

/** See `NamespaceReader.deviceWork`. */
export function deviceWork(state: NamespaceState, accounts: AccountState): readonly DeviceWork[] {
  const opsByDevice = new Map<DeviceId, number>();
  for (const { device, acked } of state.writers.values()) {
    opsByDevice.set(device, (opsByDevice.get(device) ?? 0) + acked);
  }
  return [...opsByDevice]
    .flatMap(([id, ops]) => {
      const device = accounts.devices.get(id);
      const user = device === undefined ? undefined : accounts.users.get(device.user);
      if (device === undefined || user === undefined) return [];
      const { name: deviceName, lastSeenAtMs, status } = device;
      const who = { device: id, deviceName, user: user.id, userName: user.name };
      return [{ ...who, ops, lastSeenAtMs, isLetIn: status === "active" }];
    })
    .toSorted(
      (left, right) =>
        (right.lastSeenAtMs ?? -1) - (left.lastSeenAtMs ?? -1) ||
        compareText(left.device, right.device),
    );
}
