/**
 * What credentials, proofs and rights cost a server: the same pushes and pulls, over loopback to
 * one process on one database, by turns with all checks and with none. The requests are signed
 * before the clock runs, so that only the server's side is counted.
 *
 *   npm run bench:auth                 9 rounds
 *   npm run bench:auth -- --rounds 3 --json
 */
import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  askToken,
  assertionForm,
  claimServer,
  createClient,
  createTestWriter,
  joinServer,
  signedHeadersFor,
  type Server,
  type TestClient,
} from "../apps/server/src/http/testing/client.ts";
import { sha256 } from "../apps/server/src/platform/hash.ts";
import { nonceHeader, type NamespaceId } from "../packages/protocol/src/index.ts";
import { ndjsonType, type TokenAnswer } from "../packages/protocol/src/wire/index.ts";
import { deviceHeader } from "../apps/server/src/http/testing/bare-app.ts";
import type { Told } from "./auth/server.ts";
import { median } from "./measure/numbers.ts";
import { treeCpu } from "./measure/processes.ts";
import { startReport } from "./measure/report.ts";
import { generateObservations } from "./sync/observations.ts";

const lossMax = 0.15;
const lanes = 8;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    json: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const report = startReport("auth", values.json);
const texts = generateObservations(1000).map(({ fields }) => JSON.stringify(fields));

/** One kind of work: so many requests in each lane, one after the other. */
interface Work {
  readonly name: string;
  readonly each: number;
  /** Ops of a push, or records of a page. */
  readonly size: number;
  readonly method: "POST" | "GET";
}

const works: readonly Work[] = [
  { name: "push of 1 op", each: 60, size: 1, method: "POST" },
  { name: "push of 100 ops", each: 6, size: 100, method: "POST" },
  { name: "push of 800 ops, 1 MB", each: 1, size: 800, method: "POST" },
  { name: "pull of 1 record", each: 80, size: 1, method: "GET" },
  { name: "pull of 100 records", each: 40, size: 100, method: "GET" },
  { name: "pull of 1,000 records, 1 MB", each: 6, size: 1_000, method: "GET" },
];

interface Cost {
  readonly wallMs: number;
  /** Of the server's process and of its PostgreSQL. */
  readonly cpuMs: number;
}

interface Bench {
  readonly child: ChildProcess;
  readonly full: string;
  readonly bare: string;
  readonly clients: readonly TestClient[];
  readonly server: Server;
  /** A namespace for each way, so that both find the same. */
  readonly namespaces: Readonly<Record<Way, NamespaceId>>;
}

type Way = "on" | "off";

const child = fork(fileURLToPath(new URL("auth/server.ts", import.meta.url)), {
  execArgv: ["--conditions=source", "--import", "tsx"],
});
try {
  await run(await prepare());
} finally {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.disconnect();
  await ended;
}

async function prepare(): Promise<Bench> {
  const told = await hear("full");
  const full = `http://127.0.0.1:${String(told.port)}`;
  const { secret } = told;
  const server: Server = {
    url: full,
    clock: { nowMs: () => Date.now() },
    setupSecret: async () => await Promise.resolve(secret),
    app: { fetch: async (request) => await fetch(request) },
  };
  const owner = await claimServer(server);
  const clients: TestClient[] = [];
  for (let lane = 0; lane < lanes; lane += 1) {
    const link = await owner.createLink({ kind: "device" });
    clients.push(await announced(server, await joinServer(server, link, `lane ${String(lane)}`)));
  }
  const bare = hear("bare");
  child.send(clients.map(({ admission }) => admission.device.id));
  const { port } = await bare;
  const [on, off] = [await owner.createNamespace("on"), await owner.createNamespace("off")];
  return {
    child,
    full,
    bare: `http://127.0.0.1:${String(port)}`,
    clients,
    server,
    namespaces: { on: on.id, off: off.id },
  };
}

/** The device with a token that says its proofs carry nonce, body and query, as the product's do. */
async function announced(server: Server, client: TestClient): Promise<TestClient> {
  const { device, admission } = client;
  const body = await assertionForm(server, device, {
    id: admission.device.id,
    claims: { proofs: ["nonce", "bh", "qh"] },
  });
  const granted = await askToken(server, device, { body });
  const { access_token: token } = (await granted.json()) as TokenAnswer;
  return createClient(server, { device, admission, token });
}

async function hear<Kind extends Told["kind"]>(kind: Kind): Promise<Told & { kind: Kind }> {
  return await new Promise((resolve, reject) => {
    child.once("exit", (code) => {
      reject(new Error(`the server ended with ${String(code)}`));
    });
    child.on("message", (told: Told) => {
      if (told.kind === kind) resolve(told as Told & { kind: Kind });
    });
  });
}

async function run(bench: Bench): Promise<void> {
  const costs = new Map(works.map(({ name }) => [name, { on: [] as Cost[], off: [] as Cost[] }]));
  // The first round warms both ways and is not counted; pulls find what its pushes left.
  for (let round = 0; round <= rounds; round += 1) {
    const ways: readonly Way[] = round % 2 === 0 ? ["on", "off"] : ["off", "on"];
    const turns = works.flatMap((work) => ways.map((way) => ({ work, way })));
    for (const { work, way } of turns) {
      const cost = await measure(bench, work, { way, round });
      if (round > 0) costs.get(work.name)?.[way].push(cost);
    }
  }
  tell(costs);
}

async function measure(
  bench: Bench,
  work: Work,
  { way, round }: { readonly way: Way; readonly round: number },
): Promise<Cost> {
  const nonce = await nonceOf(bench);
  const prepared = await Promise.all(
    bench.clients.map(async (client, lane) => {
      const bodies = bodiesOf(work, `${way}_${work.name.replaceAll(/\W/g, "")}_${round}_${lane}`);
      return await Promise.all(
        bodies.map(async (body) => await requestOf(bench, { work, way, client, body, nonce })),
      );
    }),
  );
  const before = cpuOf(bench);
  const started = performance.now();
  await Promise.all(
    prepared.map(async (requests) => {
      for (const request of requests) {
        const answer = await fetch(request);
        await answer.arrayBuffer();
        if (answer.status !== 200) throw new Error(`${work.name}: ${String(answer.status)}`);
      }
    }),
  );
  const count = lanes * work.each;
  return {
    wallMs: (performance.now() - started) / count,
    cpuMs: ((cpuOf(bench) - before) * 1000) / count,
  };
}

/** The bodies of one lane, each after the other's position; undefined for a pull. */
function bodiesOf(work: Work, writer: string): readonly (string | undefined)[] {
  const own = createTestWriter(writer);
  return Array.from({ length: work.each }, (_, at) => {
    if (work.method === "GET") return undefined;
    return own.body(
      Array.from({ length: work.size }, (__, op) => texts[(at + op) % texts.length] ?? ""),
    );
  });
}

async function requestOf(
  bench: Bench,
  made: {
    readonly work: Work;
    readonly way: Way;
    readonly client: TestClient;
    readonly body: string | undefined;
    readonly nonce: string;
  },
): Promise<Request> {
  const { work, way, client, body, nonce } = made;
  const { method } = work;
  const path = `/v1/namespaces/${bench.namespaces[way]}/${method === "POST" ? "ops" : "records"}`;
  const query = method === "GET" ? `limit=${String(work.size)}` : "";
  const hashOf = (text: string): string => Buffer.from(sha256(text)).toString("base64url");
  const hashes = { qh: hashOf(query), ...(body === undefined ? {} : { bh: hashOf(body) }) };
  const signed = await signedHeadersFor(bench.server, client, path, {
    method,
    proof: ({ header, claims }) => ({ header, claims: { ...claims, nonce, ...hashes } }),
  });
  return new Request((way === "on" ? bench.full : bench.bare) + path + (query && `?${query}`), {
    method,
    headers: {
      ...signed,
      [deviceHeader]: client.admission.device.id,
      "content-type": ndjsonType,
    },
    ...(body === undefined ? {} : { body }),
  });
}

async function nonceOf({ clients }: Bench): Promise<string> {
  const nonce = (await clients[0]?.send("/v1/hello"))?.headers.get(nonceHeader);
  if (nonce === null || nonce === undefined) throw new Error("there is no nonce");
  return nonce;
}

function cpuOf(bench: Bench): number {
  const { root, below } = treeCpu(bench.child.pid ?? 0);
  return root + below;
}

function tell(costs: ReadonlyMap<string, Readonly<Record<Way, readonly Cost[]>>>): void {
  const figures = [...costs].map(([name, { on, off }]) => {
    const cpu = {
      on: median(on.map(({ cpuMs }) => cpuMs)),
      off: median(off.map(({ cpuMs }) => cpuMs)),
    };
    const wall = {
      on: median(on.map(({ wallMs }) => wallMs)),
      off: median(off.map(({ wallMs }) => wallMs)),
    };
    return { name, cpu, wall, lostOfCpu: 1 - cpu.off / cpu.on, lostOfWall: 1 - wall.off / wall.on };
  });
  report.table({
    title: `${lanes} devices at once, medians of ${rounds} rounds by turns; milliseconds a request`,
    columns: ["", "CPU, checks on", "off", "lost", "wall, checks on", "off", "lost"],
    rows: figures.map(({ name, cpu, wall, lostOfCpu, lostOfWall }) => [
      name,
      cpu.on.toFixed(2),
      cpu.off.toFixed(2),
      share(lostOfCpu),
      wall.on.toFixed(2),
      wall.off.toFixed(2),
      share(lostOfWall),
    ]),
  });
  for (const { name, lostOfCpu } of figures) {
    report.verdict({
      what: `throughput by CPU time that checks take of a ${name}`,
      figure: lostOfCpu * 100,
      target: lossMax * 100,
      unit: "%",
      isMet: lostOfCpu <= lossMax,
    });
  }
  report.print(figures);
}

function share(part: number): string {
  return `${(part * 100).toFixed(0)} %`;
}
