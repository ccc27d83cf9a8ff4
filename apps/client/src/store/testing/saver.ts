import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import type { NamespaceId, RecordId } from "@tidemark/protocol";
import { scrubbed, testOptions, testStore } from "./test-store.ts";

/*
 * A process that saves observations and says the id of each one after the store has acknowledged
 * it. Arguments: database, native part of SQLite, prefix of the ids, how many.
 */

const [path = "", nativeBinding = "", prefix = "", count = "0"] = process.argv.slice(2);
const personal = "personal" as NamespaceId;
const store = testStore({
  ...testOptions(),
  path,
  nativeBinding,
  random: { bytes: (size) => randomBytes(size) },
  busyTimeoutMs: 30_000,
});

for (let n = 1; n <= Number(count); n += 1) save(n);
store.close();

function save(n: number): void {
  const id = `${prefix}-${n}` as RecordId;
  const title = `saved by ${prefix} as number ${n}`;
  const fields = scrubbed({ title, narrative: title.repeat(20), pinned: false });
  const put = { kind: "put", id, collection: "observation", fields } as const;
  const set = { kind: "set", id, fields: scrubbed({ pinned: true }) } as const;
  const isSaved = store.transact(() => {
    const payload = { n } as never;
    const isNew = store.sessions.addEvent({ key: id, session: prefix, atMs: n, payload });
    return isNew && store.changes.change(personal, [put, set], n).ok;
  });
  if (!isSaved) throw new Error(`${id} was refused`);
  writeSync(1, `${id}\n`);
}
