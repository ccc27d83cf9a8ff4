import type { NamespaceId } from "../../packages/protocol/src/index.ts";
import type { SimServer } from "./sim-server.ts";

/** What the log of an encrypted namespace says, read without asking whether it may. */
export interface MemberLog {
  readonly entries: readonly string[];
  readonly isIn: (device: string) => boolean;
  /** Whether a device is in as one that hands keys to everybody. */
  readonly isAdmin: (device: string) => boolean;
  /** The recovery codes that are in. */
  readonly codes: readonly string[];
  readonly isOut: (device: string) => boolean;
  /** Epochs whose keys a device was ever handed by right. */
  readonly epochsOf: (device: string) => ReadonlySet<number>;
}

interface Entry {
  readonly kind: "genesis" | "admit" | "remove" | "epoch";
  readonly keys?: { readonly device: string };
  readonly device?: string;
  readonly role?: string;
  readonly epoch?: number;
}

type Row = { readonly entry: string };

/** Logs that were read, by their last entries: each names the one before it, so it says all. */
const read = new WeakMap<Row, MemberLog>();

/** Reads the log as the server has it; undefined where the namespace is not encrypted. */
export function memberLog({ state }: SimServer, namespace: string): MemberLog | undefined {
  const rows: readonly Row[] = state.namespaces.get(namespace as NamespaceId)?.log ?? [];
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const known = read.get(last);
  if (known !== undefined) return known;
  const log = readLog(rows.map(({ entry }) => entry));
  read.set(last, log);
  return log;
}

function readLog(entries: readonly string[]): MemberLog {
  const present = new Set<string>();
  const gone = new Set<string>();
  const admins = new Set<string>();
  const handed = new Map<string, Set<number>>();
  const epochs = new Set<number>();
  const hand = (device: string, some: Iterable<number>): void => {
    handed.set(device, new Set([...(handed.get(device) ?? []), ...some]));
  };
  for (const said of entries.map(payloadOf)) {
    if (said.kind === "genesis") epochs.add(1);
    if (said.keys !== undefined) {
      present.add(said.keys.device);
      gone.delete(said.keys.device);
      if (said.kind === "genesis" || said.role === "admin") admins.add(said.keys.device);
      else admins.delete(said.keys.device);
      hand(said.keys.device, epochs);
    }
    if (said.kind === "remove" && said.device !== undefined) {
      present.delete(said.device);
      gone.add(said.device);
    }
    if (said.kind === "epoch" && said.epoch !== undefined) {
      epochs.add(said.epoch);
      for (const device of present) hand(device, [said.epoch]);
    }
  }
  return {
    entries,
    isIn: (device) => present.has(device),
    isAdmin: (device) => present.has(device) && admins.has(device),
    codes: [...present].filter((device) => device.startsWith("rec_")),
    isOut: (device) => gone.has(device),
    epochsOf: (device) => handed.get(device) ?? new Set(),
  };
}

/** The last entry of a log that began an epoch after the first. */
export function newestEpoch(
  entries: readonly string[],
): { readonly entry: string; readonly epoch: number } | undefined {
  const entry = entries.findLast((each) => payloadOf(each).kind === "epoch");
  return entry === undefined ? undefined : { entry, epoch: payloadOf(entry).epoch ?? 0 };
}

function payloadOf(entry: string): Entry {
  const [, payload = ""] = entry.split(".");
  return JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as Entry;
}
