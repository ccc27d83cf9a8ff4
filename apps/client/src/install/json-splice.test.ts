import fc from "fast-check";
import { parse } from "jsonc-parser";
import { expect, test } from "vitest";
import { withAppended, without, withValue } from "./json-splice.ts";

const read = (text: string): unknown => parse(text, [], { allowTrailingComma: true });

const before = `{
  // mine
  "permissions": { "allow": ["Bash(ls)"], },
  "hooks": {
    "PostToolUse": [ { "matcher": "Edit", "hooks": [ { "command": "fmt" } ] } ], // keep
    /* and
       this */
    "Stop": []
  }
}
`;

test("[IN2] what is put in and taken out again leaves every byte as it was", () => {
  const group = { hooks: [{ command: "own" }] };
  let text = withAppended(before, ["hooks", "PostToolUse"], group);
  text = withAppended(text, ["hooks", "Stop"], group);
  text = withAppended(text, ["hooks", "SessionStart"], group);
  text = withValue(text, ["statusLine", "command"], "own");
  expect(read(text)).toEqual({
    permissions: { allow: ["Bash(ls)"] },
    hooks: {
      PostToolUse: [{ matcher: "Edit", hooks: [{ command: "fmt" }] }, group],
      Stop: [group],
      SessionStart: [group],
    },
    statusLine: { command: "own" },
  });
  expect(text).toContain('{ "matcher": "Edit", "hooks": [ { "command": "fmt" } ] }');
  expect(text).toContain("// keep\n    /* and\n       this */\n");
  text = without(text, ["statusLine"]);
  text = without(text, ["hooks", "SessionStart"]);
  text = without(text, ["hooks", "Stop", 0]);
  expect(without(text, ["hooks", "PostToolUse", 1])).toBe(before);
});

test("[IN2] a file of one line stays one", () => {
  const text = '{"mcpServers":{"other":{"command":"x"}},"n":1}';
  const added = withValue(text, ["mcpServers", "tidemark"], { command: "t" });
  expect(added).toBe('{"mcpServers":{"other":{"command":"x"},"tidemark":{"command":"t"}},"n":1}');
  expect(without(added, ["mcpServers", "tidemark"])).toBe(text);
  const spaced = '{ "a": [1, 2], "b": {} }';
  expect(withAppended(spaced, ["a"], 3)).toBe('{ "a": [1, 2, 3], "b": {} }');
  expect(withValue(spaced, ["b", "c"], 3)).toBe('{ "a": [1, 2], "b": {"c": 3} }');
  expect(without(spaced, ["a", 0])).toBe('{ "a": [2], "b": {} }');
});

test.each([
  ["{}\n", '{\n  "a": {\n    "b": 1\n  }\n}\n'],
  ['{\r\n\t"x": 1\r\n}\r\n', '{\r\n\t"x": 1,\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}\r\n'],
  ["{\n  // nothing yet\n}\n", '{\n  // nothing yet\n  "a": {\n    "b": 1\n  }\n}\n'],
  ['{\n  "x": 1, // one\n}\n', '{\n  "x": 1, // one\n  "a": {\n    "b": 1\n  },\n}\n'],
])("[IN2] a new member takes the form of %j", (text, after) => {
  expect(withValue(text, ["a", "b"], 1)).toBe(after);
});

test("[IN2] a value is replaced where it stands", () => {
  const text = '{\n  "a": { "b": [1, 2] }, // of a\n  "c": 2\n}\n';
  expect(withValue(text, ["a"], "x")).toBe('{\n  "a": "x", // of a\n  "c": 2\n}\n');
  expect(withValue(text, ["c"], { d: 3 })).toContain('  "c": {\n    "d": 3\n  }\n}');
  expect(without(text, ["a"])).toBe('{\n  // of a\n  "c": 2\n}\n');
  expect(without(text, ["nothing", "here"])).toBe(text);
  expect(without('{ "a": 1 /* of a */ , "b": 2 }', ["a"])).toBe('{ /* of a */  "b": 2 }');
});

test("[IN2] what is null is as if it were not there", () => {
  expect(withValue('{"a":null}', ["a", "b", "c"], 1)).toBe('{"a":{"b":{"c":1}}}');
  expect(withAppended('{\n  "a": null // none\n}', ["a"], 1)).toBe(
    '{\n  "a": [\n    1\n  ] // none\n}',
  );
});

/** Documents as people write them: in one line or many, with comments and trailing commas. */
const layouts = fc.record({
  isOneLine: fc.boolean(),
  hasTrailing: fc.boolean(),
  hasNotes: fc.boolean(),
  eol: fc.constantFrom("\n", "\r\n"),
  unit: fc.constantFrom("  ", "    ", "\t"),
});
type Layout = typeof layouts extends fc.Arbitrary<infer Each> ? Each : never;
type Tree = number | readonly Tree[] | { readonly [name: string]: Tree };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small" },
    fc.nat(9),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("tree"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
}));

let notes = 0;

function written(value: Tree, layout: Layout, indent = ""): string {
  if (typeof value === "number") return String(value);
  const isList = Array.isArray(value);
  const own = indent + layout.unit;
  const items = Object.entries(value).map(([name, each]) => {
    const text = written(each, layout, own);
    return isList ? text : `"${name}": ${text}`;
  });
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (items.length === 0) return open + close;
  if (layout.isOneLine) return open + items.join(", ") + close;
  const lines = items.map((item, index) => {
    const isLast = index === items.length - 1;
    const comma = isLast && !layout.hasTrailing ? "" : ",";
    return `${own}${item}${comma}${layout.hasNotes ? ` // note ${(notes += 1)} ` : ""}`;
  });
  return [open, ...lines, indent + close].join(layout.eol);
}

const notesIn = (text: string): readonly string[] => text.match(/\/\/ note \d+ /g) ?? [];

test("[IN2] any document says the same but for the change, keeps its comments, and comes back", () => {
  fc.assert(
    fc.property(
      fc.record({ a: tree, hooks: fc.array(tree, { maxLength: 3 }), z: tree }),
      layouts,
      tree,
      (document, layout, value) => {
        const text = written(document, layout) + layout.eol;
        const appended = withAppended(text, ["hooks"], value);
        const hooks = [...document.hooks, value];
        expect(read(appended)).toEqual({ ...document, hooks });
        const set = withValue(appended, ["new", "deep"], value);
        expect(read(set)).toEqual({ ...document, hooks, new: { deep: value } });
        expect(notesIn(set)).toEqual(notesIn(text));
        const back = without(without(set, ["new"]), ["hooks", document.hooks.length]);
        expect(back).toBe(text);
        const { a: _, ...rest } = document;
        expect(read(without(text, ["a"]))).toEqual(rest);
        if (document.hooks.length > 0) {
          const fewer = without(text, ["hooks", 0]);
          expect(read(fewer)).toEqual({ ...document, hooks: document.hooks.slice(1) });
        }
      },
    ),
    { numRuns: 2_000, seed: 20261127 },
  );
});
