import fc from "fast-check";
import {
  type Control,
  ControlError,
  createScrubStream,
  createScrubber,
  type JsonValue,
  type Scrubber,
} from "../../packages/scrubber/src/index.ts";
import { passesMax } from "../../packages/scrubber/src/limits.ts";
import { fakeHmac, testScrubber } from "../../packages/scrubber/src/testing/fakes.ts";
import { planted, texts } from "./texts.ts";

/** Something that is promised of every input, and the inputs to try it with. */
export interface Target {
  readonly name: string;
  /** The rules of the specification that it shows. */
  readonly rules: string;
  readonly property: fc.IProperty<unknown>;
}

const scrubber = testScrubber();
const withPersonal = testScrubber({ personalData: true });

/** What is fuzzed. */
export const targets: readonly Target[] = [
  {
    name: "texts",
    rules: "[SC2, SC5]",
    property: fc.property(texts, (text) => {
      settles(scrubber, text);
      settles(withPersonal, text);
    }),
  },
  {
    name: "work",
    rules: "[SC4]",
    property: fc.property(
      texts,
      fc.nat(),
      fc.integer({ min: 1, max: 200 }),
      (text, from, chars) => {
        const at = from % (text.length + 1);
        staysLinear(text.slice(at, at + chars));
      },
    ),
  },
  {
    name: "json",
    rules: "[SC8, SC9]",
    property: fc.property(values(texts), (value) => {
      sameShape(scrubber.scrubJson(value).value, value);
      JSON.parse(scrubber.scrub(JSON.stringify(value)).text);
    }),
  },
  {
    name: "streams",
    rules: "[SC17]",
    property: fc.property(
      fc.array(texts, { minLength: 1, maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 20 }),
      (parts, sizes) => {
        const text = parts.join("\n");
        same(streamed(text, sizes), streamed(text, [text.length + 1]), "a stream in pieces");
      },
    ),
  },
  {
    name: "planted",
    rules: "[SC1]",
    property: fc.property(texts, planted, texts, (before, { text, secret }, after) => {
      // What the form alone does not give away may stand elsewhere without its name.
      fc.pre(!before.includes(secret) && !after.includes(secret));
      const out = scrubber.scrub(`${before}\n\n${text}\n\n${after}`).text;
      if (out.includes(secret)) throw new Error(`a secret got through: ${secret}`);
    }),
  },
  {
    name: "control",
    rules: "[SC14, SC15]",
    property: fc.property(controls(), texts, (control, text) => {
      const own = asked(control);
      if (own !== undefined) settles(own, text);
    }),
  },
];

/** Fails where a text is withheld, or reads otherwise when it is scrubbed again. */
function settles(asked: Scrubber, text: string): void {
  const once = asked.scrub(text);
  if (once.findings.some(({ kind }) => kind === "withheld")) throw new Error("withheld");
  same(asked.scrub(once.text).text, once.text, "scrubbed again");
}

/** Fails where what repeats costs more than its length allows, or more passes. */
function staysLinear(part: string): void {
  if (part === "") return;
  let passes = 0;
  const counted = createScrubber({
    hmac: fakeHmac,
    keepsJson: false,
    onWork: () => {
      passes++;
    },
  });
  const text = part.repeat(Math.ceil(30_000 / part.length));
  const { findings } = counted.scrub(text);
  if (findings.some(({ kind }) => kind === "withheld")) throw new Error("withheld");
  if (passes >= passesMax) throw new Error(`${passes} passes`);
}

function streamed(text: string, sizes: readonly number[]): string {
  const stream = createScrubStream(scrubber, { stretchChars: 1024 });
  let out = "";
  let at = 0;
  for (let index = 0; at < text.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    out += stream.write(text.slice(at, at + size));
    at += size;
  }
  return out + stream.end();
}

function same(found: string, expected: string, what: string): void {
  if (found === expected) return;
  let at = 0;
  while (found[at] === expected[at]) at++;
  const around = (text: string): string =>
    JSON.stringify(text.slice(Math.max(0, at - 40), at + 80));
  throw new Error(`${what} differs at ${at}: ${around(found)} and ${around(expected)}`);
}

/** Fails where an array or an object came out as anything else, or of another size. */
function sameShape(found: JsonValue, given: JsonValue): void {
  if (Array.isArray(given)) {
    if (!Array.isArray(found) || found.length !== given.length) throw new Error("not that array");
    given.forEach((each: JsonValue, index) => {
      sameShape(found[index] ?? null, each);
    });
    return;
  }
  if (typeof given !== "object" || given === null) return;
  if (typeof found !== "object" || found === null) throw new Error("not an object");
  const kept = Object.values(found);
  if (kept.length !== Object.keys(given).length) throw new Error("not as many members");
}

function values(strings: fc.Arbitrary<string>): fc.Arbitrary<JsonValue> {
  const short = strings.map((text) => text.slice(0, 400));
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      short,
      fc.constantFrom<JsonValue>(null, true, 0, 1.5, 4_111_111_111_111_111),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(
        fc.oneof(short, fc.constantFrom("password", "token", "name", "value", "id")),
        tie("value"),
        { maxKeys: 4 },
      ),
    ),
  }));
  return value;
}

/** What a user might write into settings, right or wrong. */
function controls(): fc.Arbitrary<Control> {
  const word = fc.stringMatching(/^[a-z_]{0,6}$/);
  const pattern = fc
    .array(
      fc.constantFrom(
        ...Array.from("[]{}()*+?\\^$.|-,09azAZ"),
        "\\d",
        "[A-Za-z0-9]",
        "{8,20}",
        "{4}",
      ),
      {
        maxLength: 8,
      },
    )
    .map((parts) => parts.join(""));
  const rule = fc.record({
    id: word,
    kind: word,
    anchors: fc.array(word, { maxLength: 3 }),
    body: pattern,
  });
  return fc.record({
    literals: fc.array(fc.string({ maxLength: 20 }), { maxLength: 3 }),
    rules: fc.array(rule, { maxLength: 2 }),
  });
}

/** A scrubber with these settings; undefined where they are refused. */
function asked(control: Control): Scrubber | undefined {
  try {
    return testScrubber(control);
  } catch (error) {
    if (error instanceof ControlError) return undefined;
    throw error;
  }
}
