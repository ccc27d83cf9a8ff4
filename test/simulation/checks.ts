/** What must hold once the storm is over; the rules are those of docs/SPEC.md, the truth the oracle's. */
import { isAtLeast, type NamespaceId, type RecordId } from "../../packages/protocol/src/index.ts";
import {
  gravesIn,
  holdingsOf,
  serverHistory,
  serverHoldings,
  serverRecords,
  type ServerRecord,
  wordsHeldIn,
} from "./inventory.ts";
import { checkForgottenContent } from "./forgotten-content.ts";
import { strayIndexRows } from "./index-rows.ts";
import { checkNeedlessConflicts } from "./needless-conflicts.ts";
import { isRetried, isSamePlace, wordOf, wordsIn, type Token } from "./oracle.ts";
import { checkSecrets, mendable } from "./wary.ts";
import { checkSealed, isShutOut, openableHere, sealedUnrest } from "./sealed-checks.ts";
import type { SimDevice } from "./sim-device.ts";
import type { Replica } from "../../apps/client/src/store/replica-store.ts";
import type { World } from "./world.ts";

/** Whether every device that may sync holds what the server holds, with nothing left to send. */
export function isQuiet(world: World): boolean {
  const isRestless = (device: SimDevice): boolean => unrest(world, device).next().done !== true;
  // Who kept the world from it last mostly still does.
  const last = lastRestless.get(world);
  if (last !== undefined && isRestless(last)) return false;
  const next = world.devices.find(isRestless);
  if (next !== undefined) lastRestless.set(world, next);
  return next === undefined;
}

const lastRestless = new WeakMap<World, SimDevice>();

/** What keeps a device from being quiet, one sentence each. */
export function* unrest(world: World, device: SimDevice): Generator<string> {
  if (!isActive(world, device)) return;
  if (!device.isSyncing) yield `${device.name} is off`;
  yield* mendable(world, device);
  const replicas = device
    .reader()
    .store.replicas.replicas()
    .filter(({ kind }) => kind !== "local");
  for (const { id, members, head } of world.server.state.namespaces.values()) {
    const replica = replicas.find(({ namespace }) => namespace === id);
    const isMember = members.has(device.identity.user);
    if (isMember && replica === undefined) yield `${device.name} does not know ${id}`;
    if (replica === undefined) continue;
    if (!isMember && replica.status === "active") yield `${device.name} is no member of ${id}`;
    const mayBeAhead =
      (replica.role === "reader" && world.run.struck.has("serverRestore")) ||
      ownGraves(world, device, id).size > 0;
    if (isMember && isShutOut(world, device, id)) continue;
    const sealed = isMember ? sealedUnrest(world, device, id) : "";
    if (sealed !== "") yield sealed;
    if (isMember) yield* replicaUnrest(device, { replica, mayBeAhead }, head);
  }
}

function* replicaUnrest(
  device: SimDevice,
  { replica, mayBeAhead }: { readonly replica: Replica; readonly mayBeAhead: boolean },
  head: { readonly digest: string; readonly count: number },
): Generator<string> {
  const { role, namespace, confirmed, unsent, unverified, needsHeal, verified, status } = replica;
  const isSame = head.digest === confirmed.digest && head.count === confirmed.count;
  // What only a reader still has after a restore is told, never delivered (HL33); its changes are
  // answered like anybody's. A writer's are, too, and wait for equal digests to be let go of (OP19).
  const isAnswered = unsent === 0 && (unverified === 0 || role !== "reader");
  if (mayBeAhead && !isSame && isAnswered && replica.notice !== undefined) return;
  const isDone = unsent === 0 && unverified === 0 && !needsHeal && verified;
  if (isSame && isDone && status === "active") return;
  const { healWhy, notice } = replica;
  const how = { role, status, unsent, unverified, needsHeal, healWhy, verified, isSame, notice };
  yield `${device.name} in ${namespace}: ${JSON.stringify(how)}`;
}

/**
 * Records that a device has seen forgotten, which a server that was set back has from somebody else
 * since: whose forget it was may not take that one away, and is told so (NS6, HL28).
 */
function ownGraves(
  { run, server }: World,
  device: SimDevice,
  namespace: NamespaceId,
): ReadonlySet<string> {
  const role = server.state.namespaces.get(namespace)?.members.get(device.identity.user);
  if (!run.struck.has("serverRestore") || (role !== undefined && isAtLeast(role, "admin"))) {
    return new Set();
  }
  const records = server.state.namespaces.get(namespace)?.records;
  const isOthers = (id: string): boolean => {
    const row = records?.get(id as RecordId);
    return row !== undefined && row.form.fields !== null && row.author !== device.identity.user;
  };
  return new Set(gravesIn(device, namespace).filter(isOthers));
}

/** Runs every check. */
export function checkWorld(world: World): void {
  for (const device of world.devices) checkStore(world, device);
  const namespaces = [...world.server.state.namespaces.keys()];
  for (const namespace of namespaces) checkNamespace(world, namespace);
  const where = whereabouts(world);
  checkNothingLost(world, where);
  checkForgotten(world, where);
  checkNoPhantoms(world, where);
  checkNoNeedlessHeals(world);
  checkNothingStranded(world);
  checkForgottenContent(world);
  checkSealed(world);
  checkSecrets(world);
  if (isUndisturbed(world)) checkNeedlessConflicts(world);
}

/** What waits has a namespace that sends it, or says why not. */
function checkNothingStranded(world: World): void {
  for (const device of world.devices) {
    if (!isActive(world, device)) continue;
    const { unsent } = holdingsOf(device, world.personalOf(device));
    for (const [namespace, count] of unsent) {
      if (!world.isMember(device, namespace) || isShutOut(world, device, namespace)) continue;
      world.run.broken("EN10", `${device.name} still has ${count} unsent in ${namespace}`);
    }
  }
}

/** Whether nothing was set back and nothing copied: then the feed alone has to be enough. */
function isUndisturbed({ run, extras }: World): boolean {
  // A repair and pairing again start new writers, as a home does that was set back.
  if (extras.isLosingKeys === true || extras.isReturning === true) return false;
  return !(["serverRestore", "homeRestore", "homeClone"] as const).some((kind) =>
    run.struck.has(kind),
  );
}

/**
 * Where nothing was set back or copied, no pull may skip a record and no two replicas may differ: a
 * heal would hide it, so the reason for one is looked at (PL21).
 */
function checkNoNeedlessHeals(world: World): void {
  // Who was away for longer than marks are kept heals by right (MK3), and then perhaps once more (HL38).
  if (!isUndisturbed(world) || world.extras.isSleeping === true) return;
  const { healReasons } = world.run;
  for (const why of healReasons) {
    // So does who lacked a record, and heals by right as well.
    const isSecond = why === "digest" && healReasons.has("unknown-record");
    if (why !== "unknown-record" && !isSecond) world.run.broken("PL21", `a heal because of ${why}`);
  }
}

function isActive({ server }: World, device: SimDevice): boolean {
  return server.state.devices.get(device.identity.id)?.status === "active";
}

function checkStore({ run }: World, device: SimDevice): void {
  const { store } = device.reader();
  const isDamaged = run.struck.has("indexDamage");
  if (isDamaged) store.upkeep.rebuildSearch();
  for (const stray of strayIndexRows(device)) run.broken("ST5", stray);
  for (const { kind, message } of store.upkeep.check()) {
    run.broken("ST5", `${device.name} ${kind}: ${message}`);
  }
}

function checkNamespace(world: World, namespace: NamespaceId): void {
  const { run, devices } = world;
  const records = serverRecords(world.server.state, namespace);
  checkChildren(run, records);
  for (const device of devices) {
    if (!isActive(world, device) || !world.isMember(device, namespace)) continue;
    if (isShutOut(world, device, namespace)) continue;
    const replica = device.reader().store.replicas.replica(namespace);
    // What only a reader still has after a restore is told, never delivered (HL33).
    if (replica?.role === "reader" && run.struck.has("serverRestore")) continue;
    checkView(world, { device, namespace, records });
  }
}

/** No child outlives its parent, whichever of them came first (TB3). */
function checkChildren(run: World["run"], records: readonly ServerRecord[]): void {
  const dead = new Set(records.flatMap(({ id, fields }) => (fields === undefined ? [id] : [])));
  for (const { id, parent, fields } of records) {
    if (fields === undefined || parent === undefined || !dead.has(parent)) continue;
    run.broken("TB3", `${id} lives on after its parent ${parent}`);
  }
}

function checkView(
  world: World,
  {
    device,
    namespace,
    records,
  }: {
    readonly device: SimDevice;
    readonly namespace: NamespaceId;
    readonly records: readonly ServerRecord[];
  },
): void {
  const { run } = world;
  const hidden = new Set<string>();
  const isOpenable = openableHere(world, namespace);
  const graves = ownGraves(world, device, namespace);
  const { store } = device.reader();
  const refused = new Set(store.reads.rejected(namespace).map(({ record }) => String(record)));
  for (const { id, parent = "", fields, collection } of records) {
    const view = store.reads.get(namespace, id as RecordId);
    // A refused change of a parent is in view, and so is what it does to the children.
    if (refused.size > 0) continue;
    const isBuried = graves.has(id) || graves.has(parent);
    if (isBuried || (fields !== undefined && !isOpenable(id))) {
      hidden.add(id);
      continue;
    }
    if (fields === undefined) {
      if (view !== undefined) run.broken("TB1", `${device.name} shows ${id}, which is forgotten`);
      continue;
    }
    if (JSON.stringify(sorted(view?.fields)) !== JSON.stringify(sorted(fields))) {
      const shown = JSON.stringify(view?.fields);
      run.broken("PL3", `${device.name} shows ${id} as ${shown}, not ${JSON.stringify(fields)}`);
    }
    if (collection === "observation") checkSearch(run, { device, namespace, id, fields });
  }
  const shown = store.reads.records("observation", [namespace]).length;
  const live = records.filter(
    ({ fields, collection }) => fields !== undefined && collection === "observation",
  );
  if (refused.size === 0 && hidden.size === 0 && shown !== live.length) {
    run.broken("PL3", `${device.name} shows ${shown} observations, not ${live.length}`);
  }
}

function checkSearch(
  run: World["run"],
  {
    device,
    namespace,
    id,
    fields,
  }: {
    readonly device: SimDevice;
    readonly namespace: NamespaceId;
    readonly id: string;
    readonly fields: Readonly<Record<string, unknown>>;
  },
): void {
  const { store } = device.reader();
  for (const word of wordsIn(JSON.stringify([fields["title"], fields["narrative"]]))) {
    const hits = store.reads.search(`"${word}"`, { namespaces: [namespace], includeHidden: true });
    if (hits.length !== 1 || hits[0]?.observation.id !== id) {
      run.broken("ST5", `${device.name} finds ${word} ${hits.length} times`);
    }
  }
}

function sorted(fields: Readonly<Record<string, unknown>> | undefined): unknown {
  if (fields === undefined) return undefined;
  return Object.entries(fields).toSorted(([left], [right]) => (left < right ? -1 : 1));
}

/** Where each word is now. */
interface Whereabouts {
  /** Words that are the value of a live field, by place. */
  readonly current: ReadonlyMap<string, string>;
  /** Words that stand anywhere on the server: current values and kept losers. */
  readonly server: ReadonlySet<string>;
  readonly history: ReadonlySet<string>;
  /** Words in the outbox of any device. */
  readonly waiting: ReadonlySet<string>;
  /** Words in the confirmed records of any device. */
  readonly confirmed: ReadonlySet<string>;
  /**
   * Words that only devices have which may not deliver them: readers, former members, revoked, and
   * those that have seen another log.
   */
  readonly stranded: ReadonlySet<string>;
  /** Keys of records that any device has forgotten, or waits to forget. */
  readonly dead: ReadonlySet<string>;
}

function whereabouts(world: World): Whereabouts {
  const { server } = world;
  const current = new Map<string, string>();
  for (const namespace of server.state.namespaces.keys()) {
    for (const { id, fields, collection } of serverRecords(server.state, namespace)) {
      if (fields === undefined || collection === "conflict") continue;
      for (const [field, value] of Object.entries(fields)) {
        current.set(`${namespace}/${id}/${field}`, String(value));
      }
    }
  }
  const waiting = new Set<string>();
  const confirmed = new Set<string>();
  const stranded = new Set<string>();
  const dead = new Set<string>();
  for (const device of world.devices) {
    const held = holdingsOf(device, world.personalOf(device));
    for (const key of held.dead) dead.add(key);
    for (const word of held.waiting) waiting.add(word);
    for (const word of held.confirmed) confirmed.add(word);
    const mute = isActive(world, device) ? held.stranded : held.confirmed;
    for (const word of mute) stranded.add(word);
    for (const word of shutInWords(world, device)) stranded.add(word);
  }
  return {
    current,
    server: serverHoldings(server.state),
    history: serverHistory(server.state),
    waiting,
    confirmed,
    stranded,
    dead,
  };
}

/** What a device has and is heard by nobody with, for the log went another way than it has seen (EE20). */
function shutInWords(world: World, device: SimDevice): ReadonlySet<string> {
  const ids = [...world.server.state.namespaces.keys()];
  const shut = new Set<string>(ids.filter((id) => isShutOut(world, device, id)));
  return shut.size === 0 ? shut : wordsHeldIn(device.inspector, shut);
}

/**
 * Nothing that was acknowledged is lost: it is a value, a kept loser, was replaced by somebody who
 * had seen it, or waits where its device says so (CF1). And no value stands over one whose author had
 * seen it: agreement alone would not notice a clock that runs behind (CK2).
 */
function checkNothingLost(world: World, where: Whereabouts): void {
  const { run, oracle } = world;
  const replaced = new Set<string>();
  // A device that may not sync any more keeps even what the server has taken.
  const delivered = [...oracle.tokens.values()].filter(
    ({ excuse, text }) =>
      excuse === undefined &&
      (where.server.has(text) || where.history.has(text) || !where.waiting.has(text)),
  );
  // An answer may be lost, and then the last copy that anybody knew of: the server has it all the
  // same, or had it until somebody who had seen it wrote something else.
  const arrived = [...oracle.tokens.values()].filter(
    ({ text }) => where.server.has(text) || where.history.has(text),
  );
  for (const token of [...delivered, ...arrived]) {
    for (const older of token.seen) replaced.add(older);
  }
  for (const token of oracle.tokens.values()) {
    if (!token.isAcked || token.excuse !== undefined) continue;
    const isThere =
      where.server.has(token.text) || where.waiting.has(token.text) || replaced.has(token.text);
    if (isThere || isDead(world, token) || oracle.dismissed.has(token.text)) continue;
    if (isForgottenUnheard(world, where, token)) continue;
    if (isFolded(world, where, token)) continue;
    // Who sends a refused value again means it: what it replaces goes to history, not to conflict.
    const isSentAgain = [...delivered, ...arrived].some(
      (each) => isRetried(each) && isSamePlace(each, token),
    );
    if (isSentAgain && where.history.has(token.text)) continue;
    if (where.stranded.has(token.text) && run.struck.has("serverRestore")) continue;
    run.broken("CF1", `lost ${describe(token)}`);
    tellStory(world, token, where);
  }
  checkHistory(world, { delivered, where });
  for (const [place, value] of where.current) {
    const winner = oracle.tokens.get(wordOf(value) ?? "");
    if (winner === undefined) continue;
    for (const token of delivered) {
      if (`${token.namespace}/${token.record}/${token.field}` !== place) continue;
      if (token === winner || !token.isAcked || isRetried(token)) continue;
      // A retry is meant for what others wrote, never for what was written over it here (OP27), as
      // far as a home that was set back knows.
      const isElsewhere = [...winner.retriedOn].some((device) => device !== token.device);
      const isOthers = isElsewhere || run.struck.has("homeRestore");
      if (isRetried(winner) && isOthers) continue;
      if (isOutOfReach(world, where, token) || isFolded(world, where, token)) continue;
      if (token.seen.has(winner.text)) {
        run.broken("CK2", `${describe(winner)} stands over ${describe(token)}, which had seen it`);
      }
    }
  }
}

/**
 * Refused, and written over on its own device before anybody else had it: what is mended leaves that
 * out (OP26), also where what replaced it waits itself, or a person gave that up since.
 */
function isFolded({ oracle, extras }: World, { waiting }: Whereabouts, token: Token): boolean {
  if (extras.isWary !== true) return false;
  return [...oracle.tokens.values()].some(
    ({ text, device, seen, excuse }) =>
      (waiting.has(text) || excuse === "dropped") &&
      device === token.device &&
      seen.has(token.text),
  );
}

/**
 * After a restore only devices have it, or its tombstone, that may not deliver either: that is told,
 * not mended (HL33).
 */
function isOutOfReach(world: World, where: Whereabouts, token: Token): boolean {
  const isKnown = where.server.has(token.text) || where.history.has(token.text);
  if (isKnown || !world.run.struck.has("serverRestore")) return false;
  return where.stranded.has(token.text) || isForgottenUnheard(world, where, token);
}

/**
 * Forgotten, or gone with its parent, by the word of a device that may not say so any more, after
 * the server lost the tombstone.
 */
function isForgottenUnheard({ oracle }: World, { dead }: Whereabouts, token: Token): boolean {
  const { parent: record } = token;
  if (dead.has(oracle.tombstoneKey(token))) return true;
  return record !== undefined && dead.has(oracle.tombstoneKey({ ...token, record }));
}

/** What became of all that was written into the field, for whoever looks for the loss. */
function tellStory({ run, oracle }: World, lost: Token, where: Whereabouts): void {
  for (const token of oracle.tokens.values()) {
    const { text, record, field, namespace } = token;
    if (record !== lost.record || field !== lost.field || namespace !== lost.namespace) continue;
    const { excuse = "", isAcked, retriedOn, device } = token;
    const places = (["server", "history", "waiting", "confirmed"] as const).filter((place) =>
      where[place].has(text),
    );
    const facts = {
      device,
      isAcked,
      retriedOn: [...retriedOn],
      excuse,
      places,
      seen: [...token.seen],
    };
    run.trace(`  ${text} ${JSON.stringify(facts)}`);
  }
}

/** What was replaced is in the server's history, as long as no backup took it. */
function checkHistory(
  world: World,
  { delivered, where }: { readonly delivered: readonly Token[]; readonly where: Whereabouts },
): void {
  const { run, oracle } = world;
  // What is sent again without its secret goes into one with what replaced it meanwhile (OP20).
  if (!isUndisturbed(world) || world.extras.isWary === true) return;
  for (const token of delivered) {
    const { text } = token;
    if (!token.isAcked || where.server.has(text) || where.history.has(text)) continue;
    if (isDead(world, token) || oracle.dismissed.has(text)) continue;
    run.broken("HL26", `${describe(token)} is in no history`);
  }
}

function describe({ text, record, field, device }: Token): string {
  return `${text} of ${record}.${field} by ${device}`;
}

function isDead({ server }: World, token: Pick<Token, "namespace" | "record">): boolean {
  const records = serverRecords(server.state, token.namespace);
  return records.some(({ id, fields }) => id === token.record && fields === undefined);
}

/** What was forgotten stays forgotten (TB1), unless its forget waits where its device says so. */
function checkForgotten(world: World, where: Whereabouts): void {
  for (const forgetting of world.oracle.forgettings) {
    if (forgetting.excuse !== undefined || isDead(world, forgetting)) continue;
    if (where.dead.has(world.oracle.tombstoneKey(forgetting))) continue;
    const { record, device } = forgetting;
    world.run.broken("TB1", `${record}, forgotten by ${device}, lives again`);
  }
}

/** Nothing turns up that nobody wrote: a capture that failed left nothing behind. */
function checkNoPhantoms(world: World, { server, waiting }: Whereabouts): void {
  for (const word of [...server, ...waiting]) {
    if (/^wordof\d+no\d+end$/.test(word) && !world.oracle.tokens.has(word)) {
      world.run.broken("OP11", `${word} turned up, although its write had failed`);
    }
  }
}
