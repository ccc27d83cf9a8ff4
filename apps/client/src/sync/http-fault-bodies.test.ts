/** The real transport before bodies that break off, never end, or are not what they say. */
import { gzipSync } from "node:zlib";
import { HttpResponse } from "msw";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { syncLimits } from "./sync-limits.ts";
import {
  bytesOf,
  createFaultyServer,
  faultyNamespace,
  goodPage as page,
  pageOf,
  pageTail,
  recordLine,
  streamOf,
} from "./testing/faulty-server.ts";

const never = new AbortController().signal;
const server = createFaultyServer();
afterEach(() => server.reset());
afterAll(() => server.close());

/** A pull over this answer is a failure to try again, and the store is given nothing. */
async function expectNoPage(code = "garbled"): Promise<void> {
  const [, pulled] = await server.everyLane();
  expect(pulled).toMatchObject({ kind: "failed", failure: { family: "retry", code } });
  expect(server.taken()).toEqual([]);
}

test("a whole page is taken, so that the tests below can fail", async () => {
  server.answer(() => pageOf(page));
  const [, pulled] = await server.everyLane();
  expect(pulled).toMatchObject({ kind: "pull-answered" });
  expect(server.taken()).toEqual(["takePage ns_1"]);
});

describe("[WR31] a page that is not whole is not taken", () => {
  const half = page.slice(0, page.length / 2);
  const packed = gzipSync(page);
  const gzip = { "content-encoding": "gzip" };
  const cases: Readonly<Record<string, () => Response>> = {
    "cut in half": () => pageOf(half),
    "cut in half, with the length of the whole": () =>
      pageOf(half, { "content-length": String(page.length) }),
    "without its last line": () => pageOf(`${recordLine(1)}\n${recordLine(2)}\n`),
    "cut before the last line feed": () => pageOf(page.slice(0, -1)),
    "reset after the last line": () => pageOf(streamOf([bytesOf(page)], "fails")),
    "reset in the middle": () => pageOf(streamOf([bytesOf(half)], "fails")),
    "cut in the middle of a character": () =>
      pageOf(streamOf([bytesOf('{"id":"ü').slice(0, -1)], "closes")),
    empty: () => pageOf(""),
    "of bytes that are no text": () =>
      pageOf(streamOf([Uint8Array.from([0xff, 0xfe, 0x00])], "closes")),
    "packed, and cut in half": () =>
      pageOf(streamOf([packed.subarray(0, packed.length / 2)], "closes"), gzip),
    "said to be packed, but plain": () => pageOf(page, gzip),
    "packed, with damage in the middle": () => {
      const damaged = Uint8Array.from(packed);
      damaged.fill(0, 40, 60);
      return pageOf(streamOf([damaged], "closes"), gzip);
    },
  };
  for (const [name, answer] of Object.entries(cases)) {
    test(name, async () => {
      server.answer(answer);
      await expectNoPage();
    });
  }
});

describe("[WR43] a page of lines that no honest one has is not taken", () => {
  const { lineBytesMax, linesMax } = syncLimits;
  const cases: Readonly<Record<string, string>> = {
    "a last line of arrays in arrays": `${"[".repeat(200_000)}${"]".repeat(200_000)}\n`,
    "a record of arrays in arrays": `${recordLine(1).replace('"t1"', "[".repeat(200_000) + "]".repeat(200_000))}\n${pageTail}\n`,
    "a line that is too long": `${recordLine(1)}${" ".repeat(lineBytesMax)}\n${pageTail}\n`,
    "too many lines": `${Array.from({ length: linesMax }, (_, at) => recordLine(at + 1)).join("\n")}\n${pageTail}\n`,
    "lines of nothing": "\n".repeat(4_000_000),
  };
  for (const [name, body] of Object.entries(cases)) {
    test(name, async () => {
      server.answer(() => pageOf(body));
      await expectNoPage();
    });
  }

  test("as long and as many as they may be, they are taken", async () => {
    const records = Array.from({ length: linesMax - 1 }, (_, at) => recordLine(at + 1));
    const room = lineBytesMax - recordLine(linesMax - 1).length;
    server.answer(() => pageOf(`${records.join("\n")}${" ".repeat(room)}\n${pageTail}\n`));
    const [, pulled] = await server.everyLane();
    expect(pulled).toMatchObject({ kind: "pull-answered" });
  });
});

describe("[WR31] JSON that is not whole is no answer", () => {
  const whole = JSON.stringify({
    ...(JSON.parse(pageTail) as object),
    position: { acked: 2, chain: "0".repeat(64), since: 0, results: [] },
    results: [],
  });
  const json = { "content-type": "application/json" };
  const cases: Readonly<Record<string, () => Response>> = {
    "cut in half": () => new HttpResponse(whole.slice(0, whole.length / 2), { headers: json }),
    "another program's": () => HttpResponse.json({ status: "ok" }),
    "a list": () => HttpResponse.json([]),
    "no JSON at all": () => new HttpResponse("<html>", { headers: json }),
    "reset in the middle": () =>
      new Response(streamOf([bytesOf(whole)], "fails"), { headers: json }),
    "a problem document with status 200": () =>
      new HttpResponse('{"code":"forbidden"}', {
        headers: { "content-type": "application/problem+json" },
      }),
  };
  test("whole, it is taken", async () => {
    server.answer(() => new HttpResponse(whole, { headers: json }));
    const [pushed] = await server.everyLane();
    expect(pushed).toMatchObject({ kind: "push-answered", outcome: { kind: "taken" } });
  });
  for (const [name, answer] of Object.entries(cases)) {
    test(name, async () => {
      server.answer(answer);
      const answers = await server.everyCall();
      for (const [call, given] of Object.entries(answers)) {
        expect({ call, given }).toMatchObject({ given: { ok: false, error: { family: "retry" } } });
      }
      await server.everyLane();
      expect(server.taken()).toEqual([]);
    });
  }
});

describe("[WR33] a body without end is read up to a limit", () => {
  const limits = [
    ["hello", "application/json", syncLimits.answerBytesMax],
    ["pull", "application/x-ndjson", syncLimits.pageAnswerBytesMax],
  ] as const;
  for (const [call, type, bytesMax] of limits) {
    test(`of ${call}`, async () => {
      let sent = 0;
      const chunk = new Uint8Array(1_048_576).fill(65);
      server.answer(() => {
        const body = new ReadableStream<Uint8Array>({
          pull: (controller) => {
            sent += chunk.byteLength;
            controller.enqueue(chunk);
          },
        });
        return new Response(body, { headers: { "content-type": type } });
      });
      const answer =
        call === "hello"
          ? await server.transport.hello(never)
          : await server.transport.pull(faultyNamespace, { writer: undefined, after: "" }, never);
      expect(answer).toMatchObject({
        ok: false,
        error: { family: "bug", code: "answer-too-large" },
      });
      expect(sent).toBeGreaterThan(bytesMax);
      expect(sent).toBeLessThanOrEqual(bytesMax + 8 * chunk.byteLength);
    });
  }

  test("of a small packed body that is a large one unpacked", async () => {
    const bomb = gzipSync(Buffer.alloc(2 * syncLimits.pageAnswerBytesMax, 65));
    expect(bomb.length).toBeLessThan(100_000);
    server.answer(() => pageOf(streamOf([bomb], "closes"), { "content-encoding": "gzip" }));
    const [, pulled] = await server.everyLane();
    expect(pulled).toMatchObject({ kind: "failed", failure: { code: "answer-too-large" } });
    expect(server.taken()).toEqual([]);
  });

  test("of a refusal", async () => {
    server.answer(
      () =>
        new Response(
          new ReadableStream({
            pull: (controller) => {
              controller.enqueue(new Uint8Array(1_048_576).fill(65));
            },
          }),
          { status: 502 },
        ),
    );
    expect(await server.transport.hello(never)).toMatchObject({ error: { code: "http-502" } });
  });
});
