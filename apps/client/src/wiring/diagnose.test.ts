import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { largeDatabaseBytes } from "../store/repair/large-database.ts";
import { createToldIo } from "../surfaces/cli/testing/told-io.ts";
import { diagnose } from "./diagnose.ts";
import { openDeviceHome } from "./home.ts";
import { openMemory } from "./memory.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-diagnose-"));
const env = {
  HOME: folder,
  PATH: "",
  TIDEMARK_HOME: join(folder, "home"),
  TIDEMARK_KEYCHAIN: "off",
};

beforeAll(() => {
  const { store } = openMemory(openDeviceHome(env));
  store.upkeep.setMeta("large", "x".repeat(largeDatabaseBytes));
  store.upkeep.checkpoint();
  store.close();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("[TM7] doctor tells in a terminal that it checks a large database, until it has", async () => {
  const { io, told } = createToldIo();
  const checks = await diagnose(env, { ...io, isErrTty: true }, { rebuildsSearch: false });
  expect(told.err).toBe("checking the database …\r\u001B[K");
  expect(checks.find(({ name }) => name === "integrity")).toMatchObject({ status: "PASS" });
});

test("[TM7] where nobody looks it tells nothing beside its checks", async () => {
  const { io, told } = createToldIo();
  await diagnose(env, { ...io, isErrTty: false }, { rebuildsSearch: true });
  expect(told.err).toBe("");
});
