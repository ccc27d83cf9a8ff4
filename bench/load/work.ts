// Devices that push and pull, each one request after the other, and the same requests to a bare
// server that gives the same bytes.
import { Agent, request } from "node:http";
import {
  createTestWriter,
  signedHeadersFor,
  type Server,
  type TestClient,
} from "../../apps/server/src/http/testing/client.ts";
import type { NamespaceId } from "../../packages/protocol/src/index.ts";
import { ndjsonType } from "../../packages/protocol/src/wire/index.ts";

/** A request that is signed and waits to be sent. */
export interface Prepared {
  readonly method: "POST" | "GET";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a phase took. */
export interface Phase {
  readonly seconds: number;
  /** Milliseconds of each request, from before it was sent until its last byte came. */
  readonly latenciesMs: readonly number[];
  /** The last answer. */
  readonly answer: Buffer;
}

/** So many pushes of `ops` new observations for each device, one after the other's position. */
export async function preparePushes(
  world: {
    readonly server: Server;
    readonly devices: readonly TestClient[];
    readonly namespace: NamespaceId;
  },
  size: { readonly rounds: number; readonly ops: number },
  texts: readonly string[],
): Promise<readonly (readonly Prepared[])[]> {
  const path = `/v1/namespaces/${world.namespace}/ops`;
  return await Promise.all(
    world.devices.map(async (client, lane) => {
      const writer = createTestWriter(`load_${String(lane)}`);
      const bodies = Array.from({ length: size.rounds }, (_, round) =>
        writer.body(
          Array.from({ length: size.ops }, (__, op) => texts[(round + op) % texts.length] ?? ""),
        ),
      );
      return await Promise.all(
        bodies.map(async (body): Promise<Prepared> => {
          const signed = await signedHeadersFor(world.server, client, path, { method: "POST" });
          const headers = { ...signed, "content-type": ndjsonType, ...network(lane) };
          return { method: "POST", path, headers, body };
        }),
      );
    }),
  );
}

/** So many pulls of a page for each device. */
export async function preparePulls(
  world: {
    readonly server: Server;
    readonly devices: readonly TestClient[];
    readonly namespace: NamespaceId;
  },
  size: { readonly rounds: number; readonly records: number },
): Promise<readonly (readonly Prepared[])[]> {
  const path = `/v1/namespaces/${world.namespace}/records?limit=${String(size.records)}`;
  return await Promise.all(
    world.devices.map(async (client, lane) =>
      Promise.all(
        Array.from({ length: size.rounds }, async (): Promise<Prepared> => {
          const signed = await signedHeadersFor(world.server, client, path);
          return { method: "GET", path, headers: { ...signed, ...network(lane) }, body: "" };
        }),
      ),
    ),
  );
}

/** The same bytes to a bare server. */
export function toBare(
  lanes: readonly (readonly Prepared[])[],
  kind: "push" | "pull",
): readonly (readonly Prepared[])[] {
  return lanes.map((lane) => lane.map((each) => ({ ...each, path: `/${kind}` })));
}

/** Sends each lane's requests one after the other, all lanes at once; throws on an error. */
export async function runLanes(
  port: number,
  lanes: readonly (readonly Prepared[])[],
): Promise<Phase> {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes.length });
  const latenciesMs: number[] = [];
  let answer: Buffer = Buffer.alloc(0);
  const started = performance.now();
  await Promise.all(
    lanes.map(async (lane) => {
      for (const prepared of lane) {
        const sent = performance.now();
        answer = await sendTo(port, agent, prepared);
        latenciesMs.push(performance.now() - sent);
      }
    }),
  );
  agent.destroy();
  return { seconds: (performance.now() - started) / 1000, latenciesMs, answer };
}

async function sendTo(port: number, agent: Agent, prepared: Prepared): Promise<Buffer> {
  const { method, path, body } = prepared;
  const length = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const headers = { ...prepared.headers, ...length };
  return await new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, agent, method, path, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.once("end", () => {
        const whole = Buffer.concat(parts);
        if (answer.statusCode === 200) resolve(whole);
        else reject(new Error(`${method} ${path}: ${String(answer.statusCode)} ${String(whole)}`));
      });
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

function network(lane: number): Readonly<Record<string, string>> {
  return { "x-forwarded-for": `10.200.${String(lane >> 8)}.${String(lane % 256)}` };
}
