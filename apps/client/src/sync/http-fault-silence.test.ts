/** The real transport before answers that never come or never end, and before poke streams. */
import { afterAll, afterEach, describe, expect, test } from "vitest";
import {
  bytesOf,
  createFaultyServer,
  faultyNamespace,
  goodPage as page,
  pageOf,
  streamOf,
} from "./testing/faulty-server.ts";

const never = new AbortController().signal;
// Every delay of the transport passes 400 times as fast: a minute is 150 ms.
const server = createFaultyServer(400);
afterEach(() => server.reset());
afterAll(() => server.close());

describe("[WR34] what stays silent is given up", () => {
  const cases: Readonly<Record<string, readonly [() => Response | Promise<never>, string]>> = {
    "no answer": [() => new Promise<never>(() => undefined), "unreachable"],
    "an answer without a body's first byte": [() => pageOf(streamOf([], "stays open")), "garbled"],
    "a whole page that is not ended": [
      () => pageOf(streamOf([bytesOf(page)], "stays open")),
      "garbled",
    ],
  };
  for (const [name, [answer, code]] of Object.entries(cases)) {
    test(name, async () => {
      server.answer(answer);
      const [, pulled] = await server.everyLane();
      expect(pulled).toMatchObject({ kind: "failed", failure: { family: "retry", code } });
      expect(server.taken()).toEqual([]);
    });
  }

  test("a refusal whose body stays open is still that refusal", async () => {
    server.answer(() => new Response(streamOf([], "stays open"), { status: 503 }));
    expect(await server.transport.hello(never)).toMatchObject({ error: { code: "http-503" } });
  });

  test("a page of another kind that stays open is not waited for", async () => {
    server.answer(
      () =>
        new Response(streamOf([bytesOf("<html>")], "stays open"), {
          headers: { "content-type": "text/html" },
        }),
    );
    expect(await server.transport.hello(never)).toMatchObject({ error: { code: "not-tidemark" } });
  });
});

describe("[EN14] a poke stream ends as one that closed, and what it said is heard", () => {
  const stream = { "content-type": "text/event-stream" };
  const poke = `event: poke\ndata: ${JSON.stringify({ namespace: faultyNamespace, head: 3 })}\n\n`;
  const streams: Readonly<Record<string, readonly [() => Response, pokes: number]>> = {
    "one that is silent from the start": [
      () => new Response(streamOf([], "stays open"), { headers: stream }),
      0,
    ],
    "one that falls silent": [
      () => new Response(streamOf([bytesOf(poke)], "stays open"), { headers: stream }),
      1,
    ],
    "one that is cut": [
      () =>
        new Response(streamOf([bytesOf(poke + poke.slice(0, 30))], "fails"), { headers: stream }),
      1,
    ],
    "one that is cut between two pokes": [
      () => new Response(streamOf([bytesOf(poke + poke)], "closes"), { headers: stream }),
      2,
    ],
    "a garbled one": [
      () => {
        const noise = `data\n\nevent: poke\ndata: {"namespace":7}\n\nevent: poke\ndata: [\n\n\0\n\n`;
        const chunks = [bytesOf(noise), Uint8Array.from([0xff, 0xfe, 10, 10]), bytesOf(poke)];
        return new Response(streamOf(chunks, "closes"), { headers: stream });
      },
      1,
    ],
    "one of nothing but one long line": [
      () =>
        new Response(streamOf([new Uint8Array(200_000).fill(65)], "stays open"), {
          headers: stream,
        }),
      0,
    ],
  };
  for (const [name, [answer, pokes]] of Object.entries(streams)) {
    test(name, async () => {
      server.answer(answer);
      const events = await server.pokes();
      expect(events[0]).toEqual({ kind: "open" });
      expect(events.filter(({ kind }) => kind === "poke")).toHaveLength(pokes);
      expect(events.at(-1)).toMatchObject({ kind: "closed", failure: { family: "retry" } });
    });
  }
});
