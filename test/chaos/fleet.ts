import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createBench,
  isAlive,
  linksIn,
  postmasterPid,
  type ServerProcess,
} from "../program/server-process.ts";
import { createChaosDevice, type ChaosDevice } from "./device-process.ts";
import { openFaultProxy, quietPort, type FaultProxy } from "./fault-proxy.ts";

/** The server, which comes back under the same address and with the same data. */
export interface FleetServer {
  readonly dataDir: string;
  /** Starts it and waits until it listens; does nothing while it runs. */
  start(): Promise<void>;
  /** Ends it in order; gives its exit code and how long it took. */
  stop(): Promise<{ readonly code: number | null; readonly ms: number }>;
  /** Ends it outright; its PostgreSQL is left behind. */
  kill(): Promise<void>;
  /** Ends its PostgreSQL outright; says whether there was one. */
  killPostgres(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** Whether it runs. */
  isUp(): boolean;
}

/** A device behind its own proxy. */
export interface FleetDevice extends ChaosDevice {
  readonly proxy: FaultProxy;
}

/** A real server and real devices, each behind its own proxy, in folders of their own. */
export interface Fleet {
  readonly root: string;
  readonly server: FleetServer;
  readonly devices: readonly FleetDevice[];
  /** The device of a name. */
  device(name: string): FleetDevice;
  /** Pairs all of them with the server, as one person's. */
  pairAll(): Promise<void>;
  /** Ends and removes everything. */
  clear(): Promise<void>;
}

/**
 * Starts a server with its own PostgreSQL and makes devices that are not paired yet. `homes` names
 * homes that lie elsewhere.
 */
export async function createFleet(
  names: readonly string[],
  homes: Readonly<Record<string, string>> = {},
): Promise<Fleet> {
  const root = mkdtempSync(join(tmpdir(), "tidemark-chaos-"));
  const port = await quietPort();
  const proxies = await Promise.all(names.map(async () => await openFaultProxy(port)));
  const urls = [`http://127.0.0.1:${port}`, ...proxies.map(({ url }) => url)];
  const host = createServer(port, urls);
  const { server } = host;
  const devices = names.map((name, at): FleetDevice => {
    const proxy = proxies[at];
    if (proxy === undefined) throw new Error("there is one for each");
    const home = homes[name];
    return { ...createChaosDevice({ root, name, ...(home === undefined ? {} : { home }) }), proxy };
  });
  const fleet = {
    root,
    server,
    devices,
    device: (name: string) => {
      const found = devices.find((each) => each.name === name);
      if (found === undefined) throw new Error(`there is no device ${name}`);
      return found;
    },
    pairAll: async () => {
      const [first, ...others] = devices;
      if (first === undefined) return;
      await pairBehindProxy(first, await host.setupLink(), ["--user", "ada"]);
      for (const device of others) {
        const { link } = await first.json<{ readonly link: string }>("device", "add");
        await pairBehindProxy(device, link);
      }
    },
    clear: async () => {
      await Promise.all(devices.map(async (device) => await device.close()));
      await Promise.all(proxies.map(async (proxy) => await proxy.close()));
      await host.clear();
      rmSync(root, { recursive: true, force: true });
    },
  };
  try {
    await server.start();
    return fleet;
  } catch (cause) {
    await fleet.clear();
    throw cause;
  }
}

// A link may be opened through any address of the server; each device knows its own proxy alone.
async function pairBehindProxy(
  device: FleetDevice,
  link: string,
  more: readonly string[] = [],
): Promise<void> {
  const { pathname, hash } = new URL(link);
  await device.json(
    "pair",
    `${device.proxy.url}${pathname}${hash}`,
    "--name",
    device.name,
    ...more,
  );
}

function createServer(
  port: number,
  urls: readonly string[],
): {
  readonly server: FleetServer;
  setupLink(): Promise<string>;
  clear(): Promise<void>;
} {
  const bench = createBench();
  const dataDir = join(bench.folder(), "data");
  const publicUrls = urls.flatMap((url) => ["--public-url", url]);
  const args = ["--port", String(port), "--data-dir", dataDir, ...publicUrls];
  let running: ServerProcess | undefined;
  let isClosed = false;
  const server: FleetServer = {
    dataDir,
    start: async () => {
      if (isClosed) throw new Error("the fleet is closed");
      running ??= await bench.serve({ args });
      const mine = running;
      void mine.ended.finally(() => {
        if (running === mine) running = undefined;
      });
    },
    stop: async () => {
      const started = performance.now();
      running?.kill("SIGTERM");
      const ended = await running?.ended;
      running = undefined;
      return { code: ended?.code ?? null, ms: performance.now() - started };
    },
    kill: async () => {
      running?.kill("SIGKILL");
      await running?.ended;
      running = undefined;
    },
    killPostgres: () => {
      const pid = postmasterPid(dataDir);
      if (pid !== undefined) process.kill(pid, "SIGKILL");
      return pid !== undefined;
    },
    signal: (signal) => {
      running?.kill(signal);
    },
    isUp: () => running !== undefined,
  };
  return {
    server,
    setupLink: async () => {
      for (let waited = 0; waited < 10_000; waited += 50) {
        const [link] = linksIn(running?.stdout() ?? "");
        if (link !== undefined) return link;
        await sleep(50);
      }
      throw new Error("the server prints no link");
    },
    clear: async () => {
      isClosed = true;
      bench.signal("SIGCONT");
      await server.stop();
      await endOrphan(dataDir);
      await bench.clear();
    },
  };
}

// Of a server that was killed last.
async function endOrphan(dataDir: string): Promise<void> {
  const pid = postmasterPid(dataDir);
  if (pid === undefined) return;
  process.kill(pid, "SIGQUIT");
  for (let waited = 0; waited < 10_000 && isAlive(pid); waited += 50) await sleep(50);
}
