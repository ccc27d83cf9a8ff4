import { assert as assertProperty, asyncProperty, array, integer, string } from "fast-check";
import { expect, test } from "vitest";
import { createRunningHash } from "../../../platform/hash.ts";
import { createArchiveWriter, readArchive, type BackupHeader } from "./archive.ts";

const header: BackupHeader = {
  format: "tidemark-backup",
  version: 1,
  program: "0.1.0",
  postgres: 170_005,
  serverId: "srv_a",
  isClaimed: true,
  takenAtMs: 1_700_000_000_000,
  migrations: ["0000_tables"],
};

type Tables = readonly { readonly table: string; readonly rows: readonly string[] }[];

async function written(tables: Tables, first: BackupHeader = header): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const writer = createArchiveWriter(createRunningHash(), async (bytes) => {
    chunks.push(bytes);
    await Promise.resolve();
  });
  await writer.header(first);
  for (const { table, rows } of tables) {
    await writer.table({ table, columns: ["a"] });
    for (const row of rows) await writer.rows(Buffer.from(`${row}\n`));
    await writer.tableEnd();
  }
  await writer.end();
  return Buffer.concat(chunks);
}

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve();
    yield bytes.subarray(at, at + size);
  }
}

async function read(bytes: Buffer, size = 64): Promise<Tables> {
  const tables: { table: string; text: string }[] = [];
  for await (const part of readArchive(createRunningHash(), pieces(bytes, size))) {
    if (part.kind === "table") tables.push({ table: part.start.table, text: "" });
    const last = tables.at(-1);
    if (part.kind === "rows" && last !== undefined) last.text += Buffer.from(part.bytes).toString();
  }
  return tables.map(({ table, text }) => ({ table, rows: text.split("\n").slice(0, -1) }));
}

/** Rows as COPY writes them: a backslash is doubled, a line break spelled. */
const row = string({ unit: "grapheme", maxLength: 40 }).map((text) =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n"),
);

test("[OPS82] a backup is read as it was written, in pieces of any size", async () => {
  await assertProperty(
    asyncProperty(
      array(array(row, { maxLength: 6 }), { maxLength: 4 }),
      integer({ min: 1, max: 90 }),
      async (all, size) => {
        const tables = all.map((rows, at) => ({ table: `t${at}`, rows }));
        expect(await read(await written(tables), size)).toEqual(tables);
      },
    ),
    { numRuns: 200 },
  );
});

test("[OPS82] a backup that is cut off anywhere, or has a byte changed, is damaged", async () => {
  const whole = await written([
    { table: "users", rows: ["one", "two"] },
    { table: "records", rows: [] },
  ]);
  const start = whole.indexOf("\n") + 1;
  for (let at = start; at < whole.length; at += 1) {
    await expect(read(whole.subarray(0, at))).rejects.toThrow("damaged");
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await expect(read(changed)).rejects.toThrow("damaged");
  }
  await expect(read(Buffer.concat([whole, Buffer.from("\n")]))).rejects.toThrow("damaged");
});

test("[OPS82] what is no backup, and one of a later layout, are told apart", async () => {
  for (const text of ["", "hello", "{}\n", '{"format":"other"}\n', "x".repeat(70_000)]) {
    await expect(read(Buffer.from(text), 4_096)).rejects.toThrow("not-a-backup");
  }
  const later = { ...header, version: 2 } as unknown as BackupHeader;
  await expect(read(await written([], later))).rejects.toThrow("newer-layout");
});
