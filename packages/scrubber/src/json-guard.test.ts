import { expect, test } from "vitest";
import type { Finding, JsonValue } from "./finding.ts";
import { keepJson } from "./json-guard.ts";

const facts = { kind: "k", ruleId: "r", placeholderTag: "t", confidence: "high", layer: "plain" } as const; // prettier-ignore

function at(start: number, end: number): Finding {
  return { ...facts, start, end };
}

/** What comes of a text that was rewritten, where scrubbing a part anew writes it in capitals. */
function kept(
  before: string,
  after: string,
  findings: readonly Finding[],
): { text: string; places: readonly string[]; asked: readonly string[] } {
  const asked: string[] = [];
  const result = { text: after, findings };
  const kept = keepJson(before, result, {
    scrub: (text) => {
      asked.push(text);
      return { text: text.toUpperCase(), findings: [at(1, 2)] };
    },
    scrubJson: (value: JsonValue) => {
      asked.push(`json ${JSON.stringify(value)}`);
      return { value: "anew", findings: [{ ...at(0, 1), path: "/p" }] };
    },
  });
  if (kept === result) return { text: "as it came", places: [], asked };
  return {
    text: kept.text,
    places: kept.findings.map(({ start, end }) => `${start}-${end}`),
    asked,
  };
}

const same = { text: "as it came", places: [], asked: [] };

test("[SC8] JSON that still is JSON stays as it came out", () => {
  expect(kept('{"a":"b"}', '{"a":"X"}', [at(6, 7)])).toEqual(same);
  expect(kept('{"a":1}', '{"a":"X"}', [at(5, 6)])).toEqual(same);
  expect(kept("[null,1,true]", '[null,"X",true]', [at(6, 7)])).toEqual(same);
  expect(kept("a=b", "a=X", [at(2, 3)])).toEqual(same);
  expect(kept("1", "X", [at(0, 1)])).toEqual(same);
});

test("[SC8] JSON that is none any more is written anew from its values", () => {
  const anew = { text: '"anew"', places: ["0-1"] };
  expect(kept('{"a":"b"}', '{"a":X"}', [at(5, 7)])).toEqual({ ...anew, asked: ['json {"a":"b"}'] });
  expect(kept(' ["a"]', ' ["a', [at(4, 6)])).toEqual({ ...anew, asked: ['json ["a"]'] });
});

test("[SC8] JSON inside of JSON is held to the same, at any depth", () => {
  const inside = (inner: string): string => JSON.stringify({ a: [null, inner] });
  expect(kept(inside('{"b":"c"}'), inside('{"b":"X"}'), [at(0, 1)])).toEqual(same);
  expect(kept(inside("b c"), inside("X"), [at(0, 1)])).toEqual(same);
  expect(kept(inside('{"b":"c"}'), inside('{"b":X'), [at(0, 1)]).text).toBe('"anew"');
  expect(kept(inside('{"b":"c"}'), JSON.stringify({ a: [null, 7] }), [at(0, 1)]).text).toBe(
    '"anew"',
  );
  expect(kept(inside('{"b":"c"}'), JSON.stringify({ a: 7 }), [at(0, 1)]).text).toBe('"anew"');
  expect(kept(inside('{"b":"c"}'), JSON.stringify({ a: null }), [at(0, 1)]).text).toBe('"anew"');
  const twice = (inner: string): string => inside(inside(inner));
  expect(kept(twice('["c"]'), twice('["X"]'), [at(0, 1)])).toEqual(same);
  expect(kept(twice('["c"]'), twice('["X'), [at(0, 1)]).text).toBe('"anew"');
});

test("[SC8] of lines only those that were JSON and are none are scrubbed by themselves", () => {
  const before = 'a=b\n{"a":"b"}\n{"c":"d"}\nend';
  expect(kept(before, 'a=X\n{"a":"b"}\n{"c":"d"}\nend', [at(2, 3)])).toEqual(same);
  expect(kept(before, 'a=b\n{"a":"X"}\n{"c":"d"}\nend', [at(10, 11)])).toEqual(same);
  expect(kept(before, 'a=X\n{"a":X\n{"c":"d"}\nend', [at(2, 3), at(9, 13)])).toEqual({
    text: 'a=X\n{"A":"B"}\n{"c":"d"}\nend',
    places: ["2-3", "5-6"],
    asked: ['{"a":"b"}'],
  });
  expect(kept(before, 'a=b\n{"a":X\n{"c":Y\nend', [at(19, 23), at(9, 13)])).toEqual({
    text: 'a=b\n{"A":"B"}\n{"C":"D"}\nend',
    places: ["5-6", "15-16"],
    asked: ['{"a":"b"}', '{"c":"d"}'],
  });
});

test("[SC8] where a finding has made one line of several, each is scrubbed as it was", () => {
  const before = 'a=b\n{"a":"b"}\n{"c":"d"}\nend';
  expect(kept(before, "a=b\nX\nend", [at(4, 23)])).toEqual({
    text: 'A=B\n{"A":"B"}\n{"C":"D"}\nEND',
    places: ["1-2", "5-6", "14-15", "15-16", "24-25"],
    asked: ["a=b\n", '{"a":"b"}', "\n", '{"c":"d"}', "\nend"],
  });
});

test("[SC8] where no line is JSON, lines are not looked at", () => {
  expect(kept("a=b\nc=d", "X\nc=d", [at(0, 3)])).toEqual(same);
  expect(kept("a=b\nc=d\ne=f", "X\ne=f", [at(0, 7)])).toEqual(same);
});
