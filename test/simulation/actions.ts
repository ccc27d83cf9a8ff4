import {
  unpairedNamespace,
  type NamespaceId,
  type RecordId,
} from "../../packages/protocol/src/index.ts";
import { isSynced } from "../../apps/client/src/sync/status.ts";
import type { RejectedOpView } from "../../apps/client/src/store/local-store.ts";
import { storeErrorOf } from "../../apps/client/src/store/store-error.ts";
import { truthName, type ActionWorld, type Doing } from "./action-world.ts";
import type { Extras } from "./extras.ts";
import { holdingsOf } from "./inventory.ts";
import { isSamePlace, learn, placeOf, wordOf, type Oracle, type Token } from "./oracle.ts";
import { Gone, type SimHandle } from "./sim-handle.ts";
import type { SimDevice } from "./sim-device.ts";
import { checkOwnView, shownOf } from "./own-view.ts";
import { childNames, fieldNames, recordNames, resolve, write, writeAtOnce } from "./writing.ts";

/** One thing that a person or an agent does on a device. */
export function act(world: ActionWorld, device: SimDevice): void {
  const { run } = world;
  try {
    const handle = device.writer();
    handle.during("capture", () => {
      const namespace = pickNamespace(world, handle);
      const kind = run.tape.draw(kindsIn(world.extras));
      if (kind < 64) write(world, { device, handle, namespace });
      else if (kind < 78) forget(world, { device, handle, namespace });
      else if (kind < 84) dismissConflict(world, { device, handle, namespace });
      else if (kind < 90) settleRefused(world, { device, handle, namespace });
      else if (kind < 100) look(world, { device, handle, namespace });
      else if (kind < kindsIn({ isFull: world.extras.isFull }))
        settleRefused(world, { device, handle, namespace });
      else if (run.tape.chance(500)) writeAtOnce(world, { device, handle, namespace });
      else resolve(world, { device, handle, namespace });
    });
  } catch (cause) {
    // The process died, or its machine is in trouble: the person sees an error and nothing is done.
    if (!(cause instanceof Gone) && storeErrorOf(cause) === undefined) throw cause;
    run.trace(`${device.name} failed ${cause instanceof Gone ? "gone" : "store"}`);
  }
}

/** A hundred kinds, and more where more is done: where much is refused, people look after it. */
function kindsIn({ isFull, isAtOnce }: Pick<Extras, "isFull" | "isAtOnce">): number {
  return 100 + (isFull === true ? 20 : 0) + (isAtOnce === true ? 30 : 0);
}

function pickNamespace({ run }: ActionWorld, handle: SimHandle): NamespaceId {
  const known = handle.store.replicas.replicas().filter(({ kind }) => kind !== "local");
  return known.length === 0 ? unpairedNamespace : run.tape.pick(known).namespace;
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
  oracle.dismissed.add(wordOf(value) ?? "");
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
  const there = { ...doing, namespace: op.namespace };
  const shown = shownOf(there, op.record);
  const isRetry = run.tape.chance(500);
  let isSent = isRetry;
  run.trace(`${device.name} ${isRetry ? "retries" : "drops"} ${op.record}`);
  try {
    if (isRetry) {
      const done = handle.store.changes.retryRejected(op, device.clock.nowMs());
      // What was made and forgotten again before anybody had it is given up, not sent (OP25).
      if (done.ok && done.value.length === 0) isSent = false;
      if (op.op !== "forget") checkStillShown(world, there, { record: op.record, shown });
    } else handle.store.changes.dropRejected(op);
  } finally {
    // Also where the process died: the store may have done it by then.
    if (!isStillRefused(device, op)) noteSettled({ world, device, op, before }, isSent);
  }
  checkOwnView(world, there);
}

/** Whoever sends a change again sees no less of the record afterwards (OP28). */
function checkStillShown(
  { run }: ActionWorld,
  there: Doing,
  { record, shown }: { readonly record: string; readonly shown: ReadonlyMap<string, string> },
): void {
  const now = shownOf(there, record);
  const gone = [...shown].filter(([field]) => !now.has(field));
  for (const [field, word] of gone) {
    run.broken("OP28", `${there.device.name} shows ${word} of ${record}.${field} no more`);
  }
}

/** Past all of the product's code: a disk in trouble keeps nobody from looking. */
function isStillRefused({ inspector }: SimDevice, { writer, n }: RejectedOpView): boolean {
  return inspector
    .all("SELECT writer, n FROM outbox WHERE state = 'rejected'")
    .some((each) => each["writer"] === writer && each["n"] === n);
}

interface Settled {
  readonly world: ActionWorld;
  readonly device: SimDevice;
  readonly op: RejectedOpView;
  readonly before: ReadonlySet<string>;
}

function noteSettled({ world, device, op, before }: Settled, isRetry: boolean): void {
  const { oracle } = world;
  const { waiting: after, confirmed } = holdingsOf(device, world.personalOf(device));
  const held = new Set([...after, ...confirmed]);
  for (const word of before) {
    const token = oracle.tokens.get(word);
    if (token === undefined) continue;
    if (isRetry && token.record === op.record) token.retriedOn.add(device.name);
    if (after.has(word)) continue;
    // What was written over before anybody else had it goes into one with what replaced it (OP20),
    // or is left out where that has arrived (OP27).
    if (!isRetry || isWrittenOver(oracle, token, held)) token.excuse ??= "dropped";
  }
  for (const forgetting of oracle.forgettings) {
    const isIt = !isRetry && forgetting.record === op.record && op.op === "forget";
    if (!isIt) continue;
    forgetting.excuse ??= "dropped";
    if (world.extras.isWary === true) excuseForgotten(oracle, { device, op, held });
  }
}

/** What was refused for a secret is mended no more once its device has forgotten the record (OP26). */
function excuseForgotten(
  oracle: Oracle,
  {
    device,
    op,
    held,
  }: {
    readonly device: SimDevice;
    readonly op: RejectedOpView;
    readonly held: ReadonlySet<string>;
  },
): void {
  for (const token of oracle.tokens.values()) {
    const isIts = token.device === device.name && token.record === op.record;
    if (isIts && !held.has(token.text)) token.excuse ??= "dropped";
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
  checkOwnView(world, doing);
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
