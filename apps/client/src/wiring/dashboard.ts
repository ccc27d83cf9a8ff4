import { serve, type ServerType } from "@hono/node-server";
import type { Hono } from "hono";
import { outputTerminals, writeErr, writeOut } from "../platform/program.ts";
import { onStop } from "../platform/stop-signals.ts";
import type { Environment } from "../platform/paths.ts";
import { sha256 } from "../platform/hash.ts";
import { systemClock } from "../platform/clock.ts";
import { systemRandom } from "../platform/random.ts";
import { systemTimers } from "../platform/timers.ts";
import { createDashboard } from "../surfaces/dashboard/app.ts";
import { createDoor, linkMsMax } from "../surfaces/dashboard/door.ts";
import { everywhere } from "../surfaces/dashboard/map/scope.ts";
import { mapPage } from "../surfaces/dashboard/pages/map.ts";
import { openDeviceHome } from "./home.ts";
import { openTold } from "./told-memory.ts";

const host = "127.0.0.1";
/** Time without a request after which it ends, in milliseconds; a page that is open counts as one. */
const idleMsMax = 1_800_000;
const lookMs = 10_000;

/** Serves the dashboard to this machine until it is stopped or nobody looks any more (DA3). */
export async function runDashboard(env: Environment): Promise<void> {
  const home = openDeviceHome(env);
  const memory = openTold(home, { err: writeErr, isErrTty: outputTerminals(env).err.isTty });
  const stop = new AbortController();
  onStop(() => {
    stop.abort();
  });
  const door = createDoor({ random: systemRandom, clock: systemClock, sha256 });
  let app: Hono | undefined;
  let lastMs = systemClock.nowMs();
  const seen = (): void => {
    lastMs = systemClock.nowMs();
  };
  const server = await listening(async (request) => {
    seen();
    return app === undefined ? new Response(null, { status: 503 }) : await app.fetch(request);
  });
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  const address = `${host}:${port}`;
  const { signal } = stop;
  const deps = { memory, home, door, timers: systemTimers, address, seen, signal };
  app = createDashboard(deps);
  writeOut(`http://${address}/#${door.token}\n`);
  writeErr(
    `open it within ${linkMsMax / 1_000} seconds; it works once. Ctrl-C ends the dashboard\n`,
  );
  // Most of what the map takes is to read all files once: it is there when somebody opens it.
  void mapPage(deps, everywhere);
  const stopLooking = systemTimers.every(lookMs, () => {
    if (systemClock.nowMs() - lastMs > idleMsMax) stop.abort();
  });
  await aborted(stop.signal);
  stopLooking();
  server.close();
  if ("closeAllConnections" in server) server.closeAllConnections();
  memory.store.close();
}

async function listening(fetch: (request: Request) => Promise<Response>): Promise<ServerType> {
  return await new Promise((resolve, reject) => {
    const server = serve({ fetch, hostname: host, port: 0 }, () => {
      resolve(server);
    });
    server.once("error", reject);
  });
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => {
      resolve();
    });
  });
}
