import { chainStart, limits, type NamespaceId, type WriterId } from "@tidemark/protocol";
import { problemSchema } from "@tidemark/protocol/wire";
import { beforeEach, expect, test } from "vitest";
import { quotaPreset } from "../../domain/quota.ts";
import { sha256 } from "../../platform/hash.ts";
import {
  claimServer,
  createTestWriter,
  outcome,
  push,
  type TestClient,
} from "../testing/client.ts";
import { bodyText, createHarness, type Harness } from "../testing/harness.ts";
import { createLineWriter, putLine, type LineWriter } from "../testing/line-writer.ts";

let harness: Harness;
let owner: TestClient;
let personal: NamespaceId;
let writer: LineWriter;

beforeEach(async () => {
  await serve({});
});

async function serve(given: Parameters<typeof createHarness>[0]): Promise<void> {
  harness = createHarness(given);
  owner = await claimServer(harness);
  personal = (await owner.hello()).namespaces?.[0]?.id ?? ("" as NamespaceId);
  writer = createLineWriter(owner, personal, "writer_a");
}

interface Standing {
  readonly head: number;
  readonly lamport: number;
  readonly count: number;
  readonly digest: unknown;
}

async function standing(): Promise<Standing> {
  const answer = await owner.send(`/v1/namespaces/${personal}/digests`);
  const { head, lamport, count, digest } = JSON.parse(await bodyText(answer)) as Standing;
  return { head, lamport, count, digest };
}

async function page(): Promise<string> {
  return await bodyText(await owner.send(`/v1/namespaces/${personal}/records?limit=1000`));
}

const title = '{"title":"one"}';
const numbers = ["0", "-1", "-0", "1.5", '"5"', "9007199254740992", "9223372036854775808", "1e400"];
const others = ["null", "true", "[]", "{}", '""', "NaN", "01", "0x10", "1_000"];

test.each([...numbers, ...others])(
  "[CK2] %s is no lamport: its op alone is refused (abuse 118)",
  async (lamport) => {
    const results = await writer.push([
      putLine(1, title),
      putLine(2, title, { lamport }),
      putLine(3, title),
    ]);
    expect(results).toEqual([{ n: 2, result: "rejected", code: "invalid" }]);
    expect(await standing()).toMatchObject({ count: 2, lamport: 3 });
  },
);

test("[CK3] a lamport at the bound is taken, one above it takes nothing (abuse 118)", async () => {
  const far = (n: number, lamport: number): string =>
    putLine(n, title, { lamport: String(lamport) });
  expect(await writer.push([far(1, 1)])).toEqual([]);
  const before = await standing();
  for (const lamport of [3, 4, 2 ** 52, limits.lamportMax]) {
    await expect(writer.push([far(2, lamport)])).rejects.toThrow("lamport-too-far");
  }
  // One beside good ones fails them as well: none of their numbers is used up.
  await expect(writer.push([far(2, 2), far(3, 4)])).rejects.toThrow("lamport-too-far");
  expect(await standing()).toEqual(before);
  expect(writer.next()).toBe(2);
  expect(await writer.push([far(2, 2)])).toEqual([]);
  const rejected = [{ n: 3, result: "rejected", code: "invalid" }];
  expect(await writer.push([putLine(3, "[]")])).toEqual(rejected);
  expect(await writer.push([far(4, 4)])).toEqual([]);
});

test("[CK6] no heal runs a namespace's clock away (abuse 118)", async () => {
  await writer.push([putLine(1, title)]);
  const heal = async (lamport: number, lines: readonly string[]): Promise<Response> =>
    await owner.send(`/v1/namespaces/${personal}/heal`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: `${[JSON.stringify({ lamport, want: [] }), ...lines].join("\n")}\n`,
    });
  await heal(limits.lamportMax, []);
  const { lamport } = await standing();
  expect(lamport).toBeLessThanOrEqual(1 + limits.healLamportRaiseMax);
  const state = {
    id: "far",
    collection: "observation",
    fields: { title: "far" },
    at: 1,
    lamport: limits.lamportMax,
    writer: "writer_b",
  };
  const answer = await bodyText(await heal(1, [JSON.stringify(state)]));
  expect(answer).toContain('"refused":[{"id":"far"');
  expect(await page()).not.toContain('"far"');
});

test.each(["0", "-1", "2.5", '"2"', "1", "3", "1e400", "null"])(
  "[OP3] a line that calls itself %s in the second place is refused (abuse 119)",
  async (n) => {
    const results = await writer.push([putLine(1, title), putLine(2, title, { n })]);
    expect(results).toEqual([{ n: 2, result: "rejected", code: "invalid" }]);
    expect(await standing()).toMatchObject({ count: 1 });
  },
);

test("[PS1] a gap, a step back and other words at the same place store nothing, and tell the place (abuse 119, 126)", async () => {
  const honest = createTestWriter("writer_b");
  const first = honest.body(["one", "two"]);
  const second = honest.body(["three"]);
  expect((await push(owner, personal, first)).status).toBe(200);
  const before = await standing();
  const [header = "", one = "", two = ""] = first.split("\n");
  const hostile: readonly (readonly [string, string])[] = [
    ["a gap", JSON.stringify({ ...JSON.parse(header), after: 1_000 })],
    ["a chain of nobody", JSON.stringify({ ...JSON.parse(header), after: 2 })],
    ["a step back", JSON.stringify({ ...JSON.parse(second.split("\n")[0] ?? ""), after: 1 })],
  ];
  for (const [, text] of hostile) {
    const refused = await push(owner, personal, `${text}\n${one}\n`);
    const problem = problemSchema.parse(JSON.parse(await bodyText(refused)));
    expect(problem).toMatchObject({ code: "writer-position", acked: 2, since: 0 });
  }
  for (const lines of [[two, one], [one], [one, two.replace("two", "2")], [one, two, one]]) {
    await push(owner, personal, `${[header, ...lines].join("\n")}\n`);
    expect(await standing()).toEqual(before);
  }
  for (const after of [-1, 1.5, 2 ** 53, "2", null]) {
    const text = JSON.stringify({ ...JSON.parse(header), after });
    expect(await outcome(await push(owner, personal, `${text}\n${one}\n`))).toBe("400 invalid");
  }
  expect(await standing()).toEqual(before);
  expect((await push(owner, personal, second)).status).toBe(200);
});

test("[PS1] the chain of another writer opens nothing (abuse 126)", async () => {
  await push(owner, personal, createTestWriter("writer_b").body(["one"]));
  const header = {
    writer: "writer_c",
    after: 0,
    chain: chainStart(sha256, "writer_b" as WriterId),
  };
  const body = `${JSON.stringify(header)}\n${putLine(1, title)}\n`;
  expect(await outcome(await push(owner, personal, body))).toBe("409 writer-position");
  expect(await standing()).toMatchObject({ count: 1 });
});

test("[PS1] the same push again changes nothing, a put of what is there merges, what is forgotten stays so (abuse 120)", async () => {
  const body = createTestWriter("writer_b").body(["one"]);
  expect((await push(owner, personal, body)).status).toBe(200);
  const before = await standing();
  expect(await outcome(await push(owner, personal, body))).toBe("409 writer-position");
  expect(await standing()).toEqual(before);
  const record = '"writer_b-record-1"';
  const results = await writer.push([
    putLine(1, '{"title":"two"}', { record, lamport: "2" }),
    putLine(2, '"-"', { record, op: '"forget"', lamport: "3" }),
    putLine(3, title, { record, lamport: "4" }),
    putLine(4, title, { record, op: '"set"', base: '{"title":null}', lamport: "5" }),
  ]);
  expect(results).toEqual([
    { n: 1, result: "conflict" },
    { n: 3, result: "forgotten" },
    { n: 4, result: "forgotten" },
  ]);
  expect(await page()).not.toContain('"title":"one"');
});

test.each([
  ["0", "stored"],
  ["-62135596800000", "invalid"],
  ["253402300799999", "stored"],
  ["1e400", "invalid"],
  ["1.5", "invalid"],
  ['"2026-01-01"', "invalid"],
  ["null", "invalid"],
])("[CK1] a time of %s is %s, and orders nothing (abuse 121)", async (at, answer) => {
  const record = '"record_timed"';
  await writer.push([putLine(1, '{"title":"early"}', { record })]);
  const results = await writer.push([
    putLine(2, '{"title":"odd"}', { record, at }),
    putLine(3, '{"title":"late"}', { record, at: "1" }),
  ]);
  expect(results.some(({ result }) => result === "rejected")).toBe(answer === "invalid");
  expect(await page()).toContain('"fields":{"title":"late"}');
});

test.each([
  ["an id of many bytes", { record: JSON.stringify("é".repeat(5_000)) }, "invalid"],
  ["an id that is too long", { record: JSON.stringify("r".repeat(65)) }, "invalid"],
  ["a collection of many bytes", { collection: JSON.stringify("漢".repeat(4_000)) }, "invalid"],
  ["a word of 3,000 letters", { fields: JSON.stringify({ title: "w".repeat(3_000) }) }, "stored"],
  ["a narrative of a MiB", { fields: JSON.stringify({ a: "n".repeat(900_000) }) }, "too-large"],
  ["bytes beyond characters", { fields: JSON.stringify({ a: "漢".repeat(21_900) }) }, "too-large"],
])("[PS5] %s never harms the ops beside it (abuse 122)", async (_, change, answer) => {
  const results = await writer.push([
    putLine(1, title),
    putLine(2, title, change),
    putLine(3, title),
  ]);
  const refused = { n: 2, result: "rejected", code: answer };
  expect(results).toEqual(answer === "stored" ? [] : [refused]);
  expect(await standing()).toMatchObject({ count: answer === "stored" ? 3 : 2 });
});

test("[PS5] one op of each wrong kind among five hundred: all others are stored (abuse 123)", async () => {
  const wrong: readonly string[] = [
    "",
    "null",
    "{",
    "{}",
    "[".repeat(5_000),
    putLine(0, title),
    "x".repeat(limits.opBytesMax + 1),
  ];
  const lines = Array.from({ length: 500 }, (_, at) =>
    at % 70 === 0 ? (wrong[at / 70] ?? "{}") : putLine(at + 1, title),
  );
  const refused = Array.from({ length: 8 }, (_, at) => at * 70 + 1);
  const results = await writer.push(lines);
  expect(results.map(({ n }) => n)).toEqual(refused);
  expect(await standing()).toMatchObject({ count: 500 - refused.length });
});

test("[QT1, QT2] over its quota a namespace takes nothing more, gives everything and forgets (abuse 125)", async () => {
  await serve({ quota: { ...quotaPreset, recordsMax: 2, bytesMax: 1_000_000 } });
  const lines = [1, 2, 3].map((n) => putLine(n, title));
  expect(await writer.push(lines)).toEqual([{ n: 3, result: "rejected", code: "quota" }]);
  expect(await page()).toContain("record_2");
  const forget = putLine(4, '"-"', { record: '"record_1"', op: '"forget"' });
  expect(await writer.push([forget, putLine(5, title)])).toEqual([]);
  expect(await standing()).toMatchObject({ count: 3 });
});
