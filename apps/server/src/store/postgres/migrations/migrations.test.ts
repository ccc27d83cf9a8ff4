import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { migrations } from "./index.ts";

test("[PG1] the migrations that a bundle carries are the SQL files, in order", () => {
  const folder = new URL(".", import.meta.url);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted();
  const texts = files.map((name) => ({
    id: name.slice(0, -".sql".length),
    sql: readFileSync(new URL(name, folder), "utf8"),
  }));
  expect(migrations).toEqual(texts);
});
