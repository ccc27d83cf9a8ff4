import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { serverLimits } from "../../apps/server/src/limits.ts";
import { exchange, statuses } from "../../apps/server/src/platform/testing/raw-http.ts";
import { createBench, type ServerProcess } from "./server-process.ts";

const bench = createBench();
afterEach(async () => {
  await bench.clear();
});

const { openMax } = serverLimits.connection;
const crowdMax = 5_000;
/** What else this program and the server hold open. */
const filesKept = 500;
const batch = 250;

async function startServer(): Promise<{ server: ServerProcess; port: number }> {
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  return { server, port: Number(new URL(server.url).port) };
}

/** How many sockets this machine lets a program have; Node takes the hard limit at its start. */
function socketsMax(): number {
  const [, , hard = "1024"] =
    /^Max open files +(\d+) +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return Math.min(crowdMax, Number(hard) - filesKept);
}

interface Crowd {
  readonly made: number;
  /** Resolves once the server has closed all of them. */
  readonly gone: Promise<unknown>;
}

/** Opens connections that say nothing. */
async function gather(port: number, count: number): Promise<Crowd> {
  const closings: Promise<void>[] = [];
  let made = 0;
  const enter = async (): Promise<void> => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.on("data", () => {});
    await new Promise<void>((resolve) => {
      socket.once("connect", () => {
        made += 1;
        resolve();
      });
      socket.once("error", () => {
        resolve();
      });
    });
    closings.push(
      new Promise((resolve) => {
        socket.once("close", () => {
          resolve();
        });
      }),
    );
  };
  for (let from = 0; from < count; from += batch) {
    await Promise.all(Array.from({ length: batch }, enter));
  }
  return { made, gone: Promise.all(closings) };
}

/** Asks whether the server lives; over the agent's one connection where there is an agent. */
async function healthOf(port: number, agent?: Agent): Promise<number> {
  return await new Promise((resolve, reject) => {
    const place = { host: "127.0.0.1", port, path: "/healthz" };
    const asked = request({ ...place, ...(agent === undefined ? {} : { agent }) }, (answer) => {
      answer.resume();
      answer.once("end", () => {
        resolve(answer.statusCode ?? 0);
      });
    });
    asked.once("error", reject);
    asked.end();
  });
}

test("[OPS21] five thousand connections that say nothing are dropped, while who is connected is served (abuse 130)", async () => {
  const { port } = await startServer();
  const count = socketsMax();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const seen = new Set([await healthOf(port, agent)]);
  const gathering = gather(port, count);
  const state = { isOver: false };
  const ended = gathering.then(async (crowd) => {
    await crowd.gone;
    state.isOver = true;
    return crowd;
  });
  let served = 0;
  // One after the other on one connection: it is never quiet for long enough to be closed.
  while (!state.isOver) {
    seen.add(await healthOf(port, agent));
    served += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  agent.destroy();
  const crowd = await ended;
  expect(crowd.made).toBeGreaterThan(Math.min(count, openMax) / 2);
  expect(seen).toEqual(new Set([200]));
  expect(served).toBeGreaterThan(100);
  // And there is room again for who comes new.
  expect(await healthOf(port)).toBe(200);
});

test("[OPS33] a thousand requests sent at once wait for each other, and nobody else for them (abuse 130)", async () => {
  const { port } = await startServer();
  const one = "GET /healthz HTTP/1.1\r\nhost: a\r\n";
  const all = `${Array.from({ length: 1_000 }, () => one).join("\r\n")}connection: close\r\n\r\n`;
  const crowd = Promise.all(Array.from({ length: 8 }, async () => await exchange(port, all)));
  const state = { isOver: false };
  const ended = crowd.then((answers) => {
    state.isOver = true;
    return answers;
  });
  const others: number[] = [];
  while (!state.isOver) others.push(await healthOf(port));
  for (const answer of await ended) {
    expect(statuses(answer)).toEqual(Array.from({ length: 1_000 }, () => 200));
  }
  expect(new Set(others)).toEqual(new Set([200]));
  expect(others.length).toBeGreaterThan(3);
});
