import { limits, type NamespaceId } from "@tidemark/protocol";
import { ndjsonType } from "@tidemark/protocol/wire";
import { beforeAll, expect, test } from "vitest";
import { createSecretCheck } from "../../platform/secret-look/secret-check.ts";
import { ask, claimServer, outcome, push, type TestClient } from "../testing/client.ts";
import { bodyText, createHarness, type Harness } from "../testing/harness.ts";
import { createLineWriter, putLine, type LineWriter } from "../testing/line-writer.ts";

let harness: Harness;
let owner: TestClient;
let personal: NamespaceId;
let writers = 0;

beforeAll(async () => {
  harness = createHarness({ secrets: createSecretCheck() });
  owner = await claimServer(harness);
  personal = (await owner.hello()).namespaces?.[0]?.id ?? ("" as NamespaceId);
});

function newWriter(): LineWriter {
  writers += 1;
  return createLineWriter(owner, personal, `writer_${writers}`);
}

async function recordCount(): Promise<number> {
  const answer = await owner.send(`/v1/namespaces/${personal}/digests`);
  return (JSON.parse(await bodyText(answer)) as { count: number }).count;
}

/** Pushes one line with these fields between two good ones; gives the line's code. */
async function codeOf(fields: string, change: Readonly<Record<string, string>> = {}) {
  const before = await recordCount();
  const writer = newWriter();
  const id = (n: number): object => ({ record: `"text_${writers}_${n}"`, lamport: "1" });
  const good = '{"title":"good"}';
  const results = await writer.push([
    putLine(1, good, { ...id(1) }),
    putLine(2, fields, { ...id(2), ...change }),
    putLine(3, good, { ...id(3) }),
  ]);
  const stored = (await recordCount()) - before;
  if (results.length === 0 && stored === 3) return "stored";
  const [result] = results;
  expect(results).toHaveLength(1);
  expect(result).toMatchObject({ n: 2, result: "rejected" });
  expect(stored).toBe(2);
  return result?.result === "rejected" ? result.code : undefined;
}

const json = { "content-type": "application/json" };

async function create(body: string | Uint8Array): Promise<string> {
  // Thirty a minute are taken.
  harness.clock.advance(2_001);
  return await outcome(await owner.send("/v1/namespaces", { method: "POST", headers: json, body }));
}

async function heal(lines: readonly string[]): Promise<readonly object[]> {
  const header = JSON.stringify({ lamport: 1, want: [] });
  const sending = {
    method: "POST",
    headers: { "content-type": ndjsonType },
    body: `${[header, ...lines].join("\n")}\n`,
  };
  const answer = await bodyText(await owner.send(`/v1/namespaces/${personal}/heal`, sending));
  const tail = answer.trimEnd().split("\n").at(-1) ?? "";
  return (JSON.parse(tail) as { refused: readonly object[] }).refused;
}

const nests: readonly (readonly [string, (depth: number) => string])[] = [
  ["arrays", (depth) => "[".repeat(depth) + "]".repeat(depth)],
  ["objects", (depth) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`],
  ["both", (depth) => `${'[{"a":'.repeat(depth)}1${"}]".repeat(depth)}`],
];

test.each(nests)(
  "[WR1] %s deeper than a value may be are refused at any depth (abuse 111)",
  async (_, nest) => {
    expect(await codeOf(`{"title":${nest(4)}}`)).toBe("stored");
    for (const depth of [33, 5_000, 10_000]) {
      const fields = `{"title":${nest(depth)}}`;
      const code = fields.length > limits.opBytesMax - 200 ? "too-large" : "invalid";
      expect(await codeOf(fields)).toBe(code);
    }
    for (const depth of [33, 5_000]) {
      expect(await create(`{"name":${nest(depth)}}`)).toBe("400 invalid");
      expect(await create(`{"later":${nest(depth)}}`)).toBe("400 invalid");
      expect(await outcome(await push(owner, personal, `${nest(depth)}\n`))).toBe("400 invalid");
    }
    // A heal's line may be long, so it can hold the deepest ones.
    const state = `{"id":"r","collection":"c","fields":{"a":${nest(300_000)}}}`;
    expect(await heal([state])).toEqual([{ id: "r", code: "invalid" }]);
    expect(await outcome(await ask(harness, "/healthz"))).toBe("200");
  },
);

test("[WR1] as many fields and as long names as allowed, and no more (abuse 112)", async () => {
  const fields = (count: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 1])));
  const name = (size: number): string => JSON.stringify({ ["n".repeat(size)]: 1 });
  expect(await codeOf(fields(limits.fieldsMax))).toBe("stored");
  expect(await codeOf(fields(limits.fieldsMax + 1))).toBe("too-large");
  expect(
    await codeOf(
      fields(100_000)
        .slice(0, 900_000)
        .replace(/,[^,]*$/, "}"),
    ),
  ).toBe("too-large");
  expect(await codeOf(name(limits.fieldNameMax))).toBe("stored");
  expect(await codeOf(name(limits.fieldNameMax + 1))).toBe("too-large");
  expect(await codeOf(name(60_000))).toBe("too-large");
});

test("[PS8] as many ops as a push may hold, and no more (abuse 112)", async () => {
  const lines = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, at) => putLine(at + 1, '{"title":"x"}'));
  expect(await newWriter().push(lines(limits.pushOpsMax))).toEqual([]);
  for (const body of [lines(limits.pushOpsMax + 1), Array.from({ length: 100_000 }, () => "{}")]) {
    await expect(newWriter().push(body)).rejects.toThrow("too-large");
  }
});

const badTexts: readonly (readonly [string, readonly number[]])[] = [
  ["a byte that starts nothing", [0xff]],
  ["an overlong form", [0xc0, 0x80]],
  ["an overlong slash", [0xe0, 0x80, 0xaf]],
  ["half a character", [0xe2, 0x82]],
  ["a surrogate", [0xed, 0xa0, 0x80]],
  ["a code point beyond the last", [0xf4, 0x90, 0x80, 0x80]],
];

test.each(badTexts)("[WR12] %s is no UTF-8, wherever it stands (abuse 113)", async (_, bytes) => {
  const before = await recordCount();
  const wrap = (left: string, right: string): Uint8Array =>
    Uint8Array.from([...Buffer.from(left), ...bytes, ...Buffer.from(right)]);
  expect(await create(wrap('{"name":"', '"}'))).toBe("400 invalid");
  const header = JSON.stringify({ writer: "writer_utf8", after: 0, chain: "x" });
  const line = '{"n":1,"op":"put","fields":{"title":"';
  expect(await outcome(await push(owner, personal, wrap(`${header}\n${line}`, '"}}\n')))).toBe(
    "400 invalid",
  );
  expect(await recordCount()).toBe(before);
});

test("[WR12] text in another encoding, or after a byte order mark, is refused (abuse 113)", async () => {
  const body = '{"name":"acme"}';
  const utf16 = Buffer.from(`\u{feff}${body}`, "utf16le");
  for (const bytes of [utf16, utf16.swap16(), Buffer.from(`\u{feff}${body}`)]) {
    expect(await create(Uint8Array.from(bytes))).toBe("400 invalid");
  }
});

const places: readonly (readonly [string, (text: string) => Parameters<typeof codeOf>])[] = [
  ["a value", (text) => [`{"title":"a${text}b"}`]],
  ["a value in a list", (text) => [`{"facts":["a${text}b"]}`]],
  ["a name", (text) => [`{"a${text}b":1}`]],
  ["a name further in", (text) => [`{"title":{"a${text}b":1}}`]],
  ["the record's id", (text) => ["{}", { record: `"a${text}b"`, fields: '{"title":"x"}' }]],
  ["the collection", (text) => ["{}", { collection: `"a${text}b"`, fields: '{"title":"x"}' }]],
  ["the parent", (text) => ['{"title":"x"}', { parent: `"a${text}b"` }]],
];

test.each(places)("[WR1] NUL in %s refuses its op alone (abuse 114)", async (_, place) => {
  for (const nul of [String.raw`\u0000`, "\0", "\u0001"]) {
    expect(await codeOf(...place(nul))).toBe("invalid");
  }
});

test.each(places)("[WR1] half a pair in %s refuses its op alone (abuse 115)", async (_, place) => {
  for (const half of [String.raw`\ud83d`, String.raw`\ude00`, String.raw`\ude00\ud83d`]) {
    expect(await codeOf(...place(half))).toBe("invalid");
  }
});

test("[WR10] names of people, devices and namespaces hold no control character (abuse 114, 115)", async () => {
  for (const text of [String.raw`\u0000`, String.raw`\ud83d`, String.raw`\u001b[2J`, " ", ""]) {
    expect(await create(`{"name":"${text}"}`)).toBe("400 invalid");
  }
});

test("[CN3] what would change a prototype is refused, and changes nothing (abuse 116)", async () => {
  for (const name of ["__proto__", "constructor", "prototype"]) {
    const value = '{"admin":true,"polluted":true}';
    expect(await codeOf(`{"${name}":${value}}`)).toBe("invalid");
    expect(await codeOf(`{"title":{"${name}":${value}}}`)).toBe("invalid");
    expect(await codeOf(`{"title":[{"a":{"${name}":${value}}}]}`)).toBe("invalid");
    expect(await codeOf(`{"constructor":{"prototype":${value}}}`)).toBe("invalid");
  }
  for (const name of ["toString", "hasOwnProperty", "valueOf"]) {
    expect(await codeOf(`{"${name}":"x"}`)).toBe("invalid");
  }
  expect(await create(`{"name":"acme","__proto__":{"role":"owner","admin":true}}`)).toBe("201");
  expect(await create(`{"__proto__":{"name":"acme"}}`)).toBe("400 invalid");
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
});

test("[WR22] a document that says a member twice is refused, whichever would count (abuse 117)", async () => {
  const twice = [
    '{"name":"acme","name":"evil"}',
    '{"name":"acme","na\\u006de":"evil"}',
    '{"kind":"invite","role":"reader","role":"owner"}',
    '{"name":"acme","later":{"a":1,"b":2,"a":3}}',
  ];
  for (const body of twice) expect(await create(body)).toBe("400 invalid");
  expect(await create('{"name":"acme","later":{"name":1},"more":[{"name":1},{"name":2}]}')).toBe(
    "201",
  );
  const header = '{"writer":"writer_twice","after":0,"after":0,"chain":"x"}';
  expect(await outcome(await push(owner, personal, `${header}\n`))).toBe("400 invalid");
});

test("[WR22] in an op the last of two counts, for the secret check as for the store (abuse 117)", async () => {
  harness = createHarness({ secrets: createSecretCheck() });
  owner = await claimServer(harness);
  personal = (await owner.hello()).namespaces?.[0]?.id ?? ("" as NamespaceId);
  const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  expect(await codeOf('{"title":"first","title":"last"}')).toBe("stored");
  expect(await codeOf(`{"title":"first","title":"${secret}"}`)).not.toBe("stored");
  const page = await bodyText(await owner.send(`/v1/namespaces/${personal}/records?limit=1000`));
  expect(page).toContain('"title":"last"');
  expect(page).not.toContain('"title":"first"');
});
