import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { NamespaceId } from "@tidemark/protocol";
import { ndjsonType, problemType } from "@tidemark/protocol/wire";
import { build, type BuildOptions } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { systemHttp } from "../../platform/http.ts";
import { systemTimers, type Timers } from "../../platform/timers.ts";
import { PreparedRecord } from "../../store/prepared/prepared-record.ts";
import { createHttpTransport } from "../../sync/http-transport.ts";
import { createCaller } from "../../sync/http/caller.ts";
import type { Network, NetworkResponse } from "../../sync/http/network.ts";
import { pageTail, recordLine } from "../../sync/testing/faulty-server.ts";
import type { Answer, PullAnswer } from "../../sync/transport.ts";
import { readingAhead } from "./page-thread.ts";

const namespace = "ns_1" as NamespaceId;
const never = new AbortController().signal;
const long = 20_000;
/** Where there is no program of a thread. */
const none = "";

let folder = "";
let program = "";
let server: Server;
let answerWith: RequestListener;
let asked: string[];
/** Which processes' connections requests came by, in their order. */
let ports: (number | undefined)[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-page-thread-"));
  program = join(folder, "page-reader.cjs");
  await bundle(program, { entryPoints: [join(import.meta.dirname, "worker.ts")] });
});

async function bundle(outfile: string, source: BuildOptions): Promise<void> {
  await build({
    ...source,
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    conditions: ["source"],
    logLevel: "warning",
  });
}

afterAll(() => {
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  asked = [];
  ports = [];
  answerWith = givePage;
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    ports.push(request.socket.remotePort);
    answerWith(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const forgotten = `{"seq":2,"id":"r2","collection":"observation","forgotten":true}`;
const lines = [recordLine(1), forgotten, recordLine(3), pageTail];

const givePage: RequestListener = (_request, response) => {
  response.writeHead(200, { "content-type": ndjsonType }).end(`${lines.join("\n")}\n`);
};

type Pull = (rest?: number, signal?: AbortSignal) => Promise<Answer<PullAnswer>>;

interface Way extends Pick<Timers, "sleep"> {
  /** Told that an answer has begun. */
  readonly onHead?: (() => void) | undefined;
}

function pullBy(path = program, { onHead, ...timers }: Way = systemTimers): Pull {
  const { port } = server.address() as AddressInfo;
  const network = readingAhead(systemHttp, () => (path === none ? undefined : path));
  const caller = createCaller({
    serverUrl: `http://127.0.0.1:${String(port)}`,
    network: onHead === undefined ? network : telling(network, onHead),
    timers,
  });
  const transport = createHttpTransport({ caller, timers });
  return (restAhead, signal = never) =>
    transport.pull(namespace, { writer: undefined, after: "a", restAhead }, signal);
}

function telling(network: Network, onHead: () => void): Network {
  const told = (response: NetworkResponse): NetworkResponse => {
    onHead();
    return response;
  };
  return {
    send: async (request) => told(await network.send(request)),
    sendForLines: async (request, reading) =>
      told((await network.sendForLines?.(request, reading)) ?? (await network.send(request))),
  };
}

type Ask = (onHeard?: () => void) => Promise<NetworkResponse>;

/** Asks for the page of a long pull past all that judges answers. */
function askBy(path: string, timers?: Pick<Timers, "every">): Ask {
  const network = readingAhead(systemHttp, () => path, timers);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${String(port)}/`;
  return async (onHeard = () => undefined) => {
    const reading = { type: ndjsonType, bytesMax: 1_000_000, rest: long, onHeard };
    const answer = network.sendForLines?.(
      { method: "GET", url, headers: {}, signal: never },
      reading,
    );
    if (answer === undefined) throw new Error("the network cannot");
    const response = await answer;
    onHeard();
    await response.lines;
    return response;
  };
}

/** Asks until the thread is there, and has read the page. */
async function isRead(ask: Ask): Promise<void> {
  await expect.poll(async () => (await ask()).lines !== undefined, { timeout: 20_000 }).toBe(true);
}

function isPrepared(page: Answer<PullAnswer>): boolean {
  return page.ok && page.value.records[0]?.state instanceof PreparedRecord;
}

/** Pulls until the thread is there; the process reads what comes before. */
async function threadOf(pull: Pull): Promise<void> {
  await expect.poll(async () => isPrepared(await pull(long)), { timeout: 20_000 }).toBe(true);
}

function idsOf(page: Answer<PullAnswer>): unknown {
  if (!page.ok) throw new Error(page.error.code);
  return page.value.records.map(({ seq, state: { id } }) => [seq, id]);
}

test("[PL25] a thread reads the pages of a long pull as the process does, on a connection of its own", async () => {
  const pull = pullBy();
  const plain = await pull();
  expect(isPrepared(plain)).toBe(false);
  await threadOf(pull);
  const prepared = await pull(1);
  expect(isPrepared(prepared)).toBe(true);
  expect(idsOf(prepared)).toEqual(idsOf(plain));
  expect(prepared.ok && prepared.value.tail).toEqual(JSON.parse(pageTail));
  expect(new Set(asked)).toEqual(new Set(["/v1/namespaces/ns_1/records?after=a"]));
  expect(ports.at(-1)).not.toBe(ports[0]);
});

test("[PL25] no thread is started for a short pull, nor without its program", async () => {
  const pull = pullBy();
  const missing = pullBy(none);
  for (let page = 0; page < 3; page += 1) {
    expect(isPrepared(await pull(long - 1))).toBe(false);
    expect(isPrepared(await missing(long))).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
});

test.each<readonly [string, RequestListener]>([
  [
    "a refusal and how long to wait",
    (_request, response) => {
      const problem = {
        type: "t",
        title: "Wait.",
        status: 429,
        code: "slow-down",
        family: "retry",
      };
      response.writeHead(429, { "content-type": problemType, "retry-after": "7" });
      response.end(JSON.stringify(problem));
    },
  ],
  [
    "a login page",
    (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<form>");
    },
  ],
  [
    "a redirect",
    (_request, response) => {
      response.writeHead(302, { location: "https://elsewhere.example/" }).end();
    },
  ],
  [
    "half a page",
    (_request, response) => {
      response.writeHead(200, { "content-type": ndjsonType }).end(lines.join("\n"));
    },
  ],
  [
    "a page that breaks off",
    (_request, response) => {
      response.writeHead(200, { "content-type": ndjsonType, "content-length": "9999" });
      response.write(lines[0]);
      setTimeout(() => response.destroy(), 50);
    },
  ],
  [
    "a page that is too large",
    (_request, response) => {
      response.writeHead(200, { "content-type": ndjsonType });
      response.end(Buffer.alloc(13_000_000, "a"));
    },
  ],
  [
    "no answer",
    (request) => {
      request.socket.destroy();
    },
  ],
])("[PL25] the thread tells %s as the process does", async (_what, listener) => {
  const pull = pullBy();
  await threadOf(pull);
  answerWith = listener;
  const [plain, ahead] = [await pull(), await pull(long)];
  expect(plain.ok).toBe(false);
  expect(ahead).toEqual(plain);
});

const staysOpen: readonly (readonly [string, number, string, string])[] = [
  ["a good page", 200, ndjsonType, "garbled"],
  ["a refusal", 503, "text/html", "http-503"],
];

test.each(staysOpen)(
  "[PL25, WR34] %s that stays open is told by the thread as by the process once it was silent for long",
  async (_what, status, type, code) => {
    const sleepers = new Set<() => void>();
    const sleep: Timers["sleep"] = (_ms, signal) =>
      new Promise((resolve) => {
        sleepers.add(resolve);
        signal?.addEventListener("abort", () => resolve());
      });
    const timeUp = (): void => {
      for (const wake of sleepers) wake();
    };
    let onHead = (): void => undefined;
    const pull = pullBy(program, { sleep, onHead: () => onHead() });
    await threadOf(pull);
    onHead = () => void setImmediate(timeUp);
    answerWith = (_request, response) => {
      response.writeHead(status, { "content-type": type, "retry-after": "7" }).write(lines[0]);
    };
    const [plain, ahead] = [await pull(), await pull(long)];
    expect(plain).toMatchObject({ ok: false, error: { code } });
    expect(ahead).toEqual(plain);
  },
);

test("[PL25, WR34] a page of another kind that stays open is waited for by no thread either", async () => {
  const pull = pullBy();
  await threadOf(pull);
  let closed = (): void => undefined;
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  answerWith = (request, response) => {
    request.socket.once("close", closed);
    response.writeHead(200, { "content-type": "text/html" }).write("<html>");
  };
  expect(await pull(long)).toMatchObject({ ok: false, error: { code: "not-tidemark" } });
  await isClosed;
});

test("[PL25, WR64] why no answer came is told by the thread as well", async () => {
  const ask = askBy(program);
  await isRead(ask);
  answerWith = (request) => request.socket.destroy();
  await expect(ask()).rejects.toMatchObject({ code: "ECONNRESET" });
});

test("[PL25] a page that is given up is given up by the thread too", async () => {
  const pull = pullBy();
  await threadOf(pull);
  let closed = (): void => undefined;
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  const given = new AbortController();
  answerWith = (request, response) => {
    request.socket.once("close", closed);
    response.writeHead(200, { "content-type": ndjsonType }).write("{");
    given.abort();
  };
  const page = await pull(long, given.signal);
  expect(page).toMatchObject({ ok: false, error: { code: "cancelled" } });
  await isClosed;
  answerWith = givePage;
  expect(isPrepared(await pull(1))).toBe(true);
});

test("[PL25] a thread that was idle for a minute ends, and comes back for the next long pull", async () => {
  const ticks = new Map<() => void, number>();
  const every = (ms: number, tick: () => void): (() => void) => {
    ticks.set(tick, ms);
    return () => void ticks.delete(tick);
  };
  const ask = askBy(program, { every });
  for (let time = 0; time < 2; time += 1) {
    expect((await ask()).lines).toBeUndefined();
    await isRead(ask);
    expect([...ticks.values()]).toEqual([60_000]);
    for (const tick of ticks.keys()) tick();
    expect(ticks.size).toBe(0);
  }
});

test("[PL25] a program that has nothing more to do ends, and its thread with it", async () => {
  const main = join(folder, "main.cjs");
  const { port } = server.address() as AddressInfo;
  const contents = `
    import { systemHttp } from "../../platform/http.ts";
    import { readingAhead } from "./page-thread.ts";
    const request = { method: "GET", url: "http://127.0.0.1:${String(port)}/", headers: {}, signal: new AbortController().signal };
    const reading = { type: "${ndjsonType}", bytesMax: 1_000_000, rest: ${String(long)}, onHeard: () => {} };
    const neverIdle = { every: () => () => {} };
    const network = readingAhead(systemHttp, () => ${JSON.stringify(program)}, neverIdle);
    async function askAll() {
      while ((await network.sendForLines(request, reading)).lines === undefined);
      console.log("read by the thread");
    }
    void askAll();`;
  await bundle(main, { stdin: { contents, resolveDir: import.meta.dirname } });
  const run = promisify(execFile)(process.execPath, [main], { timeout: 20_000 });
  await expect(run).resolves.toMatchObject({ stdout: "read by the thread\n" });
});

test("[PL25] where the thread dies its page is given up, and none is started any more", async () => {
  const dying = join(folder, "dying.cjs");
  const starts = join(folder, "starts");
  writeFileSync(
    dying,
    `const { parentPort } = require("node:worker_threads");
     require("node:fs").appendFileSync(${JSON.stringify(starts)}, "+");
     parentPort.on("message", () => process.exit(1));
     parentPort.postMessage({ kind: "ready" });`,
  );
  const ask = askBy(dying);
  const askOn = async (): Promise<never> => {
    for (;;) await ask();
  };
  await expect(askOn()).rejects.toThrow("the thread has ended");
  for (let page = 0; page < 20; page += 1) {
    expect(await ask()).toMatchObject({ status: 200 });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(readFileSync(starts, "utf8")).toBe("+");
});

test("[PL25] a thread that is slow to start is not waited for", async () => {
  const slow = join(folder, "slow.cjs");
  writeFileSync(slow, 'require("node:worker_threads").parentPort.on("message", () => undefined);');
  const pull = pullBy(slow);
  for (let page = 0; page < 3; page += 1) {
    expect(idsOf(await pull(long))).toHaveLength(3);
  }
});

test("[PL25] what the thread hears of a slow page is told at once: the head, and each piece", async () => {
  const ask = askBy(program);
  await isRead(ask);
  let answer: ServerResponse | undefined;
  answerWith = (_request, response) => {
    answer = response;
    response.writeHead(200, { "content-type": ndjsonType }).flushHeaders();
  };
  // The server goes on only once the client has heard of what it sent before.
  const goesOn = [
    () => answer?.write(`${lines[0]}\n`),
    () => answer?.write(`${lines[2]}\n`),
    () => answer?.end(`${lines[3]}\n`),
  ];
  const page = await ask(() => goesOn.shift()?.());
  expect(await page.lines).toMatchObject({ ok: true, value: { length: 3 } });
});

test("[PL25] a thread that cannot start is done without", async () => {
  const broken = join(folder, "broken.cjs");
  writeFileSync(broken, "throw new Error('no memory');");
  const pull = pullBy(broken);
  for (let page = 0; page < 3; page += 1) {
    expect(isPrepared(await pull(long))).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});
