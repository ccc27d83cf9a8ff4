import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Home } from "./home.ts";
import { tokenTurn } from "./token-turn.ts";

const signal = new AbortController().signal;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-turn-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function turnAt(stateHome: string) {
  return tokenTurn({ paths: { stateHome } } as unknown as Home);
}

test("[AU60] the programs of a home ask for tokens one after the other", async () => {
  const turns = [turnAt(folder), turnAt(folder), turnAt(folder)];
  let inside = 0;
  let most = 0;
  await Promise.all(
    turns.map((turn) =>
      turn(async () => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        inside -= 1;
      }, signal),
    ),
  );
  expect(most).toBe(1);
});

test("[AU60] a turn is given back where the work fails, and none is needed where none can be had", async () => {
  const turn = turnAt(folder);
  const failing = turn(() => Promise.reject(new Error("no")), signal);
  await expect(failing).rejects.toThrow("no");
  expect(await turn(() => Promise.resolve("done"), signal)).toBe("done");
  expect(await turnAt("/dev/null")(() => Promise.resolve("done"), signal)).toBe("done");
});
