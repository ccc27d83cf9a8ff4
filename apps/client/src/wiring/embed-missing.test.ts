import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpairedNamespace, type RecordId } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scrubbed, testOptions, testStore } from "../store/testing/test-store.ts";
import { embedMissing } from "./embed-missing.ts";
import { openDeviceHome } from "./home.ts";
import type { Memory } from "./memory.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-embed-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function memoryWithNote(scrub: Memory["scrub"]): Memory {
  const store = testStore();
  const fields = scrubbed({ title: "a note", kind: "note", origin: "user", createdAt: 1 });
  const put = { kind: "put", id: "note1" as RecordId, collection: "observation", fields } as const;
  expect(store.changes.change(unpairedNamespace, [put], 1).ok).toBe(true);
  const { clock, random, sha256 } = testOptions();
  const spool = { hasSpooled: () => false, takeSpooled: () => 0 };
  return { store, scrub, clock, random, sha256, ...spool };
}

test("[MC14] an embedder that is taken out of the settings is given nothing more by a program that runs", async () => {
  const ran = join(folder, "ran");
  const script = join(folder, "embed.mjs");
  writeFileSync(
    script,
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(ran)}, ""); console.log("[1,2]");`,
  );
  const env = { TIDEMARK_HOME: folder };
  const set = (members: object): void => {
    writeFileSync(join(folder, "config.json"), JSON.stringify(members), { mode: 0o600 });
  };
  set({ embedder: `'${process.execPath}' '${script}'` });
  const home = openDeviceHome(env, folder);
  const memory = memoryWithNote(home.scrub);
  const { signal } = new AbortController();
  set({});
  const told = await embedMissing(home, memory, { signal });
  expect(told).toMatchObject({ ok: false, error: { code: "no-embedder" } });
  expect(existsSync(ran)).toBe(false);
  set({ embedder: `'${process.execPath}' '${script}'` });
  expect(await embedMissing(home, memory, { signal })).toMatchObject({ value: { embedded: 1 } });
  memory.store.close();
});
