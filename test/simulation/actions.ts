import {
  unpairedNamespace,
  type NamespaceId,
  type RecordId,
} from "../../packages/protocol/src/index.ts";
import { isSynced } from "../../apps/client/src/sync/status.ts";
import type { RejectedOpView } from "../../apps/client/src/store/local-store.ts";
import { storeErrorOf } from "../../apps/client/src/store/store-error.ts";
import type { ScrubbedFields } from "../../apps/client/src/store/store.ts";
import type { Extras } from "./extras.ts";
import { holdingsOf } from "./inventory.ts";
import { isSamePlace, learn, placeOf, type Oracle, type Token } from "./oracle.ts";
import { Gone, type SimHandle } from "./sim-handle.ts";
import type { SimDevice } from "./sim-device.ts";
import type { Run } from "./world-state.ts";

/** What actions need to know of the world. */
export interface ActionWorld {
  readonly run: Run;
  readonly extras: Extras;
  readonly oracle: Oracle;
  /** A small number for a namespace, for its words. */
  readonly numberOf: (namespace: string) => number;
  /** The personal namespace of a device's person. */
  readonly personalOf: (device: SimDevice) => NamespaceId;
  /** The server's digest at a head of its present history, where it is known. */
  readonly digestAt: (namespace: string, head: number) => string | undefined;
}

const recordNames = ["rec-a", "rec-b", "rec-c", "rec-d", "rec-e"];
const childNames = ["kid-a", "kid-b"];
const childrensParent = "rec-a" as RecordId;
const fieldNames = ["title", "narrative"];
const collections = ["observation", "observation", "observation", "moonstone"];

/** One thing that a person or an agent does on a device. */
export function act(world: ActionWorld, device: SimDevice): void {
  const { run } = world;
  try {
    const handle = device.writer();
    handle.during("capture", () => {
      const namespace = pickNamespace(world, handle);
      const kind = run.tape.draw(100);
      if (kind < 64) write(world, { device, handle, namespace });
      else if (kind < 78) forget(world, { device, handle, namespace });
      else if (kind < 84) dismissConflict(world, { device, handle, namespace });
      else if (kind < 90) settleRefused(world, { device, handle, namespace });
      else look(world, { device, handle, namespace });
    });
  } catch (cause) {
    // The process died, or its machine is in trouble: the person sees an error and nothing is done.
    if (!(cause instanceof Gone) && storeErrorOf(cause) === undefined) throw cause;
    run.trace(`${device.name} failed ${cause instanceof Gone ? "gone" : "store"}`);
  }
}

interface Doing {
  readonly device: SimDevice;
  readonly handle: SimHandle;
  readonly namespace: NamespaceId;
}

function pickNamespace({ run }: ActionWorld, handle: SimHandle): NamespaceId {
  const known = handle.store.replicas.replicas().filter(({ kind }) => kind !== "local");
  return known.length === 0 ? unpairedNamespace : run.tape.pick(known).namespace;
}

/** The name that the oracle has for a namespace: before pairing it is the personal one to be. */
function truthName(world: ActionWorld, { device, namespace }: Doing): NamespaceId {
  return namespace === unpairedNamespace ? world.personalOf(device) : namespace;
}

function write(world: ActionWorld, doing: Doing): void {
  const { run, oracle, extras } = world;
  const { device, handle, namespace } = doing;
  const { store } = handle;
  const isFamily = extras.isFamily === true;
  const isChild = !run.isCrowded && run.tape.chance(isFamily ? 500 : 150);
  const parents = run.isCrowded || isFamily ? recordNames.slice(0, 1) : recordNames;
  const names = isChild ? childNames : parents;
  const record = run.tape.pick(names) as RecordId;
  const truth = truthName(world, doing);
  const view = store.reads.get(namespace, record);
  const known = run.isCrowded ? fieldNames.slice(0, 1) : fieldNames;
  const fields = run.tape.chance(200) ? fieldNames : [run.tape.pick(known)];
  const words: Record<string, string> = {};
  for (const field of fields) {
    const place = placeOf(truth, record, field);
    if (view !== undefined) learn(device.knowledge, place, view.fields[field]);
    const text = oracle.word(world.numberOf(truth));
    words[field] = text;
    const seen = new Set(device.knowledge.get(place));
    // Until it is known, it may have happened: a process can die after its commit.
    oracle.wrote({
      text,
      namespace: truth,
      record,
      field,
      parent: isChild ? childrensParent : undefined,
      device: device.name,
      seen,
      isAcked: false,
    });
  }
  const scrubbed = words as unknown as ScrubbedFields;
  const lamport = store.replicas.replica(namespace)?.lamport ?? 0;
  const changed = changeOrForgetWords(oracle, words, () =>
    store.changes.change(
      namespace,
      [
        view === undefined
          ? {
              kind: "put",
              id: record,
              collection: run.tape.pick(collections),
              ...(isChild ? { parent: childrensParent } : {}),
              fields: scrubbed,
            }
          : { kind: "set", id: record, fields: scrubbed },
      ],
      device.clock.nowMs(),
    ),
  );
  const said = changed.ok ? Object.values(words).join(" ") : changed.error.kind;
  run.trace(`${device.name} writes ${record} of ${truth}: ${said}`);
  for (const [field, text] of Object.entries(words)) {
    const token = oracle.tokens.get(text);
    if (token === undefined) continue;
    if (!changed.ok) oracle.tokens.delete(text);
    token.isAcked = changed.ok;
    if (changed.ok) learn(device.knowledge, placeOf(truth, record, field), text);
  }
  if (!changed.ok) return;
  const stamped = changed.value[0]?.lamport ?? 0;
  if (stamped <= lamport)
    run.broken("CK1", `lamport ${stamped} after ${lamport} in ${device.name}`);
}

/** What failed in the store was not written: its words must not turn up anywhere. */
function changeOrForgetWords<T>(
  oracle: Oracle,
  words: Readonly<Record<string, string>>,
  change: () => T,
): T {
  try {
    return change();
  } catch (cause) {
    if (!(cause instanceof Gone))
      for (const word of Object.values(words)) oracle.tokens.delete(word);
    throw cause;
  }
}

function forget(world: ActionWorld, doing: Doing): void {
  const { run, oracle } = world;
  const { device, handle, namespace } = doing;
  const seen = handle.store.reads.records("observation", [namespace]);
  if (seen.length === 0) return;
  const { id } = run.tape.pick(seen);
  const done = handle.store.changes.change(
    namespace,
    [{ kind: "forget", id }],
    device.clock.nowMs(),
  );
  run.trace(`${device.name} forgets ${id} ${done.ok ? "ok" : done.error.kind}`);
  if (done.ok) {
    oracle.forgot({ namespace: truthName(world, doing), record: id, device: device.name });
  }
}

function dismissConflict({ run, oracle }: ActionWorld, { device, handle, namespace }: Doing): void {
  const open = handle.store.reads.conflicts({ namespaces: [namespace] });
  if (open.length === 0) return;
  const { id, value } = run.tape.pick(open);
  if (typeof value === "string") oracle.dismissed.add(value);
  const done = handle.store.changes.change(
    namespace,
    [{ kind: "forget", id }],
    device.clock.nowMs(),
  );
  run.trace(`${device.name} dismisses ${id} ${done.ok ? "ok" : done.error.kind}`);
}

/** A person sends a refused change again, or gives it up. */
function settleRefused(world: ActionWorld, doing: Doing): void {
  const { run } = world;
  const { device, handle } = doing;
  const refused = handle.store.reads.rejected();
  if (refused.length === 0) return;
  const op = run.tape.pick(refused);
  const before = holdingsOf(device, world.personalOf(device)).waiting;
  const isRetry = run.tape.chance(500);
  let isSent = isRetry;
  run.trace(`${device.name} ${isRetry ? "retries" : "drops"} ${op.record}`);
  try {
    if (isRetry) {
      const done = handle.store.changes.retryRejected(op, device.clock.nowMs());
      // What was made and forgotten again before anybody had it is given up, not sent (OP25).
      if (done.ok && done.value.length === 0) isSent = false;
    } else handle.store.changes.dropRejected(op);
  } finally {
    // Also where the process died: the store may have done it by then.
    if (!isStillRefused(device, op)) noteSettled({ world, device, op, before }, isSent);
  }
}

function isStillRefused(device: SimDevice, { writer, n }: RejectedOpView): boolean {
  const { reads } = device.reader().store;
  return reads.rejected().some((each) => each.writer === writer && each.n === n);
}

interface Settled {
  readonly world: ActionWorld;
  readonly device: SimDevice;
  readonly op: RejectedOpView;
  readonly before: ReadonlySet<string>;
}

function noteSettled({ world, device, op, before }: Settled, isRetry: boolean): void {
  const { oracle } = world;
  const after = holdingsOf(device, world.personalOf(device)).waiting;
  for (const word of before) {
    const token = oracle.tokens.get(word);
    if (token === undefined) continue;
    if (isRetry && token.record === op.record) token.isRetried = true;
    if (after.has(word)) continue;
    // What was written over before anybody else had it goes into one with what replaced it (OP20).
    if (!isRetry || isWrittenOver(oracle, token, after)) token.excuse ??= "dropped";
  }
  for (const forgetting of oracle.forgettings) {
    const isIt = !isRetry && forgetting.record === op.record && op.op === "forget";
    if (isIt) forgetting.excuse ??= "dropped";
  }
}

function isWrittenOver(
  oracle: Oracle,
  { device, text, ...place }: Token,
  held: ReadonlySet<string>,
) {
  return [...oracle.tokens.values()].some(
    (each) =>
      each.device === device &&
      each.seen.has(text) &&
      held.has(each.text) &&
      isSamePlace(each, place),
  );
}

/** Somebody reads what is there; from then on their device has seen it. */
function look(world: ActionWorld, doing: Doing): void {
  const { device, handle, namespace } = doing;
  const truth = truthName(world, doing);
  checkStatus(world, doing);
  for (const name of [...recordNames, ...childNames]) {
    const view = handle.store.reads.get(namespace, name as RecordId);
    for (const field of fieldNames) {
      if (view !== undefined)
        learn(device.knowledge, placeOf(truth, name, field), view.fields[field]);
    }
  }
}

/** A status that says "synced" is held to it: nothing waits, and the server had just this (CL20). */
function checkStatus({ run, digestAt }: ActionWorld, { device, handle, namespace }: Doing): void {
  const replica = handle.store.replicas.replica(namespace);
  if (replica === undefined || !isSynced(replica)) return;
  const { unsent } = holdingsOf(device, namespace);
  const waiting = unsent.get(replica.namespace) ?? 0;
  if (waiting > 0) run.broken("CL20", `${device.name} says synced while ${waiting} changes wait`);
  const theirs = digestAt(replica.namespace, replica.head);
  if (theirs !== undefined && theirs !== replica.confirmed.digest) {
    run.broken("CL20", `${device.name} says synced at ${replica.head} and holds something else`);
  }
}
