import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { watchFile } from "./file-watch.ts";

let folder: string;
const path = (): string => join(folder, "data-wal");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-watch-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("[EN17] a file that is made, written or made again is told of", async () => {
  let resolve: () => void = () => undefined;
  const end = watchFile(path(), () => {
    resolve();
  });
  const change = async (act: () => void): Promise<void> => {
    const changed = new Promise<void>((done) => {
      resolve = done;
    });
    act();
    await changed;
  };
  await change(() => {
    writeFileSync(path(), "one");
  });
  await change(() => {
    appendFileSync(path(), "two");
  });
  rmSync(path());
  await change(() => {
    writeFileSync(path(), "three");
  });
  end();
});

test("a folder that is not there is watched by nobody, and nothing breaks", () => {
  const end = watchFile(join(folder, "gone", "data-wal"), () => undefined);
  expect(end).not.toThrow();
});
