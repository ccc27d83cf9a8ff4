import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from "../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts";
import { createLog } from "../../apps/server/src/platform/log.ts";
import { systemRandom } from "../../apps/server/src/platform/random.ts";
import { systemTimers } from "../../apps/server/src/platform/timers.ts";
import { createDevices } from "./client-process.ts";
import { walkOf } from "./guide-walk.ts";
import { createBench, freePort, linksIn, type ServerProcess } from "./server-process.ts";

/*
 * The pages for who runs a server, walked as guides.test.ts walks the others; instead of every network
 * they listen on loopback. What Docker, Kubernetes and systemd are told is not run here.
 */

const deps = {
  clock: systemClock,
  random: systemRandom,
  timers: systemTimers,
  log: createLog({ level: "error" }),
};
const bench = createBench();
const devices = createDevices();
/** Stands for a PostgreSQL that somebody else runs. */
let external: EmbeddedPostgres;

beforeAll(async () => {
  const settings = { fsync: "off", full_page_writes: "off" };
  const place = { dataDir: bench.folder(), listen: "loopback", settings } as const;
  const started = await startEmbeddedPostgres(deps, place);
  if (!started.ok) throw new Error(started.error.message);
  external = started.value;
});

afterAll(async () => {
  await external.stop();
  await bench.clear();
  devices.clear();
});

type Env = Readonly<Record<string, string>>;

async function run(args: readonly string[], env: Env): Promise<string> {
  const { code, stdout, stderr } = await bench.run({ args, env });
  if (code !== 0) throw new Error(`tidemark-server ${args.join(" ")}: ${code} ${stdout} ${stderr}`);
  return stdout;
}

/** Starts what a page starts; the bench says `serve` itself. */
async function serve([verb, ...args]: readonly string[], env: Env): Promise<ServerProcess> {
  expect(verb).toBe("serve");
  return await bench.serve({ args, env });
}

async function stop(server: ServerProcess): Promise<void> {
  server.kill("SIGTERM");
  expect((await server.ended).code).toBe(0);
}

test("[CL63] the guide of a company's server is walked, from migrate to restore", async () => {
  const walk = walkOf("docs/guides/company.md", "tidemark-server");
  const env = {
    DATABASE_URL: external.url,
    TIDEMARK_DATA_DIR: bench.folder(),
    TIDEMARK_PORT: String(await freePort()),
  };
  const file = join(bench.folder(), "tidemark.backup");
  await run(walk.take("migrate"), env);
  const server = await serve(walk.take("serve"), env);
  expect(server.stdout()).toContain("known to devices as https://tidemark.example.com");
  expect(linksIn(await run(walk.take("setup-link"), env))).toHaveLength(1);
  await run(walk.take("backup", { "tidemark-$(date +%F).backup": file }), env);
  await stop(server);
  const elsewhere = { TIDEMARK_DATA_DIR: bench.folder() };
  const restored = await run(
    walk.take("restore", { "tidemark-2026-11-23.backup": file }),
    elsewhere,
  );
  expect(restored).toContain("Restored srv_");
  expect(walk.left()).toEqual([]);
});

test("[CL63] the guides of many servers and of figures are walked", async () => {
  const scaling = walkOf("docs/guides/scaling.md", "tidemark-server");
  const env = { DATABASE_URL: external.url, TIDEMARK_PORT: "0" };
  const places = { "0.0.0.0": "127.0.0.1", "/var/lib/tidemark": bench.folder() };
  await stop(await serve(scaling.take("serve", places), env));
  expect(scaling.left()).toEqual([]);
  const metrics = walkOf("docs/guides/metrics.md", "tidemark-server");
  const address = `127.0.0.1:${await freePort()}`;
  const watched = await serve(metrics.take("serve", { "127.0.0.1:9464": address }), {
    TIDEMARK_DATA_DIR: bench.folder(),
    TIDEMARK_PORT: "0",
  });
  expect(await (await fetch(`http://${address}/metrics`)).text()).toContain("tidemark_");
  await stop(watched);
  expect(metrics.left()).toEqual([]);
});

test("[CL63] the README is walked", async () => {
  const servers = walkOf("README.md", "tidemark-server");
  const walk = walkOf("README.md");
  const own = { TIDEMARK_DATA_DIR: bench.folder(), TIDEMARK_PORT: "0" };
  const server = await serve(servers.take("serve"), own);
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  const home = devices.device("readme").folder;
  mkdirSync(join(home, ".claude"));
  const device = devices.device("readme", { HOME: home });
  await device.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "desk", "--user", "ada");
  for (const beginning of [
    "device add",
    "namespace create",
    "namespace invite",
    "save",
    "install --all",
    "import",
  ]) {
    const agreed = beginning === "install --all" ? ["--yes"] : [];
    const { code, stderr } = await device.run([...walk.take(beginning), ...agreed]);
    expect(code === 0 ? "" : `${beginning}: ${code} ${stderr}`).toBe("");
  }
  await stop(server);
  const named = { DATABASE_URL: external.url, TIDEMARK_DATA_DIR: bench.folder() };
  await stop(await serve(servers.take("serve --public-url"), { ...named, TIDEMARK_PORT: "0" }));
  expect([...walk.left(), ...servers.left()]).toEqual([]);
});
