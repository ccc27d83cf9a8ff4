import { expect, test } from "vitest";
import { compileGlob } from "./glob.ts";

test.each([
  ["*.pem", "a/b/key.pem", true],
  ["*.pem", "key.pem.txt", false],
  ["fixtures", "test/fixtures/a.env", true],
  ["test/fixtures/**", "test/fixtures/a/b.env", true],
  ["test/fixtures/", "test/fixtures/a.env", true],
  ["test/fixtures/**", "src/test/fixtures/a.env", false],
  ["**/fixtures/*.env", "src/test/fixtures/a.env", true],
  ["src/**/a.ts", "src/a.ts", true],
  ["src/**/a.ts", "src/x/y/a.ts", true],
  ["src/*/a.ts", "src/x/y/a.ts", false],
  ["a?.ts", "ab.ts", true],
  ["a?.ts", "a.ts", false],
  ["./docs/x.md", "docs/x.md", true],
  ["docs/x.md", "docs\\x.md", true],
])("[SC16] the glob %s and the path %s: %s", (glob, path, isMatch) => {
  expect(compileGlob(glob)(path)).toBe(isMatch);
});

test("[SC4] a glob of many stars is matched in few steps", () => {
  const matches = compileGlob(`${"*a".repeat(60)}b`);
  expect(matches("a".repeat(4_000))).toBe(false);
});
