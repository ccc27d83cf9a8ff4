import type { RecordId } from "../../packages/protocol/src/index.ts";
import { resolveConflict } from "../../apps/client/src/memory/resolve.ts";
import type { ScrubbedFields } from "../../apps/client/src/store/scrubbed-fields.ts";
import type { Change } from "../../apps/client/src/store/local-store.ts";
import { sha256 } from "../../apps/client/src/platform/hash.ts";
import { truthName, type ActionWorld, type Doing } from "./action-world.ts";
import { holdingsOf } from "./inventory.ts";
import { learn, placeOf, wordOf } from "./oracle.ts";
import { Gone } from "./sim-handle.ts";
import { unknowingScrub, withSecret } from "./wary.ts";

export const recordNames = ["rec-a", "rec-b", "rec-c", "rec-d", "rec-e"];
export const childNames = ["kid-a", "kid-b"];
const childrensParent = "rec-a" as RecordId;
export const fieldNames = ["title", "narrative"];
const collections = ["observation", "observation", "observation", "moonstone"];

/** What is written into a record's fields. */
interface Written {
  readonly record: RecordId;
  /** By field, what is told apart by the oracle. */
  readonly words: Readonly<Record<string, string>>;
  /** The same as it is written: some with a secret beside it. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Somebody writes to one record. */
export function write(world: ActionWorld, doing: Doing): void {
  const { run, extras } = world;
  const isFamily = extras.isFamily === true;
  const isChild = !run.isCrowded && run.tape.chance(isFamily ? 500 : 150);
  const parents = run.isCrowded || isFamily ? recordNames.slice(0, 1) : recordNames;
  const record = run.tape.pick(isChild ? childNames : parents) as RecordId;
  const written = draw(world, doing, record);
  change(world, doing, { written: [written], changes: [changeOf(world, doing, written)] });
}

/** Two or three records change in one step, or one goes as others come: all of it or nothing. */
export function writeAtOnce(world: ActionWorld, doing: Doing): void {
  const { run, oracle } = world;
  const all = [...recordNames, ...childNames];
  const start = run.tape.draw(all.length);
  const names = [...all.slice(start), ...all.slice(0, start)].slice(0, 2 + run.tape.draw(2));
  const [first = "", ...others] = names;
  const { reads } = doing.handle.store;
  const isForgotten =
    run.tape.chance(250) && reads.get(doing.namespace, first as RecordId) !== undefined;
  const written = (isForgotten ? others : [first, ...others]).map((name) =>
    draw(world, doing, name as RecordId),
  );
  const changes = written.map((each) => changeOf(world, doing, each));
  if (isForgotten) changes.push({ kind: "forget", id: first as RecordId });
  const isDone = change(world, doing, { written, changes });
  if (!isDone || !isForgotten) return;
  const { device } = doing;
  oracle.forgot({ namespace: truthName(world, doing), record: first, device: device.name });
}

/** Somebody looks at both values of a conflict and writes a third: one step too. */
export function resolve(world: ActionWorld, doing: Doing): void {
  const { run, oracle } = world;
  const { device, handle, namespace } = doing;
  const open = handle.store.reads.conflicts({ namespaces: [namespace] });
  if (open.length === 0) return;
  const { id, record, field, value } = run.tape.pick(open);
  const place = placeOf(truthName(world, doing), record, field);
  learn(device.knowledge, place, value);
  const written = draw(world, doing, record, [field]);
  const deps = {
    store: handle.store,
    scrub: unknowingScrub,
    sha256,
    clock: device.clock,
    random: noRandom,
  };
  const isDone = put(world, doing, [written], () => {
    const done = resolveConflict(deps, id, { keep: "other", value: written.fields[field] ?? "" });
    return done.ok ? undefined : done.error.kind;
  });
  if (isDone) oracle.dismissed.add(wordOf(value) ?? "");
}

const noRandom = {
  bytes: (): Uint8Array => {
    throw new Error("whoever resolves makes no id");
  },
};

function draw(
  world: ActionWorld,
  doing: Doing,
  record: RecordId,
  told?: readonly string[],
): Written {
  const { run, oracle, extras } = world;
  const { device, handle, namespace } = doing;
  const truth = truthName(world, doing);
  const known = run.isCrowded ? fieldNames.slice(0, 1) : fieldNames;
  const fields = told ?? (run.tape.chance(200) ? fieldNames : [run.tape.pick(known)]);
  const view = handle.store.reads.get(namespace, record);
  const words: Record<string, string> = {};
  const texts: Record<string, string> = {};
  for (const field of fields) {
    const place = placeOf(truth, record, field);
    if (view !== undefined) learn(device.knowledge, place, view.fields[field]);
    const text = oracle.word(world.numberOf(truth));
    words[field] = text;
    texts[field] = extras.isWary === true && run.tape.chance(250) ? withSecret(text) : text;
    // Until it is known, it may have happened: a process can die after its commit.
    oracle.wrote({
      text,
      namespace: truth,
      record,
      field,
      parent: childNames.includes(record) ? childrensParent : undefined,
      device: device.name,
      seen: new Set(device.knowledge.get(place)),
      isAcked: false,
    });
  }
  return { record, words, fields: texts };
}

function changeOf({ run }: ActionWorld, { handle, namespace }: Doing, written: Written): Change {
  const { record } = written;
  const fields = written.fields as unknown as ScrubbedFields;
  if (handle.store.reads.get(namespace, record) !== undefined) {
    return { kind: "set", id: record, fields };
  }
  const parent = childNames.includes(record) ? { parent: childrensParent } : {};
  return { kind: "put", id: record, collection: run.tape.pick(collections), ...parent, fields };
}

/** Makes a change, in one step, and holds it to its clock. */
function change(
  world: ActionWorld,
  doing: Doing,
  {
    written,
    changes,
  }: { readonly written: readonly Written[]; readonly changes: readonly Change[] },
): boolean {
  const { device, handle, namespace } = doing;
  const lamport = handle.store.replicas.replica(namespace)?.lamport ?? 0;
  let stamped = lamport + 1;
  const isDone = put(world, doing, written, () => {
    const changed = handle.store.changes.change(namespace, changes, device.clock.nowMs());
    if (!changed.ok) return changed.error.kind;
    stamped = changed.value[0]?.lamport ?? 0;
    return undefined;
  });
  if (isDone && stamped <= lamport) {
    world.run.broken("CK1", `lamport ${stamped} after ${lamport} in ${device.name}`);
  }
  return isDone;
}

/** Does what puts words down, all of them or none; what it gives says why it was not done. */
function put(
  world: ActionWorld,
  doing: Doing,
  written: readonly Written[],
  act: () => string | undefined,
): boolean {
  const { run, oracle } = world;
  const { device } = doing;
  const truth = truthName(world, doing);
  const words = written.flatMap((each) => Object.values(each.words));
  let why: string | undefined;
  try {
    why = act();
  } catch (cause) {
    if (cause instanceof Gone) checkWhole(world, doing, words);
    // What failed in the store was not written: its words must not turn up anywhere.
    else for (const word of words) oracle.tokens.delete(word);
    throw cause;
  }
  for (const { record, words: texts } of written) {
    const said = why ?? Object.values(texts).join(" ");
    run.trace(`${device.name} writes ${record} of ${truth}: ${said}`);
    for (const [field, text] of Object.entries(texts)) {
      const token = oracle.tokens.get(text);
      if (token === undefined) continue;
      if (why !== undefined) oracle.tokens.delete(text);
      token.isAcked = why === undefined;
      if (why === undefined) learn(device.knowledge, placeOf(truth, record, field), text);
    }
  }
  return why === undefined;
}

/** Where a process died in a change of several records, all of it is there or nothing (OP11). */
function checkWhole(world: ActionWorld, { device }: Doing, words: readonly string[]): void {
  const { waiting } = holdingsOf(device, world.personalOf(device));
  const kept = words.filter((word) => waiting.has(word));
  if (kept.length === 0 || kept.length === words.length) return;
  world.run.broken(
    "OP11",
    `${device.name} kept ${kept.length} of ${words.length} values of one step`,
  );
}
