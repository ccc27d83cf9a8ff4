/** A real device (store, HTTP, engine) that a scenario drives. */
import type {
  JsonObject,
  NamespaceId,
  RecordId,
  Result,
  UserId,
} from "../../packages/protocol/src/index.ts";
import type { Change, ChangeError, Changed } from "../../apps/client/src/store/local-store.ts";
import type { Replica } from "../../apps/client/src/store/replica-store.ts";
import type { Store } from "../../apps/client/src/store/store.ts";
import { scrubbed } from "../../apps/client/src/store/testing/test-store.ts";
import type { Accounts } from "../../apps/client/src/sync/access/accounts.ts";
import type { Report } from "../../apps/client/src/sync/machine/effect.ts";
import { isSynced } from "../../apps/client/src/sync/status.ts";
import type { Transport } from "../../apps/client/src/sync/transport.ts";
import { copyHome, openHome, reopenHome, type DeviceParts, type Home } from "./home.ts";
import { stepsOf, type Steps } from "./steps.ts";
import type { RequestKind, Way } from "./way.ts";

/** What a record is put with beside its fields. */
export interface Placing {
  readonly collection?: string;
  readonly parent?: string;
}

/** A device, seen from one of its namespaces. */
export interface Device extends Steps {
  readonly name: string;
  readonly user: UserId;
  readonly namespace: NamespaceId;
  readonly way: Way;
  readonly transport: Transport;
  readonly accounts: Accounts;
  readonly reports: readonly Report[];
  /** The store as it is open now. */
  readonly store: Store;
  readonly replica: Replica;
  readonly isSynced: boolean;
  /** How far its wall clock is ahead, in milliseconds. */
  skewMs: number;
  at(namespace: NamespaceId): Device;
  change(change: Change): Result<readonly Changed[], ChangeError>;
  put(id: string, fields: JsonObject, placing?: Placing): void;
  set(id: string, fields: JsonObject): void;
  forget(id: string): void;
  /** Requests of a kind that were sent so far. */
  count(kind: RequestKind): number;
  title(id: string): unknown;
  titles(): Readonly<Record<string, unknown>>;
  /** Values that lost, unresolved ones alone. */
  losers(): readonly unknown[];
  /** A copy of the home as it is now. */
  backup(): string;
  /** The home becomes that copy again. */
  restore(backup: string): void;
  /** The process dies and starts again on the same home. */
  restart(): void;
  /** A second machine with a copy of this home; both live on. */
  clone(name: string): Device;
}

/** A device with a home that is empty or a copy, seen from one namespace. */
export function openDevice(parts: DeviceParts, namespace: NamespaceId, copy?: string): Device {
  return deviceOf(openHome(parts, copy), namespace);
}

function deviceOf(home: Home, namespace: NamespaceId): Device {
  const { parts, reports } = home;
  const replicaOf = (): Replica => {
    const replica = home.store.replicas.replica(namespace);
    if (replica === undefined) throw new Error("this device knows no such namespace");
    return replica;
  };
  return {
    name: parts.name,
    user: parts.user,
    namespace,
    way: parts.way,
    transport: parts.transport,
    accounts: parts.accounts,
    reports,
    get store() {
      return home.store;
    },
    get replica() {
      return replicaOf();
    },
    get isSynced() {
      return isSynced(replicaOf());
    },
    get skewMs() {
      return home.skewMs;
    },
    set skewMs(ms) {
      home.skewMs = ms;
    },
    at: (other) => deviceOf(home, other),
    ...changesOf(home, namespace),
    ...stepsOf(home, namespace),
    ...readsOf(home, namespace),
    ...copiesOf(home, namespace),
  };
}

type ChangeMethods = Pick<Device, "change" | "put" | "set" | "forget">;

function changesOf(home: Home, namespace: NamespaceId): ChangeMethods {
  const change: Device["change"] = (one) =>
    home.store.changes.change(namespace, [one], home.parts.clock.nowMs() + home.skewMs);
  const make = (one: Change): void => {
    const made = change(one);
    if (!made.ok) throw new Error(made.error.kind);
  };
  return {
    change,
    put: (record, fields, { collection = "observation", parent } = {}) => {
      const under = parent === undefined ? {} : { parent: parent as RecordId };
      const id = record as RecordId;
      make({ kind: "put", id, collection, fields: scrubbed(fields), ...under });
    },
    set: (record, fields) => {
      make({ kind: "set", id: record as RecordId, fields: scrubbed(fields) });
    },
    forget: (record) => {
      make({ kind: "forget", id: record as RecordId });
    },
  };
}

type ReadMethods = Pick<Device, "count" | "title" | "titles" | "losers">;

function readsOf(home: Home, namespace: NamespaceId): ReadMethods {
  return {
    count: (kind) => home.parts.way.sent.filter((each) => each === kind).length,
    title: (record) => home.store.reads.get(namespace, record as RecordId)?.fields["title"],
    titles: () =>
      Object.fromEntries(
        home.store.reads
          .records("observation", [namespace])
          .map(({ id, fields }) => [id, fields["title"]]),
      ),
    losers: () => home.store.reads.conflicts({ namespaces: [namespace] }).map(({ value }) => value),
  };
}

type CopyMethods = Pick<Device, "backup" | "restore" | "restart" | "clone">;

function copiesOf(home: Home, namespace: NamespaceId): CopyMethods {
  return {
    backup: () => copyHome(home),
    restore: (backup) => {
      reopenHome(home, backup);
    },
    restart: () => {
      reopenHome(home);
    },
    clone: (name) => openDevice({ ...home.parts, name }, namespace, copyHome(home)),
  };
}
