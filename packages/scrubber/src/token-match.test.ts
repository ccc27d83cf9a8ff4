import { expect, test } from "vitest";
import { run, type TokenRule } from "./rule.ts";
import { type Candidate, createScan } from "./scan.ts";
import { matchToken } from "./token-match.ts";

const facts = { id: "r", kind: "k", priority: 2, source: "a test" } as const;
const keep = (): boolean => true;
const rule: TokenRule = { ...facts, anchor: "key-", body: [run("lower", 4, 8)], require: keep };

/** What a rule finds at each place of its anchor. */
function found(text: string, change: Partial<TokenRule> = {}): readonly Candidate[] {
  const scan = createScan(text, false);
  const tried = { ...rule, ...change };
  for (let at = text.indexOf(tried.anchor); at >= 0; at = text.indexOf(tried.anchor, at + 1)) {
    matchToken(scan, tried, at);
  }
  return scan.candidates;
}

const texts = (text: string, change: Partial<TokenRule> = {}): readonly string[] =>
  found(text, change).map(({ start, end }) => text.slice(start, end));

test("[SC1] a token is its anchor and a body within its bounds", () => {
  expect(texts("a key-abcd b")).toEqual(["key-abcd"]);
  expect(texts("a key-abcdefgh b")).toEqual(["key-abcdefgh"]);
  expect(texts("a key-abc b")).toEqual([]);
  expect(texts("a key-abcdefghi b")).toEqual([]);
  expect(texts("a key-abcd1 b")).toEqual(["key-abcd"]);
  expect(texts("a KEY-abcd b key-efgh")).toEqual(["key-efgh"]);
  const scan = createScan("a KEY-abcd", false);
  matchToken(scan, rule, 2);
  expect(scan.candidates).toEqual([]);
});

test("[SC1] a body has its literals where the rule says", () => {
  const body = [run("digit", 3), "-", run("upper", 2)];
  expect(texts("key-123-AB key-123_AB key-12-AB key-123-A", { body })).toEqual(["key-123-AB"]);
  const ended = [run("digit", 3), "=="];
  expect(texts("key-123==x key-123=x", { body: ended })).toEqual(["key-123=="]);
});

test("[SC10] a token begins where no word goes on, or where another ends", () => {
  expect(texts("akey-abcd 1key-abcd")).toEqual([]);
  expect(texts(String.raw`_key-abcd \nkey-efgh %3Dkey-ijkl`)).toEqual([
    "key-abcd",
    "key-efgh",
    "key-ijkl",
  ]);
  expect(texts("key-123key-456", { body: [run("digit", 3)] })).toEqual(["key-123", "key-456"]);
  expect(texts("key-12xkey-456", { body: [run("digit", 3)] })).toEqual([]);
});

test("[SC1] what belongs to a token before its anchor goes with it", () => {
  const before = run("digit", 3, 5);
  expect(texts("a 123key-abcd", { before })).toEqual(["123key-abcd"]);
  expect(texts("a 12345key-abcd", { before })).toEqual(["12345key-abcd"]);
  expect(texts("a 12key-abcd", { before })).toEqual([]);
  expect(texts("a 123456key-abcd", { before })).toEqual([]);
  const word = run("lower", 3, 9);
  expect(texts(String.raw`a\nabckey-abcd`, { before: word })).toEqual(["abckey-abcd"]);
  expect(texts(String.raw`a\nabkey-abcd`, { before: word })).toEqual([]);
  const scan = createScan("a 123key-abcd", false);
  matchToken(scan, { ...rule, before }, 5);
  expect(scan.work).toBe(13 + 4 + 5 + 11);
});

test("[SC1] a token that the text's end or an ellipsis cuts off is one from eight characters on", () => {
  const body = [run("lower", 12)];
  for (const end of ["", "…", "...", "... and more"]) {
    expect(texts(`a key-abcdefgh${end}`, { body })).toEqual(["key-abcdefgh"]);
    expect(texts(`a key-abcdefg${end}`, { body })).toEqual([]);
  }
  for (const end of [" ", "..", "\n", "-"]) {
    expect(texts(`a key-abcdefgh${end}`, { body })).toEqual([]);
  }
  expect(found("key-abcdefgh", { body })[0]?.confidence).toBe("medium");
  // What is longer than it may be is no token, and was not cut off either.
  expect(texts("key-abcdefghijklm", { body })).toEqual([]);
});

test("[SC10] the stop that ends a sentence is none of a token", () => {
  const body = [run("dotted", 4, 40)];
  for (const end of [" ", "\n", '"', "'", "`", ")", "]", String.raw`\n`, String.raw`\\"`, ""]) {
    expect(texts(`see key-ab.cd.${end}`, { body })).toEqual(["key-ab.cd"]);
  }
  expect(texts("see key-ab.cd.ef", { body })).toEqual(["key-ab.cd.ef"]);
  expect(texts("see key-ab.cd.,", { body })).toEqual(["key-ab.cd."]);
  expect(texts("see key-abc. ", { body })).toEqual([]);
  expect(texts("see key-. ", { body: [run("dotted", 0, 4)], anchor: "key-." })).toEqual(["key-."]);
});

test("[SC7] a checksum that fails lowers the confidence and takes nothing back", () => {
  const at = (change: Partial<TokenRule>): Partial<Candidate> | undefined => {
    const [first] = found("a key-abcd b", change);
    return first && { confidence: first.confidence, valid: first.valid };
  };
  expect(at({})).toEqual({ confidence: "high", valid: undefined });
  expect(at({ confidence: "low" })).toEqual({ confidence: "low", valid: undefined });
  expect(at({ valid: () => true })).toEqual({ confidence: "high", valid: true });
  expect(at({ valid: () => false })).toEqual({ confidence: "medium", valid: false });
  const asked: unknown[] = [];
  at({ valid: (...place) => asked.push(place) > 0 });
  expect(asked).toEqual([["a key-abcd b", 2, 10]]);
});

test("[SC1] a token says what it is, and a longer anchor ranks above a shorter", () => {
  expect(found("a key-abcd b", { isShared: true })).toEqual([
    {
      start: 2,
      end: 10,
      kind: "k",
      ruleId: "r",
      rank: 1004,
      label: "k",
      isShared: true,
      confidence: "high",
      layer: "plain",
      valid: undefined,
    },
  ]);
});

test("[SC10] a body that reads as filler or words is none, unless the rule has a test of its own", () => {
  const { require: _none, ...untested } = rule;
  const scanned = (text: string): number => {
    const scan = createScan(text, false);
    matchToken(scan, { ...untested, body: [run("alnum", 8)] }, text.indexOf("key-"));
    return scan.candidates.length;
  };
  expect(scanned("key-xxxxxxxx")).toBe(0);
  expect(scanned("key-a7Kq9ZmX")).toBe(1);
  const asked: unknown[] = [];
  texts("a key-abcd b", { require: (...place) => asked.push(place) > 9 });
  expect(asked).toEqual([["a key-abcd b", 2, 10]]);
});

test("[SC4] an anchor that stands in a body again and again is one token", () => {
  const body = [run("word", 4, 400)];
  expect(texts(`a ${"key-".repeat(20)} b`, { body })).toEqual(["key-".repeat(20)]);
  expect(texts("key-abcd key-abcd", { body })).toEqual(["key-abcd", "key-abcd"]);
});

test("[SC7] a token that breaks off where its line ends may go on in the next", () => {
  const scan = createScan("key-ab\nkey-abcdef\r\nkey-abcde f", false);
  for (const at of [0, 7, 19]) matchToken(scan, rule, at);
  expect(scan.breaks).toEqual(new Set([6, 17]));
});
