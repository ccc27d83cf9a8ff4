import { emptyDigest, fail, limits, ok, type NamespaceId, type RecordId } from "@tidemark/protocol";
import { ndjsonType, problemType } from "@tidemark/protocol/wire";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { Credentials } from "./access/auth.ts";
import { createHttpTransport } from "./http-transport.ts";
import { createCaller } from "./http/caller.ts";
import type { Network, NetworkRequest } from "./http/network.ts";
import { syncLimits } from "./sync-limits.ts";
import { createVirtualTime, type VirtualTime } from "./testing/virtual-time.ts";
import {
  cancelled,
  type Answer,
  type PokeEvent,
  type PullAnswer,
  type Transport,
} from "./transport.ts";

const namespace = "ns_1" as NamespaceId;
const never = new AbortController().signal;
const chain = "0".repeat(64);
const position = { acked: 1, chain, since: 0, results: [] };
const tail = JSON.stringify({
  head: 2,
  mark: "m",
  lamport: 3,
  cursor: "c",
  more: false,
  digest: emptyDigest,
  count: 1,
  position,
  writers: [],
});
const record = (seq: number): string =>
  JSON.stringify({
    seq,
    id: "r1",
    collection: "observation",
    lamport: 1,
    writer: "w",
    at: 1,
    fields: { title: "x" },
  });

let time: VirtualTime;
let requests: NetworkRequest[];
let respond: (request: NetworkRequest) => Promise<Response>;
let transport: Transport;

beforeEach(() => {
  time = createVirtualTime();
  requests = [];
  respond = () => Promise.resolve(new Response("", { status: 500 }));
  transport = transportWith({});
});

function transportWith(given: {
  credentials?: Credentials;
  isPacking?: boolean;
  network?: Network;
}): Transport {
  const caller = createCaller({
    serverUrl: "https://tidemark.example",
    network: given.network ?? {
      send: (request) => {
        requests.push(request);
        return respond(request);
      },
    },
    timers: time,
    ...(given.credentials === undefined ? {} : { credentials: given.credentials }),
    ...(given.isPacking === true
      ? { gzip: { compress: () => Promise.resolve(new Uint8Array([1, 2, 3])) } }
      : {}),
  });
  return createHttpTransport({ caller, timers: time });
}

function answerWith(
  body: ConstructorParameters<typeof Response>[0],
  type: string,
  init: ResponseInit = {},
): void {
  respond = () =>
    Promise.resolve(
      new Response(body, { status: 200, headers: { "content-type": type }, ...init }),
    );
}

function pull(signal = never): Promise<Answer<PullAnswer>> {
  return transport.pull(namespace, { writer: undefined, after: "" }, signal);
}

function problem(status: number, members: object, headers: Record<string, string> = {}): void {
  respond = () =>
    Promise.resolve(
      new Response(JSON.stringify({ type: "t", title: "T.", status, ...members }), {
        status,
        headers: { "content-type": problemType, ...headers },
      }),
    );
}

test("[EN29] of a request that this machine kept from leaving no timer stays", async () => {
  const refused = new Error("no space left");
  const credentials: Credentials = {
    headers: () => Promise.reject(refused),
    renew: () => Promise.reject(refused),
    keepNonce: () => undefined,
  };
  transport = transportWith({ credentials });
  const beganAtMs = time.nowMs();
  await expect(pull()).rejects.toBe(refused);
  await expect(time.until(new Promise(() => undefined))).rejects.toThrow("nothing happens");
  expect(time.nowMs()).toBe(beganAtMs);
});

test("a good page is read whole", async () => {
  answerWith(`${record(1)}\n${tail}\n`, ndjsonType);
  const page = await pull();
  expect(page.ok && page.value.records.map(({ seq }) => seq)).toEqual([1]);
  expect(page.ok && page.value.tail.cursor).toBe("c");
});

describe("[WR31] what is not a whole page is no page", () => {
  const cases: Readonly<Record<string, readonly [body: string, type: string, code: string]>> = {
    "a captive portal": ["<html>Please sign in</html>", "text/html", "not-tidemark"],
    "another program's JSON": ['{"status":"ok"}', "application/json", "not-tidemark"],
    "no content type": ["", "", "not-tidemark"],
    "an empty body": ["", ndjsonType, "garbled"],
    "a body cut after a record": [`${record(1)}\n`, ndjsonType, "garbled"],
    "a body cut in the last line": [`${record(1)}\n${tail.slice(0, 40)}`, ndjsonType, "garbled"],
    "a last line without its line feed": [`${record(1)}\n${tail}`, ndjsonType, "garbled"],
    "a line that is no record": [`{"seq":1}\n${tail}\n`, ndjsonType, "garbled"],
    "a record without seq": [
      `{"id":"r","collection":"c","forgotten":true}\n${tail}\n`,
      ndjsonType,
      "garbled",
    ],
    "seqs out of order": [`${record(2)}\n${record(1)}\n${tail}\n`, ndjsonType, "garbled"],
    "a last line of another shape": [`${record(1)}\n{"more":false}\n`, ndjsonType, "garbled"],
    "an empty line": [`\n${tail}\n`, ndjsonType, "garbled"],
  };
  for (const [name, [body, type, code]] of Object.entries(cases)) {
    test(name, async () => {
      answerWith(body, type);
      expect(await pull()).toMatchObject({ ok: false, error: { family: "retry", code } });
    });
  }
});

test("[WR31] whatever the bytes, a pull gives a page or a failure and never throws", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 400 }),
      fc.constantFrom(200, 204, 206, 302, 400, 401, 404, 409, 500, 503),
      fc.constantFrom(ndjsonType, "application/json", problemType, "text/html"),
      async (bytes, status, type) => {
        const body = [204, 304].includes(status) ? null : Uint8Array.from(bytes);
        respond = () =>
          Promise.resolve(new Response(body, { status, headers: { "content-type": type } }));
        expect((await pull()).ok).toBe(false);
      },
    ),
    { numRuns: 300, seed: 7 },
  );
});

test("[WR31] a page cut anywhere is refused", async () => {
  const body = `${record(1)}\n${record(2)}\n${tail}\n`;
  for (let length = 0; length < body.length; length += 1) {
    answerWith(body.slice(0, length), ndjsonType);
    expect((await pull()).ok, `cut at ${String(length)}`).toBe(false);
  }
});

test("[WR31] a body that breaks off in the middle is a failure to retry", async () => {
  const stream = new ReadableStream({
    pull(controller) {
      controller.error(new Error("reset"));
    },
  });
  answerWith(stream, ndjsonType);
  expect(await pull()).toMatchObject({ ok: false, error: { family: "retry", code: "garbled" } });
});

test("[WR33] an answer larger than any honest one is not read to its end", async () => {
  let sent = 0;
  const stream = new ReadableStream({
    pull(controller) {
      sent += 1_048_576;
      controller.enqueue(new Uint8Array(1_048_576).fill(65));
    },
  });
  answerWith(stream, ndjsonType);
  expect(await pull()).toMatchObject({ ok: false, error: { code: "answer-too-large" } });
  expect(sent).toBeLessThanOrEqual(syncLimits.pageAnswerBytesMax + 3 * 1_048_576);
});

test("[HL40] a bucket is asked for in pages; an older server gives all and says nothing of more", async () => {
  const list = (...names: readonly string[]): unknown[] => names.map((name) => [name, emptyDigest]);
  const ask = (after?: string) =>
    transport.bucket(namespace, { bucket: 7, after: after as RecordId | undefined }, never);
  const all = { records: list("b", "a") };
  answerWith(JSON.stringify(all), "application/json");
  expect(await ask()).toEqual(ok(all));
  const page = { records: list("a", "b"), more: true };
  answerWith(JSON.stringify(page), "application/json");
  expect(await ask("Z")).toEqual(ok(page));
  expect(requests.map(({ url }) => new URL(url).search)).toEqual([
    `?bucket=7&limit=${String(limits.bucketRecordsMax)}`,
    `?bucket=7&limit=${String(limits.bucketRecordsMax)}&after=Z`,
  ]);
});

test("[HL40] a page that does not lead on is garbled: nobody is asked without end", async () => {
  const ask = () => transport.bucket(namespace, { bucket: 7, after: "m" as RecordId }, never);
  for (const names of [[], ["m"], ["a", "z"], ["n", "n"], ["z", "n"]]) {
    const records = names.map((name) => [name, emptyDigest]);
    answerWith(JSON.stringify({ records, more: true }), "application/json");
    expect(await ask()).toMatchObject({ ok: false, error: { code: "garbled" } });
  }
});

test("[HL40] the longest page is one that clients take", async () => {
  const longest = ["x".repeat(limits.idMax), emptyDigest];
  const records = Array.from({ length: limits.bucketRecordsMax }, () => longest);
  const bytes = JSON.stringify({ records, more: true }).length;
  expect(bytes).toBeLessThan(syncLimits.answerBytesMax / 2);
});

test("[WR30] a problem document says the family, the code and the delay", async () => {
  problem(503, { code: "unavailable", family: "retry", retryAfterMs: 1_500 });
  expect(await pull()).toMatchObject({
    ok: false,
    error: { family: "retry", code: "unavailable", retryAfterMs: 1_500 },
  });
  problem(409, { code: "history", family: "heal" });
  expect(await pull()).toMatchObject({ ok: false, error: { family: "heal", code: "history" } });
  problem(400, { code: "of-a-later-version", family: "upgrade" });
  expect(await pull()).toMatchObject({
    ok: false,
    error: { family: "upgrade", code: "of-a-later-version" },
  });
});

test("[WR30] a writer-position problem brings the position", async () => {
  problem(409, { code: "writer-position", family: "heal", ...position });
  const push = { header: { writer: "w" as never, after: 0, chain }, lines: ["{}"] };
  expect(await transport.push(namespace, push, never)).toMatchObject({
    ok: false,
    error: { code: "writer-position", position },
  });
});

test("[WR30] a refusal that is not ours is transient, and rare where it looks final", async () => {
  const refuse = (status: number, headers: Record<string, string> = {}): void => {
    respond = () => Promise.resolve(new Response("<html>", { status, headers }));
  };
  refuse(502, { "retry-after": "7" });
  expect(await pull()).toMatchObject({ error: { family: "retry", retryAfterMs: 7_000 } });
  refuse(302, { location: "http://portal.example" });
  expect(await pull()).toMatchObject({ error: { family: "retry", code: "redirected" } });
  refuse(404);
  expect(await pull()).toMatchObject({ error: { family: "reject", code: "http-404" } });
});

test("[WR30] no answer at all is unreachable", async () => {
  respond = () => Promise.reject(new TypeError("fetch failed"));
  expect(await pull()).toMatchObject({ error: { family: "retry", code: "unreachable" } });
});

test("[WR34] a silent server is given up after a while", async () => {
  respond = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")));
    });
  const startMs = time.nowMs();
  expect(await time.until(pull())).toMatchObject({ error: { code: "unreachable" } });
  expect(time.nowMs() - startMs).toBe(syncLimits.requestSilenceMsMax);
});

test("[WR34] a server that is silent to the token request is unreachable too, not cancelled", async () => {
  // As credentials do, which know of no other end of a signal than that its caller gave up.
  const untilGivenUp = (signal: AbortSignal): Promise<Answer<never>> =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(fail(cancelled)));
    });
  transport = transportWith({
    credentials: {
      headers: (_, signal) => untilGivenUp(signal),
      renew: (_, signal) => untilGivenUp(signal),
      keepNonce: () => undefined,
    },
  });
  expect(await time.until(pull())).toMatchObject({
    error: { family: "retry", code: "unreachable" },
  });
});

test("[WR34] a body that stalls is given up, one that trickles is not", async () => {
  const trickle = (pieces: readonly string[], isEnding: boolean): ReadableStream<Uint8Array> => {
    const left = pieces.slice();
    return new ReadableStream({
      async pull(controller) {
        await time.sleep(30_000, never);
        const piece = left.shift();
        if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
        else if (isEnding) controller.close();
      },
    });
  };
  answerWith(trickle([record(1), "\n", tail, "\n"], true), ndjsonType);
  expect(await time.until(pull())).toMatchObject({ ok: true });
  answerWith(trickle([record(1)], false), ndjsonType);
  expect(await time.until(pull())).toMatchObject({ error: { code: "garbled" } });
});

test("a cancelled request says so and nothing else", async () => {
  const controller = new AbortController();
  respond = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")));
    });
  const answer = pull(controller.signal);
  controller.abort();
  expect(await answer).toMatchObject({ error: { code: "cancelled" } });
});

test("[WR35] every request states its version; large bodies are packed, small ones are not", async () => {
  transport = transportWith({ isPacking: true });
  const push = (line: string): ReturnType<Transport["push"]> =>
    transport.push(
      namespace,
      { header: { writer: "w" as never, after: 0, chain }, lines: [line] },
      never,
    );
  await push("{}");
  await push("x".repeat(2_000));
  expect(requests.map(({ headers }) => headers["tidemark-protocol"])).toEqual(["1", "1"]);
  expect(requests.map(({ headers }) => headers["content-encoding"])).toEqual([undefined, "gzip"]);
  const text = `${JSON.stringify({ writer: "w", after: 0, chain })}\n{}\n`;
  expect(requests[0]?.body).toEqual(new TextEncoder().encode(text));
});

test("[EN24] a push tells when it goes to the network: packed, and before there is an answer", async () => {
  transport = transportWith({ isPacking: true });
  const seen: string[] = [];
  respond = (request) => {
    seen.push(`sent ${request.headers["content-encoding"]}`);
    return new Promise((resolve) => {
      setImmediate(() => {
        seen.push("answered");
        resolve(new Response("", { status: 500 }));
      });
    });
  };
  const header = { writer: "w" as never, after: 0, chain };
  const onSent = (): void => void seen.push("told");
  await transport.push(namespace, { header, lines: ["x".repeat(2_000)], onSent }, never);
  expect(seen).toEqual(["sent gzip", "told", "answered"]);
});

test("ids and cursors go into addresses escaped", async () => {
  await transport.pull("a/b" as NamespaceId, { writer: undefined, after: "x&y=z" }, never);
  await transport.revisions(namespace, "../x" as RecordId, never);
  expect(requests.map(({ url }) => url)).toEqual([
    "https://tidemark.example/v1/namespaces/a%2Fb/records?after=x%26y%3Dz",
    "https://tidemark.example/v1/namespaces/ns_1/records/..%2Fx/revisions",
  ]);
});

test("[AU52] a refused token is renewed once, and a second refusal is told", async () => {
  let renewals = 0;
  const credentials: Credentials = {
    keepNonce: () => undefined,
    headers: () => Promise.resolve(ok({ authorization: `DPoP ${String(renewals)}`, dpop: "p" })),
    renew: () => {
      renewals += 1;
      return Promise.resolve(ok(undefined));
    },
  };
  transport = transportWith({ credentials });
  problem(401, { code: "invalid-token", family: "auth" });
  expect(await pull()).toMatchObject({ error: { family: "auth", code: "invalid-token" } });
  expect(renewals).toBe(1);
  expect(requests.map(({ headers }) => headers["authorization"])).toEqual(["DPoP 0", "DPoP 1"]);
});

test("[PS33] the end of a push is held, also where it goes again for a nonce or a token", async () => {
  const ends: (Promise<void> | undefined)[] = [];
  const answers = ["use-dpop-nonce", "invalid-token", "unavailable"];
  const network: Network = {
    send: () => Promise.reject(new Error("it left whole")),
    sendHeld: async (request, end) => {
      problem(401, { code: answers[ends.length], family: "auth" });
      ends.push(end);
      return await respond(request);
    },
  };
  const credentials: Credentials = {
    keepNonce: () => undefined,
    headers: () => Promise.resolve(ok({ authorization: "DPoP t", dpop: "p" })),
    renew: () => Promise.resolve(ok(undefined)),
  };
  expect(transport.canHoldEnds).toBe(false);
  transport = transportWith({ network, credentials });
  expect(transport.canHoldEnds).toBe(true);
  const end = Promise.resolve();
  const header = { writer: "w" as never, after: 0, chain };
  await transport.push(namespace, { header, lines: ["{}"], end }, never);
  expect(ends).toHaveLength(3);
  expect(ends.every((each) => each === end)).toBe(true);
});

test("without a token nothing is sent", async () => {
  const error = { family: "auth", code: "device-revoked", title: "" } as const;
  const credentials: Credentials = {
    keepNonce: () => undefined,
    headers: () => Promise.resolve(fail(error)),
    renew: () => Promise.resolve(fail(error)),
  };
  transport = transportWith({ credentials });
  expect(await pull()).toEqual({ ok: false, error });
  expect(requests).toEqual([]);
});

test("limits of a later server are read, whatever their names", async () => {
  answerWith(
    JSON.stringify({
      protocol: { version: 1, oldest: 1 },
      features: ["x"],
      server: { id: "s", time: 1, version: "9" },
      limits: { ...limits, newLimit: 3 },
    }),
    "application/json",
  );
  expect(await transport.hello(never)).toMatchObject({ ok: true });
});

describe("pokes", () => {
  async function collect(body: ReadableStream<Uint8Array> | string): Promise<readonly PokeEvent[]> {
    answerWith(body, "text/event-stream");
    const events: PokeEvent[] = [];
    const all = (async () => {
      for await (const event of transport.pokes(never)) events.push(event);
    })();
    await time.until(all);
    return events;
  }

  test("pokes are read, whatever else the stream says", async () => {
    const poke = { namespace: "ns_1", head: 3 };
    const events = await collect(
      `: hello\n\nevent: poke\ndata: ${JSON.stringify(poke)}\n\nevent: poke\ndata: {broken\n\nevent: later\ndata: {}\n\n`,
    );
    expect(events).toMatchObject([{ kind: "open" }, { kind: "poke", poke }, { kind: "closed" }]);
  });

  test("[EN14] a stream that stays silent for 45 seconds is closed; pings keep it open", async () => {
    let pings = 0;
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await time.sleep(pings < 10 ? 20_000 : 1_000_000, never);
        pings += 1;
        controller.enqueue(new TextEncoder().encode(": ping\n\n"));
      },
    });
    const startMs = time.nowMs();
    expect(await collect(stream)).toMatchObject([{ kind: "open" }, { kind: "closed" }]);
    const silentMs = time.nowMs() - startMs - 200_000;
    expect(silentMs).toBeGreaterThanOrEqual(syncLimits.streamSilenceMsMax);
    expect(silentMs).toBeLessThanOrEqual(syncLimits.streamSilenceMsMax + 20_000);
  });

  test("[EN27] a flood of pokes is read at this side's own pace", async () => {
    const poke = `event: poke\ndata: ${JSON.stringify({ namespace: "ns_1", head: 3 })}\n\n`;
    const flood = new TextEncoder().encode(poke.repeat(400));
    let left = 40;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        left -= 1;
        controller.enqueue(flood);
        if (left === 0) controller.close();
      },
    });
    const startMs = time.nowMs();
    expect(await collect(body)).toHaveLength(40 * 400 + 2);
    expect(time.nowMs() - startMs).toBe(40 * syncLimits.pokeRestMs);
  });

  test("an endless event is given up", async () => {
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(10_000).fill(65));
      },
    });
    expect(await collect(stream)).toMatchObject([{ kind: "open" }, { kind: "closed" }]);
  });

  test("a page of another kind is no stream", async () => {
    answerWith("<html>", "text/html");
    const events: PokeEvent[] = [];
    for await (const event of transport.pokes(never)) events.push(event);
    expect(events).toMatchObject([{ kind: "closed", failure: { code: "not-tidemark" } }]);
  });
});
