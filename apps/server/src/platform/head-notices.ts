import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { postgresTarget } from "../postgres-target.ts";
import { serverConnection } from "../server-connection.ts";
import type { Timers } from "./timers.ts";

/** Who hears of heads that other replicas moved. */
interface HeadListener {
  readonly onHeads: (heads: readonly (readonly [namespace: string, head: number])[]) => void;
  readonly onRevoked: (devices: readonly string[]) => void;
  /** Called whenever listening began, first or again: what came before was not heard. */
  readonly onListening: () => void;
  /** Called where nothing is heard and the connections are made anew, with what failed last. */
  readonly onSilent: (cause: unknown) => void;
}

/** Moved heads and revoked devices, told among replicas by PostgreSQL's NOTIFY. */
export interface HeadNotices {
  publish(moved: {
    readonly heads: ReadonlyMap<string, number>;
    readonly revoked: ReadonlySet<string>;
  }): Promise<void>;
  /** Listens until the notices are closed, and again after a lost or silent connection. */
  listen(listener: HeadListener): Promise<void>;
  /**
   * Whether a notice is heard at all, within so many milliseconds. Behind a pooler that lends
   * connections for a transaction LISTEN is taken, and nothing is ever heard (OPS31).
   */
  isHeard(timers: Pick<Timers, "sleep">, withinMs: number): Promise<boolean>;
  close(): Promise<void>;
}

const channel = "tidemark_heads";
const trialChannel = "tidemark_trial";
/** In place of a head: the id is a device's, which was revoked. A replica of before skips it. */
const revokedWord = "revoked";
/** In place of a head: the id is that of a replica's own beat. A replica of before skips it. */
const beatWord = "beat";
/** Entries of one notice; PostgreSQL takes 8000 bytes and an entry has at most 84. */
const entriesMax = 80;

/** How often a replica says that it is there, in milliseconds. */
const beatMsPreset = 5_000;
/** Beats of which none came back, after which the connections count as lost. */
const beatsOfSilence = 5;

/** What the connections of a replica's notices need. */
export interface HeadNoticesOptions {
  readonly timers: Pick<Timers, "every">;
  /** Milliseconds between two beats; default 5,000. */
  readonly beatMs?: number;
}

/**
 * Opens one connection for listening and one for telling, outside every push transaction: NOTIFY
 * inside one would make all commits of the database queue for one lock.
 *
 * Who listens hears nothing on a quiet day, and nothing either from a machine that lost its power
 * (OPS93). So each replica tells a beat now and then, and opens both connections anew where its own
 * does not come back: what others tell says nothing of whether it is heard itself (OPS123).
 */
export function createHeadNotices(
  databaseUrl: string,
  { timers, beatMs = beatMsPreset }: HeadNoticesOptions,
): HeadNotices {
  const beat = `${randomUUID()} ${beatWord}`;
  let sql = connect(databaseUrl);
  let heardBy: HeadListener | undefined;
  let silentBeats = 0;
  let failure: unknown;
  // What fails now is not heard, and told when that was so for a while.
  const onFailure = (cause: unknown): void => {
    failure = cause;
  };
  const listenTo = async (listener: HeadListener): Promise<void> => {
    const onNotice = (text: string): void => {
      if (text === beat) silentBeats = 0;
      const entries = text.split("\n");
      listener.onRevoked(entries.flatMap(readRevoked));
      listener.onHeads(entries.flatMap(readEntry));
    };
    await sql.listen(channel, onNotice, listener.onListening);
  };
  const connectAnew = (listener: HeadListener): void => {
    listener.onSilent(failure);
    void sql.end({ timeout: 0 });
    sql = connect(databaseUrl);
    silentBeats = 0;
    failure = undefined;
    listenTo(listener).catch(onFailure);
  };
  const stopBeats = timers.every(beatMs, () => {
    if (heardBy === undefined) return;
    silentBeats += 1;
    if (silentBeats === beatsOfSilence) connectAnew(heardBy);
    sql.notify(channel, beat).catch(onFailure);
  });
  return {
    publish: async ({ heads, revoked }) => {
      const entries = [
        ...[...revoked].map((device) => `${device} ${revokedWord}`),
        ...[...heads].map(([namespace, head]) => `${namespace} ${head}`),
      ];
      for (let from = 0; from < entries.length; from += entriesMax) {
        await sql.notify(channel, entries.slice(from, from + entriesMax).join("\n"));
      }
    },
    listen: async (listener) => {
      heardBy = listener;
      await listenTo(listener);
    },
    isHeard: async (timers, withinMs) => {
      const over = new AbortController();
      const late = timers.sleep(withinMs, over.signal).then(() => false);
      const heard = tryNotice(sql);
      for (const loser of [late, heard]) loser.catch(() => {});
      try {
        return await Promise.race([heard, late]);
      } finally {
        over.abort(new Error("known"));
      }
    },
    close: async () => {
      stopBeats();
      await sql.end({ timeout: 1 });
    },
  };
}

function connect(databaseUrl: string): postgres.Sql {
  const { url, options } = postgresTarget(databaseUrl);
  return postgres(url, {
    ...options,
    max: 1,
    connection: { application_name: serverConnection },
    onnotice: () => {},
    connect_timeout: 10,
    fetch_types: false,
  });
}

/** Resolves once a notice of our own has come back; rejects where there are none. */
async function tryNotice(sql: postgres.Sql): Promise<boolean> {
  let hear = (): void => {};
  const heard = new Promise<void>((resolve) => {
    hear = resolve;
  });
  // Another replica's trial is as good as ours: what it tells is heard.
  const trial = await sql.listen(trialChannel, () => {
    hear();
  });
  await sql.notify(trialChannel, "");
  await heard;
  await trial.unlisten();
  return true;
}

function readRevoked(entry: string): readonly string[] {
  const [device = "", word] = entry.split(" ");
  return word === revokedWord ? [device] : [];
}

function readEntry(entry: string): readonly (readonly [string, number])[] {
  const [namespace = "", head] = entry.split(" ");
  return Number.isSafeInteger(Number(head)) ? [[namespace, Number(head)]] : [];
}
