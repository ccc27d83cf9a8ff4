import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { pushOnce } from "../store/testing/exchange.ts";
import { TestServer } from "../store/testing/test-server.ts";
import { at, namespace, put } from "../store/testing/world.ts";
import { createToldIo } from "../surfaces/cli/testing/told-io.ts";
import { diagnose, type Check } from "./diagnose.ts";
import { openDeviceHome } from "./home.ts";
import { openMemory } from "./memory.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-refused-"));
const env = {
  HOME: folder,
  PATH: "",
  TIDEMARK_HOME: join(folder, "home"),
  TIDEMARK_KEYCHAIN: "off",
};

afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function told(): Promise<readonly Check[]> {
  const checks = await diagnose(env, createToldIo().io, { rebuildsSearch: false });
  return checks.filter(({ name }) => name === "changes");
}

test("[CL83] doctor tells of changes that the server refused, and of none where there is none", async () => {
  expect(await told()).toEqual([]);
  const server = new TestServer(namespace);
  server.refusals.set("record1", "quota");
  const { store } = openMemory(openDeviceHome(env));
  store.replicas.takeNamespaces("server-1", [
    { id: namespace, name: "harbour", kind: "team", role: "writer", head: 0 },
  ]);
  expect(store.changes.change(namespace, [put("record1", { title: "one" })], at).ok).toBe(true);
  pushOnce(store, server);
  store.close();
  expect(await told()).toEqual([
    {
      name: "changes",
      status: "WARN",
      message: "harbour: 1 change refused by the server",
      fix: "tidemark rejected says why; then tidemark rejected retry, or drop",
    },
  ]);
});
