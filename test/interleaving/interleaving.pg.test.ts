import type { PullTail } from "../../packages/protocol/src/wire/index.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pull, type StatesAnswer } from "../../apps/server/src/domain/pull.ts";
import type { Store } from "../../apps/server/src/store/port.ts";
import {
  createContests,
  depsOf,
  forgetMove,
  healMove,
  invite,
  pullMove,
  pushMove,
  replicaOf,
  roleMove,
  serially,
  type Arena,
  type Move,
} from "./contest.ts";
import { interleave, type Actor, type Trace } from "./interleaver.ts";
import { headAfterPage, seqsAhead, withoutLock, withoutSnapshot } from "./planted.ts";
import { openTable, type Seat, type SeatOptions, type Table } from "./table.ts";
import { seededChoose, testSeed, walkAll, withSeed, type Choose } from "./walk.ts";

let table: Table;
let makeArena: (name: string) => Promise<Arena>;
let arenas = 0;
beforeAll(async () => {
  table = await openTable();
  makeArena = await createContests(table.direct);
});
afterAll(() => table.close());

/** Hundreds of runs; on a busy machine they take their time. */
const slow = { timeout: 120_000 };

type Moves = ReadonlyMap<string, Move>;

const contest: Moves = new Map([
  ["a", pushMove("a")],
  ["b", pushMove("b")],
  ["pull", pullMove("a")],
]);

/** The same push, sent anew before the first one was answered. */
const repeated: Moves = new Map([
  ["a", pushMove("a")],
  ["again", pushMove("a")],
  ["pull", pullMove("a")],
]);

/** What a replica that has everything sees in the end, with the position of each writer. */
const lastLooks: Moves = new Map(
  ["a", "b", "c"].map((writer) => [`last ${writer}`, pullMove(writer, "start")]),
);

/** Plays one contest; gives its trace and what is wrong with how it ended. */
type Play = (choose: Choose) => Promise<{ readonly trace: Trace; readonly fault: string }>;

interface Rig {
  readonly moves: Moves;
  /** How finely an actor's statements are cut into steps. */
  readonly stepsOf: (name: string) => Actor["beginsStep"];
  readonly hasGuest?: boolean;
  readonly seat?: SeatOptions;
  readonly plant?: (store: Store) => Store;
}

async function createPlay(rig: Rig): Promise<Play> {
  const { moves, stepsOf, hasGuest = false, seat, plant = same } = rig;
  const seats = new Map<string, Seat>();
  const play = async (arena: Arena, choose: Choose): ReturnType<Play> => {
    const actors = [...moves].map(([name, move]): Actor => {
      const { wire, store } = found(seats, name);
      const run = (): Promise<unknown> => move(arena, depsOf(arena, name, plant(store)));
      return { name, wire, beginsStep: stepsOf(name), run };
    });
    const trace = await interleave(table.stores.admin, actors, choose);
    return { trace, fault: await faultOf(arena, moves, trace) };
  };
  const nextArena = async (): Promise<Arena> => {
    const arena = await makeArena(`arena${(arenas += 1)}`);
    if (hasGuest) await invite(arena);
    return arena;
  };
  for (const name of moves.keys()) {
    const taken = await table.seat(seat);
    await taken.store.ping();
    seats.set(name, taken);
  }
  // Statements are prepared once for each connection, by what comes first.
  for (const first of [true, false]) await play(await nextArena(), fixed(first));
  return async (choose) => play(await nextArena(), choose);
}

function fixed(isFirst: boolean): Choose {
  return (options) => {
    const [option] = isFirst ? options : options.toReversed();
    if (option === undefined) throw new Error("nothing to choose from");
    return option;
  };
}

function same(store: Store): Store {
  return store;
}

function found<T>(items: ReadonlyMap<string, T>, name: string): T {
  const item = items.get(name);
  if (item === undefined) throw new Error(`there is no ${name}`);
  return item;
}

/**
 * The order in which a contest has to be as if made one by one: a write counts from its commit, a
 * read from its first statement, which takes the snapshot.
 */
function orderOf({ statements }: Trace): readonly string[] {
  return statements
    .filter(({ name, sql }) => (isRead(name) ? /set_config/.test(sql) : sql === "commit"))
    .map(({ name }) => name);
}

function isRead(name: string): boolean {
  return name.startsWith("pull");
}

const serialAnswers = new Map<Moves, Map<string, ReturnType<typeof serially>>>();

function expectedOf(moves: Moves, order: readonly string[]): ReturnType<typeof serially> {
  const known = serialAnswers.get(moves) ?? new Map<string, ReturnType<typeof serially>>();
  serialAnswers.set(moves, known);
  const key = order.join(" ");
  const all = new Map([...moves, ...lastLooks]);
  const answers = known.get(key) ?? serially(all, [...order, ...lastLooks.keys()]);
  known.set(key, answers);
  return answers;
}

async function faultOf(arena: Arena, moves: Moves, trace: Trace): Promise<string> {
  const answers = new Map(trace.answers);
  for (const answer of answers.values()) {
    if (typeof answer === "object" && answer !== null && "threw" in answer) return "threw";
  }
  for (const [name, look] of lastLooks) answers.set(name, await look(arena, depsOf(arena, name)));
  for (const [name, answer] of trace.answers) {
    const all = answers.get("last a");
    const fault = isRead(name) ? await pullFault(arena, answer as Pulled, all as Pulled) : "";
    if (fault !== "") return fault;
  }
  const expected = await expectedOf(moves, orderOf(trace));
  for (const [name, answer] of answers) {
    if (JSON.stringify(answer) !== JSON.stringify(expected.get(name))) return `${name} unserial`;
  }
  return "";
}

type Pulled = { readonly ok: true; readonly value: StatesAnswer<PullTail> };

/** Judges a pull by what its replica holds, without asking the rules that made it. */
async function pullFault(arena: Arena, answer: Pulled, all: Pulled): Promise<string> {
  const { namespace, world, lines } = arena;
  const { value: page } = answer;
  const { cursor: after, digest } = page.tail;
  const rest = await pull(world.deps, { namespace, device: world.owner, after });
  if (!rest.ok) return "cursor refused";
  const held = replicaOf(lines, page.lines, rest.value.lines);
  for (const [id, seq] of replicaOf(all.value.lines).seqs) {
    if (held.seqs.get(id) !== seq) return "skipped";
  }
  if (replicaOf(lines, page.lines).digest !== digest) return "digest";
  return Math.max(...held.seqs.values()) === all.value.tail.head ? "" : "head";
}

/** A push in four steps (lock, read, write, commit), a pull in two (snapshot and head, the rest). */
function byPhase(name: string): Actor["beginsStep"] {
  return (sql, before) => before === "" || phaseOf(name, sql) !== phaseOf(name, before);
}

function phaseOf(name: string, sql: string): "open" | "read" | "write" | "commit" {
  if (/^\s*begin|set_config|select head/.test(sql)) return "open";
  if (/^\s*(insert|update|delete)/.test(sql)) return "write";
  return sql === "commit" && !isRead(name) ? "commit" : "read";
}

function byStatement(): Actor["beginsStep"] {
  return () => true;
}

function refuse(fault: string, { steps }: Trace): void {
  if (fault !== "") throw new Error(`${fault}: ${steps.join(" ")}`);
}

interface Walked {
  readonly count: number;
  readonly orders: ReadonlySet<string>;
  readonly waits: number;
}

/** Plays a contest in all interleavings; none may end in a fault. */
async function walk(moves: Moves): Promise<Walked> {
  const play = await createPlay({ moves, stepsOf: byPhase });
  const orders = new Set<string>();
  let waits = 0;
  const count = await walkAll(async (choose) => {
    const { trace, fault } = await play(choose);
    refuse(fault, trace);
    orders.add(orderOf(trace).join(" "));
    waits += trace.waits;
  });
  return { count, orders, waits };
}

test(
  "[PL1, PL2, PS1] two pushes and a pull are as if one by one in all interleavings",
  slow,
  async () => {
    const { count, orders, waits } = await walk(contest);
    expect(count).toBeGreaterThanOrEqual(360);
    expect(orders.size).toBe(6);
    expect(waits).toBeGreaterThan(count / 2);
    const heads = await Promise.all(
      ["a b pull", "b a pull"].map(async (order) => {
        const answers = await expectedOf(contest, order.split(" "));
        return (found(answers, "pull") as Pulled).value.tail.head;
      }),
    );
    // Four records before; each push moves its own and the hot one, and the loser is kept.
    expect(heads).toEqual([9, 8]);
  },
);

test(
  "[PS1, PL2] one push sent to two servers is taken once in all interleavings with a pull",
  slow,
  async () => {
    const { count, orders, waits } = await walk(repeated);
    expect(count).toBeGreaterThanOrEqual(280);
    expect(orders.size).toBe(6);
    expect(waits).toBeGreaterThan(count / 2);
    const answers = await expectedOf(repeated, ["a", "again", "pull"]);
    expect(answers.get("again")).toMatchObject({
      ok: false,
      error: { kind: "writer-position", position: { acked: 2 } },
    });
  },
);

test(
  "[PL1, PL2, HL4, NS5] writes, heals, roles and pulls cut at every statement are as if one by one",
  slow,
  async () => {
    const seed = testSeed(3);
    const runs = 40;
    const play = await createPlay({
      stepsOf: byStatement,
      hasGuest: true,
      moves: new Map([
        ["a", pushMove("a")],
        ["b", pushMove("b", "guest")],
        ["c", forgetMove("c")],
        ["heal", healMove("h")],
        ["role", roleMove("reader")],
        ["pull", pullMove("b")],
        ["pull all", pullMove("c", "start")],
      ]),
    });
    const orders = new Set<string>();
    for (let run = 0; run < runs; run += 1) {
      const trace = await withSeed(seed + run, async () => {
        const played = await play(seededChoose(seed + run));
        refuse(played.fault, played.trace);
        return played.trace;
      });
      orders.add(orderOf(trace).join(" "));
    }
    expect(orders.size).toBeGreaterThan(runs / 2);
  },
);

const bugs: readonly (Omit<Rig, "moves" | "stepsOf"> & {
  readonly name: string;
  readonly faults: readonly string[];
})[] = [
  { name: "the head row not locked", seat: { rewrite: withoutLock }, faults: ["threw"] },
  { name: "a read without a snapshot", seat: { rewrite: withoutSnapshot }, faults: ["digest"] },
  { name: "the head read after the page", plant: headAfterPage, faults: ["skipped"] },
  { name: "seqs given out ahead", plant: seqsAhead, faults: ["skipped"] },
];

test.for(bugs)("[PL1, PL2] the interleaver finds a planted bug: $name", slow, async (bug) => {
  const { faults, ...rig } = bug;
  const play = await createPlay({ ...rig, moves: contest, stepsOf: byPhase });
  const seen: string[] = [];
  for (let seed = 1; seed <= 150 && !seen.some((fault) => faults.includes(fault)); seed += 1) {
    const { fault } = await play(seededChoose(seed));
    if (fault !== "") seen.push(fault);
  }
  expect(seen).toEqual(expect.arrayContaining([...faults]));
});
