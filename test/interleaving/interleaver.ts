import type postgres from "postgres";
import type { Passage, Wire } from "./wire.ts";
import type { Choose } from "./walk.ts";

/** One transaction of a run, on a wire of its own whose store has a single connection. */
export interface Actor {
  readonly name: string;
  readonly wire: Wire;
  /** Whether a statement begins a new step; the statements between go with the one before. */
  readonly beginsStep: (sql: string, before: string) => boolean;
  readonly run: () => Promise<unknown>;
}

/** What an interleaving came to. */
export interface Trace {
  /** Who took each step, by name. */
  readonly steps: readonly string[];
  /** Statements in the order in which they were answered. */
  readonly statements: readonly { readonly name: string; readonly sql: string }[];
  /** How often somebody waited for a lock of another. */
  readonly waits: number;
  /** What each actor came to, by name; what it threw stands as `{ threw }`. */
  readonly answers: ReadonlyMap<string, unknown>;
}

/** How long nothing may move, in milliseconds, before a run counts as stuck. */
const stuckMs = 10_000;

/**
 * Runs transactions side by side, one step at a time in the order that `choose` gives. Waiting for a
 * lock is a state, read from the database: whoever waits is passed over until the holder is done.
 */
export async function interleave(
  admin: postgres.Sql,
  actors: readonly Actor[],
  choose: Choose,
): Promise<Trace> {
  const changes = createChanges();
  const statements: { readonly name: string; readonly sql: string }[] = [];
  const players = actors.map((actor) => playerOf(actor, changes, statements));
  const steps: string[] = [];
  const waiting = new Set<Player>();
  let waits = 0;
  for (;;) {
    await settle(admin, players, changes);
    for (const player of players) {
      if (player.state === "running" && !waiting.has(player)) waits += 1;
      if (player.state === "running") waiting.add(player);
      else waiting.delete(player);
    }
    const held = players.filter(({ state }) => state === "held");
    if (held.length === 0) break;
    const next = choose(held);
    steps.push(next.actor.name);
    next.step();
  }
  const stuck = players.filter(({ state }) => state !== "done");
  if (stuck.length > 0) throw new Error(`all wait for each other: ${steps.join(" ")}`);
  const answers = new Map(players.map(({ actor, answer }) => [actor.name, answer]));
  return { steps, statements, waits, answers };
}

interface Player {
  readonly actor: Actor;
  state: "running" | "held" | "done";
  answer: unknown;
  /** Lets the statement that is held go, and those that belong to its step. */
  step(): void;
}

interface Changes {
  notify(): void;
  /** Resolves at the next change, or soon. */
  next(): Promise<void>;
}

function createChanges(): Changes {
  let wake = (): void => {};
  return {
    notify: () => {
      wake();
    },
    next: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, 2);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

function playerOf(
  actor: Actor,
  changes: Changes,
  statements: { readonly name: string; readonly sql: string }[],
): Player {
  let release = (): void => {};
  let before = "";
  const player: Player = {
    actor,
    state: "running",
    answer: undefined,
    step: () => {
      player.state = "running";
      release();
    },
  };
  actor.wire.policy = {
    ...actor.wire.policy,
    onStatement: async (sql): Promise<Passage> => {
      const isStep = actor.beginsStep(sql, before);
      before = sql;
      if (!isStep) return "pass";
      await new Promise<void>((resolve) => {
        release = resolve;
        player.state = "held";
        changes.notify();
      });
      return "pass";
    },
    onAnswered: (sql) => {
      statements.push({ name: actor.name, sql });
    },
  };
  const finish = (answer: unknown): void => {
    player.answer = answer;
    player.state = "done";
    const { rewrite } = actor.wire.policy;
    actor.wire.policy = rewrite === undefined ? {} : { rewrite };
    changes.notify();
  };
  actor.run().then(finish, (error: unknown) => {
    finish({ threw: error instanceof Error ? error.message : String(error) });
  });
  return player;
}

/** Waits until everybody is held, done, or waits for a lock of one of the others. */
async function settle(
  admin: postgres.Sql,
  players: readonly Player[],
  changes: Changes,
): Promise<void> {
  const running = (): readonly Player[] => players.filter(({ state }) => state === "running");
  const until = performance.now() + stuckMs;
  while (running().length > 0) {
    await changes.next();
    const before = running();
    if (before.length === 0) return;
    const blocked = await blockedPids(admin, players);
    const isWaiting = ({ actor }: Player): boolean => {
      const pids = actor.wire.pids();
      return pids.length > 0 && pids.every((pid) => blocked.has(pid));
    };
    if (before.length === running().length && before.every(isWaiting)) return;
    if (performance.now() > until) throw new Error("a statement neither ended nor waits");
  }
}

async function blockedPids(
  admin: postgres.Sql,
  players: readonly Player[],
): Promise<ReadonlySet<number>> {
  const pids = players.flatMap(({ actor }) => actor.wire.pids());
  const rows = await admin<{ readonly pid: number }[]>`
    select pid from unnest(${pids}::int[]) as t (pid) where pg_blocking_pids(pid) && ${pids}::int[]`;
  return new Set(rows.map(({ pid }) => pid));
}
