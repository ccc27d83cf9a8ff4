import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import {
  localNamespace,
  type JsonObject,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import { repairFiles } from "../../platform/repair-files.ts";
import type { OpenOptions } from "../open.ts";
import { openSound, type Sound, type SoundParts } from "../repair/open-sound.ts";
import type { Store } from "../store.ts";
import { pair, settle } from "./exchange.ts";
import { TestServer } from "./test-server.ts";
import { scrubbed, seededRandom, testOptions, testStore } from "./test-store.ts";

export const namespace = "ns_1" as NamespaceId;
const at = 1000;

/** Parts of a repairing open, without other processes. For tests. */
export function soundParts(look: SoundParts["look"] = "always"): SoundParts {
  return { files: repairFiles, lock: () => ({ release: () => {} }), pause: () => {}, look };
}

let opens = 0;

/** Opens a store as commands do; fails where it cannot. */
export function openRepaired(path: string, options: Partial<OpenOptions> = {}): Sound {
  opens += 1;
  const opened = openSound({ ...testOptions(`repaired ${opens}`), path, ...options }, soundParts());
  if (!opened.ok) throw new Error(`${opened.error.kind}: ${opened.error.message}`);
  return opened.value;
}

/** An op of an outbox, by what names it through every fork. */
export interface KnownOp {
  readonly name: string;
  readonly state: string;
  /** The page of the row. */
  readonly page: number;
  /** Pages that the row goes on at. */
  readonly overflow: readonly number[];
}

/** A database that was used for a while, and what is in it. */
export interface UsedDatabase {
  readonly folder: string;
  readonly path: string;
  readonly server: TestServer;
  readonly serverBackup: object;
  readonly pageCount: number;
  readonly ops: readonly KnownOp[];
  remove(): void;
}

/** A folder on a disk in memory where there is one: each repair waits for the disk many times. */
export function memoryFolder(): string {
  const disk = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  return mkdtempSync(join(disk, "tidemark-damage-"));
}

const long = (seed: string): string => `${seed} `.repeat(900);

/** Saves an observation; fails where it cannot. */
export function save(store: Store, to: NamespaceId, record: string, fields: JsonObject): void {
  const change = {
    kind: "put",
    id: record as RecordId,
    collection: "observation",
    fields: scrubbed(fields),
  } as const;
  const made = store.changes.change(to, [change], at);
  if (!made.ok) throw new Error(made.error.kind);
}

/** Makes a database with something of everything. */
export function usedDatabase(): UsedDatabase {
  const folder = memoryFolder();
  const path = join(folder, "used.db");
  const server = new TestServer(namespace);
  const store = testStore({ path, random: seededRandom("used") });
  pair(store, server);
  for (let n = 0; n < 30; n += 1)
    save(store, namespace, `synced${n}`, {
      title: `synced ${n}`,
      narrative: `told ${n}`.repeat(20),
    });
  for (let n = 0; n < 20; n += 1)
    save(store, localNamespace, `local${n}`, {
      title: `local ${n}`,
      narrative: `kept ${n}`.repeat(20),
    });
  settle(store, server);
  refuse(store, server);
  for (let n = 0; n < 40; n += 1)
    save(store, namespace, `unsent${n}`, {
      title: `unsent ${n}`,
      narrative: `waits ${n}`.repeat(20),
    });
  save(store, namespace, "unsentlong", { title: "long", narrative: long("long") });
  for (let n = 0; n < 10; n += 1) save(store, namespace, `synced${n}`, { title: `edited ${n}` });
  for (let n = 0; n < 60; n += 1) {
    const payload = { n, text: `event ${n}`.repeat(10) } as never;
    store.sessions.addEvent({ key: `key${n}`, session: "session", atMs: n, payload });
  }
  const given = ["synced1", "synced2"].map((id) => ({ id: id as RecordId, tokens: 40 }));
  const budget = { tokens: 260, tokensMax: 1_500 };
  store.sessions.addGiving({ session: "session", atMs: at, ...budget, items: given });
  store.bindings.bind("project", namespace);
  store.close();
  const { ops, pageCount } = lookInto(path);
  return {
    folder,
    path,
    server,
    serverBackup: server.backup(),
    pageCount,
    ops,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// A rejected op, which stays until a person drops or retries it.
function refuse(store: Store, server: TestServer): void {
  server.refusals.set("refused", "forbidden");
  save(store, namespace, "refused", { title: "refused" });
  settle(store, server);
}

/** What SQLite itself says of the pages of the outbox. */
export function lookInto(path: string): {
  readonly ops: readonly KnownOp[];
  readonly pageCount: number;
} {
  const db = new Sqlite(path, { readonly: true });
  try {
    const rows = db
      .prepare("SELECT record, lamport, op, state FROM outbox ORDER BY rowid")
      .all() as {
      record: string;
      lamport: number;
      op: string;
      state: string;
    }[];
    const pages = db
      .prepare(
        "SELECT pageno, path, pagetype, ncell FROM dbstat WHERE name = 'outbox' ORDER BY path",
      )
      .all() as { pageno: number; path: string; pagetype: string; ncell: number }[];
    const ops: KnownOp[] = [];
    for (const leaf of pages.filter(({ pagetype }) => pagetype === "leaf")) {
      for (let cell = 0; cell < leaf.ncell; cell += 1) {
        const row = rows[ops.length];
        const prefix = `${leaf.path}${cell.toString(16).padStart(3, "0")}+`;
        const overflow = pages.filter((page) => page.path.startsWith(prefix));
        ops.push({
          name: `${row?.op ?? ""} ${row?.record ?? ""} ${String(row?.lamport)}`,
          state: row?.state ?? "",
          page: leaf.pageno,
          overflow: overflow.map(({ pageno }) => pageno),
        });
      }
    }
    return { ops, pageCount: Number(db.pragma("page_count", { simple: true })) };
  } finally {
    db.close();
  }
}

/** A copy of a used database that was tampered with. */
export function damagedCopy(used: UsedDatabase, damage: (bytes: Buffer) => Buffer): string {
  const path = join(used.folder, "damaged.db");
  repairFiles.remove(path);
  for (const end of [".suspect", ".checked", ".mending", ".mended"])
    rmSync(`${path}${end}`, { force: true });
  copyFileSync(used.path, path);
  writeFileSync(path, damage(readFileSync(path)));
  repairFiles.noteSound(path, 0);
  return path;
}
