import type { DeviceId } from "@tidemark/protocol";
import type { ConsoleSession, ConsoleStore } from "../console-port.ts";
import { consoleOpenedEntry, isIdle, noteEveryMs, sessionsOfDeviceMax } from "../console-rules.ts";
import type { AccountState, ConsoleKeyRow, StoredDevice } from "./account-state.ts";
import { appendAudit } from "./audit.ts";

/** Sign-in links and sessions of the console, in memory. */
export function consoleMethods(state: AccountState): ConsoleStore {
  return {
    saveConsoleLink: async ({ hash, asking, nowMs, endsAtMs }) => {
      drop(state, (row) => row.endsAtMs <= nowMs);
      drop(state, (row) => row.kind === "link" && row.device === asking);
      if (personsDevice(state, asking) === undefined) return false;
      const times = { madeAtMs: nowMs, seenAtMs: nowMs, endsAtMs };
      state.consoleKeys.set(hash, { kind: "link", device: asking, ...times });
      return true;
    },
    openConsole: async (input) => open(state, input),
    consoleSession: async (hash, nowMs) => useSession(state, hash, nowMs),
    closeConsole: async (hash) => {
      if (state.consoleKeys.get(hash)?.kind === "session") state.consoleKeys.delete(hash);
    },
  };
}

function drop(state: AccountState, isOver: (row: ConsoleKeyRow) => boolean): void {
  for (const [hash, row] of state.consoleKeys) if (isOver(row)) state.consoleKeys.delete(hash);
}

function personsDevice(state: AccountState, id: ConsoleKeyRow["device"]): StoredDevice | undefined {
  const device = state.devices.get(id);
  return device?.status === "active" && device.only === undefined ? device : undefined;
}

function open(
  state: AccountState,
  input: Parameters<ConsoleStore["openConsole"]>[0],
): ConsoleSession | undefined {
  const { nowMs, linkHash } = input;
  const link = state.consoleKeys.get(linkHash);
  if (link?.kind !== "link" || link.endsAtMs <= nowMs) return undefined;
  state.consoleKeys.delete(linkHash);
  return openSession(state, { ...input, device: link.device, askedAtMs: nowMs });
}

/** Opens a session of what may have one, and tells the audit. */
export function openSession(
  state: AccountState,
  input: Omit<Parameters<ConsoleStore["openConsole"]>[0], "linkHash"> & {
    readonly device: DeviceId;
    readonly askedAtMs: number;
  },
): ConsoleSession | undefined {
  const { nowMs, sessionHash, endsAtMs, device, askedAtMs } = input;
  const older = [...state.consoleKeys]
    .filter(([, row]) => row.kind === "session" && row.device === device)
    .toSorted(([, left], [, right]) => right.madeAtMs - left.madeAtMs)
    .slice(sessionsOfDeviceMax - 1);
  for (const [hash] of older) state.consoleKeys.delete(hash);
  const times = { madeAtMs: askedAtMs, seenAtMs: nowMs, endsAtMs };
  state.consoleKeys.set(sessionHash, { kind: "session", device, ...times });
  const session = useSession(state, sessionHash, nowMs);
  if (session === undefined) return undefined;
  appendAudit(state, nowMs, consoleOpenedEntry(session, input.network));
  return session;
}

/** See `ConsoleStore.consoleSession`. */
export function useSession(
  state: AccountState,
  hash: string,
  nowMs: number,
): ConsoleSession | undefined {
  const row = state.consoleKeys.get(hash);
  if (row?.kind !== "session" || row.endsAtMs <= nowMs) return undefined;
  if (isIdle(row.seenAtMs, nowMs)) return undefined;
  const device = personsDevice(state, row.device);
  const user = device === undefined ? undefined : state.users.get(device.user);
  if (device === undefined || user === undefined) return undefined;
  if (nowMs - row.seenAtMs >= noteEveryMs) state.consoleKeys.set(hash, { ...row, seenAtMs: nowMs });
  const { id, name, isOwner } = user;
  return {
    user: { id, name, isOwner },
    device: { id: device.id, name: device.name },
    issuer: state.identities.get(device.id)?.issuer,
    madeAtMs: row.madeAtMs,
  };
}
