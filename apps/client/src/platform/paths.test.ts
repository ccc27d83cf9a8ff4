import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openHome, pathsOf } from "./paths.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-home-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("[OPS40] TIDEMARK_HOME holds everything", () => {
  const paths = Object.values(pathsOf({ TIDEMARK_HOME: "/srv/t", XDG_DATA_HOME: "/x" }));
  expect(paths.every((path) => path === "/srv/t" || path.startsWith("/srv/t/"))).toBe(true);
});

test("[OPS40] without it the XDG folders are used, relative ones are not", () => {
  const paths = pathsOf({ HOME: "/home/u", XDG_DATA_HOME: "data", XDG_CONFIG_HOME: "/conf" });
  expect(paths.database).toBe("/home/u/.local/share/tidemark/tidemark.db");
  expect(paths.config).toBe("/conf/tidemark/config.json");
  expect(paths.log).toBe("/home/u/.local/state/tidemark/log/tidemark.log");
});

test("[OPS41] the home is made 0700, and an open one is closed to readers", () => {
  const paths = pathsOf({ TIDEMARK_HOME: join(folder, "new", "home") });
  expect(openHome(paths).ok).toBe(true);
  expect(statSync(paths.home).mode & 0o777).toBe(0o700);
  chmodSync(paths.home, 0o755);
  expect(openHome(paths).ok).toBe(true);
  expect(statSync(paths.home).mode & 0o777).toBe(0o700);
});

test("[OPS41] a home that others may write into or replace is refused with a hint (abuse 175)", () => {
  const home = join(folder, "home");
  mkdirSync(home);
  chmodSync(home, 0o770);
  const writable = openHome(pathsOf({ TIDEMARK_HOME: home }));
  expect(writable).toMatchObject({ ok: false, error: { kind: "unsafe-home" } });
  expect(writable.ok ? "" : writable.error.hint).toContain("chmod 700");
  chmodSync(home, 0o700);
  chmodSync(folder, 0o777);
  const replaceable = openHome(pathsOf({ TIDEMARK_HOME: home }));
  expect(replaceable).toMatchObject({ ok: false, error: { kind: "unsafe-home" } });
  chmodSync(folder, 0o1777);
  expect(openHome(pathsOf({ TIDEMARK_HOME: home })).ok).toBe(true);
});

test("[OPS41] a file in its place is refused", () => {
  const home = join(folder, "file");
  writeFileSync(home, "");
  const opened = openHome(pathsOf({ TIDEMARK_HOME: home }));
  expect(opened).toMatchObject({ ok: false, error: { kind: "unsafe-home" } });
  const below = openHome(pathsOf({ TIDEMARK_HOME: join(home, "below") }));
  expect(below).toMatchObject({ ok: false, error: { kind: "unwritable-home" } });
});
