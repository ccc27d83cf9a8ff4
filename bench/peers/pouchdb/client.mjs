/** The client half of PouchDB: one database a device, its own replicator. */
import { writeFileSync } from "node:fs";
import PouchDB from "pouchdb";
import { measured, readRows, runVerbs } from "../client-verbs.mjs";

const batch = { batch_size: 500 };

await runVerbs({
  prepare: async ({ folder, rows }) => {
    const local = open(folder);
    await local.bulkDocs(readRows(rows).map(({ id, fields }) => ({ _id: id, ...fields })));
    await local.close();
  },
  push: async ({ folder, url }) =>
    await measured(async () => {
      const local = open(folder);
      check(await local.replicate.to(url, batch));
      await local.close();
    }),
  pull: async ({ folder, url }) =>
    await measured(async () => {
      const local = open(folder);
      check(await local.replicate.from(url, batch));
      await local.close();
    }),
  dump: async ({ folder, url, out }) => {
    const local = open(folder);
    const { rows } = await local.allDocs({ include_docs: true });
    const { doc_count: atServer } = await new PouchDB(url).info();
    if (atServer !== rows.length) throw new Error(`the server has ${atServer} documents`);
    const lines = rows.map(({ doc: { _id: id, _rev, ...fields } }) =>
      JSON.stringify({ id, fields }),
    );
    writeFileSync(out, lines.join("\n"));
  },
});

function open(folder) {
  return new PouchDB(`${folder}/observations`);
}

function check({ ok, doc_write_failures: failures }) {
  if (!ok || failures > 0) throw new Error(`${failures} documents were not written`);
}
