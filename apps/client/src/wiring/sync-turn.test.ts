import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Home } from "./home.ts";
import { driveInTurns, takeSyncTurn } from "./sync-turn.ts";

let stateHome: string;
let syncLock: string;
let home: Home;

beforeEach(() => {
  stateHome = mkdtempSync(join(tmpdir(), "tidemark-turn-"));
  syncLock = join(stateHome, "sync.lock");
  home = { paths: { stateHome, syncLock } } as unknown as Home;
});

afterEach(() => {
  rmSync(stateHome, { recursive: true });
});

test("[EN29] who drives in the background waits where the folder of turns cannot be used, and goes on", async () => {
  writeFileSync(syncLock, "no folder");
  const stop = new AbortController();
  let runs = 0;
  const driving = driveInTurns(
    home,
    () => {
      runs += 1;
      stop.abort();
      return Promise.resolve();
    },
    stop.signal,
  );
  expect(runs).toBe(0);
  rmSync(syncLock);
  await driving;
  expect(runs).toBe(1);
});

test("[EN29] a command whose folder of turns cannot be used says which one", async () => {
  writeFileSync(syncLock, "no folder");
  await expect(takeSyncTurn(home, 0)).rejects.toMatchObject({
    name: "UserError",
    code: "sync-turn",
    message: `${syncLock} cannot be written`,
  });
});
