import { expect, test } from "vitest";
import { type Candidate, createScan } from "./scan.ts";
import { mergeCandidates, type Span } from "./spans.ts";

const text = "0123456789abcdefghij";

function found(start: number, end: number, more: Partial<Candidate> = {}): Candidate {
  const facts = { kind: "k", ruleId: "r", rank: 0, label: "k" } as const;
  return { start, end, ...facts, confidence: "high", layer: "plain", ...more };
}

function merged(
  candidates: readonly Candidate[],
  atoms: readonly (readonly [number, number])[] = [],
  within: string = text,
): Span[] {
  const scan = createScan(within, false);
  scan.candidates.push(...candidates);
  scan.atoms.push(...atoms.map(([start, end]) => ({ start, end })));
  return mergeCandidates(scan);
}

const places = (spans: readonly Span[]): readonly string[] =>
  spans.map(({ start, end, label, canonical }) => `${start}-${end} ${label} ${canonical}`);

test("[SC1] candidates that share a character are one span, and those that touch are two", () => {
  expect(merged([])).toEqual([]);
  expect(places(merged([found(9, 12), found(2, 5), found(5, 9)]))).toEqual([
    "2-5 k 234",
    "5-9 k 5678",
    "9-12 k 9ab",
  ]);
  expect(places(merged([found(2, 6), found(5, 9)]))).toEqual(["2-9 credential 2345678"]);
  expect(places(merged([found(2, 12), found(3, 5), found(8, 10)]))).toEqual(["2-12 k 23456789ab"]);
  expect(places(merged([found(2, 4), found(4, 4), found(12, 14)]))).toEqual([
    "2-4 k 23",
    "12-14 k cd",
  ]);
  expect(merged([found(4, 4)])).toEqual([]);
});

test("[SC1] a span has the name of the highest candidate that is all of it", () => {
  const named = found(2, 9, { kind: "named", label: "named", rank: 0 });
  const shaped = found(2, 9, { kind: "shaped", label: "shaped", rank: 1000, canonical: "bare" });
  const inner = found(4, 6, { kind: "inner", label: "inner", rank: 5000 });
  for (const order of [
    [named, shaped, inner],
    [inner, shaped, named],
    [shaped, inner, named],
  ]) {
    const [span] = merged(order);
    expect(span).toMatchObject({ kind: "shaped", label: "shaped", canonical: "bare" });
  }
  const first = found(2, 9, { kind: "first", rank: 1000 });
  expect(merged([first, { ...first, kind: "second" }])[0]?.kind).toBe("first");
});

test("[SC3] a span that no candidate is all of has the tag of its text and no name of its own", () => {
  const left = found(2, 6, { kind: "left", label: "left", rank: 10, canonical: "L" });
  const right = found(5, 9, { kind: "right", label: "right", rank: 20, canonical: "R" });
  const same = { start: 2, end: 9, label: "credential", canonical: "2345678" };
  expect(merged([left, right])[0]).toMatchObject({ ...same, kind: "right" });
  expect(merged([{ ...left, rank: 20 }, right])[0]).toMatchObject({ ...same, kind: "left" });
});

test("[SC1] where several vendors share a form, the name beside it says whose it is", () => {
  const shared = found(2, 9, { kind: "shared", rank: 1000, isShared: true });
  const owned = found(2, 9, { kind: "owned", isOwned: true });
  const half = found(2, 6, { kind: "half", isOwned: true });
  expect(merged([shared, owned])[0]?.kind).toBe("owned");
  expect(merged([shared, half])[0]?.kind).toBe("shared");
  expect(merged([shared, found(2, 9)])[0]?.kind).toBe("shared");
  expect(merged([{ ...shared, isShared: false }, owned])[0]?.kind).toBe("shared");
});

test("[SC2] a candidate ends where a placeholder in it begins, and is none within one", () => {
  const atoms = [
    [0, 2],
    [6, 8],
    [12, 15],
    [18, 20],
  ] as const;
  const kept = (start: number, end: number): readonly string[] =>
    places(merged([found(start, end, { canonical: "bare" })], atoms));
  expect(kept(2, 6)).toEqual(["2-6 k bare"]);
  expect(kept(2, 7)).toEqual(["2-6 k 2345"]);
  expect(kept(3, 20)).toEqual(["3-6 k 345"]);
  expect(kept(8, 12)).toEqual(["8-12 k bare"]);
  expect(kept(8, 13)).toEqual(["8-12 k 89ab"]);
  expect(kept(15, 18)).toEqual(["15-18 k bare"]);
  for (const [start, end] of [
    [6, 8],
    [6, 10],
    [7, 10],
    [13, 15],
    [12, 20],
    [1, 5],
  ] as const) {
    expect(kept(start, end)).toEqual([]);
  }
  const cut = merged([found(2, 7, { valid: true })], atoms);
  expect(cut[0]?.lead.valid).toBeUndefined();
});

test("[SC6] what is private goes with the placeholders in it", () => {
  const private_ = found(2, 12, { kind: "private", label: "private" });
  expect(places(merged([private_], [[4, 6]]))).toEqual(["2-12 private 23456789ab"]);
});

test("[SC8] a span begins and ends with whole escapes", () => {
  const at = (within: string, start: number, end: number): readonly string[] =>
    places(merged([found(start, end)], [], within));
  expect(at(String.raw`x\nabc`, 2, 6)).toEqual([String.raw`1-6 k \nabc`]);
  expect(at(String.raw`x\\abc`, 3, 6)).toEqual(["3-6 k abc"]);
  expect(at(String.raw`abc\"z`, 0, 4)).toEqual(["0-3 k abc"]);
  expect(at(String.raw`abc\\z`, 0, 5)).toEqual([String.raw`0-5 k abc\\`]);
  // At the end of the text nothing follows that the backslash could belong to.
  expect(at("abc\\", 0, 4)).toEqual(["0-4 k abc\\"]);
});
