import type { Positive } from "../corpus/case.ts";
import { createRandom, type Random } from "../corpus/random.ts";
import { chars, uuid, word } from "../corpus/template.ts";

type Line = (random: Random) => string;

const logLines: readonly Line[] = [
  (r) => `2026-03-0${r.int(1, 9)}T10:${r.int(10, 59)}:12.${r.int(100, 999)}Z INFO  [worker-${r.int(0, 15)}] GET https://api.internal.test/v1/users/${chars(r, "hex", 8)}?page=${r.int(0, 40)} 200 ${r.int(1, 900)}ms request_id=${chars(r, "hex", 32)}`, // prettier-ignore
  (r) => `10.0.${r.int(0, 255)}.${r.int(0, 255)} - - [11/Mar/2026:10:11:12 +0000] "POST /orders HTTP/1.1" 201 ${r.int(100, 9999)} "-" "Mozilla/5.0 (X11; Linux x86_64)"`, // prettier-ignore
  (r) => `ts=1760000${r.int(100, 999)} level=warn component=auth msg="token refresh took long" duration_ms=${r.int(1, 900)} user_id=${uuid(r)}`, // prettier-ignore
];
const codeLines: readonly Line[] = [
  (r) => `  const token${r.int(0, 9)} = await readToken(session, options.key ?? defaultKey); // the token is kept`, // prettier-ignore
  (r) => `export function parse${word(r)}${r.int(0, 99)}(input: string, password: string): Result<Value, Fault> {`, // prettier-ignore
  (r) => `    if (keyboard.isPressed("Escape") && !this.secretName) return this.tokens[index + ${r.int(0, 9)}];`, // prettier-ignore
  (r) => `  return { ...state, author: user.name, monkey: passthrough(state), maxTokens: ${r.int(1, 9999)} };`, // prettier-ignore
  (r) => `import { ${word(r)}, type ${word(r)}Options } from "../${word(r)}/${word(r)}.ts";`,
  () => "  // The first of the two is the one that the reader asked for, if it is there at all.",
];
const jsonLines: readonly Line[] = [
  (r) =>
    JSON.stringify({
      id: chars(r, "hex", 24),
      type: "tool_result",
      max_tokens: r.int(1, 4096),
      content: `updated 3 files\n  "path": "/srv/app/src/${word(r)}-${r.int(1, 90)}.ts"\n`,
    }),
  (r) => JSON.stringify({ role: "assistant", usage: { input_tokens: r.int(1, 9999), output_tokens: r.int(1, 999) }, uuid: uuid(r) }), // prettier-ignore
];
const lockLines: readonly Line[] = [
  (r) => `  "node_modules/${word(r)}-${r.int(0, 500)}": {"version": "${r.int(0, 9)}.${r.int(0, 20)}.1", "resolved": "https://packages.example.com/${word(r)}.tgz", "integrity": "sha512-${chars(r, "b64", 86)}=="},`, // prettier-ignore
  (r) => `checksum = "${chars(r, "hex", 64)}"`,
];

/** Shares of the mix: logs, code, JSON, lock files. */
const mixed: readonly (readonly [upTo: number, lines: readonly Line[]])[] = [
  [0.48, logLines],
  [0.76, codeLines],
  [0.9, jsonLines],
  [1, lockLines],
];

/** A text of lines as agents read them; one in five hundred is a case with secrets, if any are given. */
export function drawMix(size: number, cases: readonly Positive[]): string {
  const random = createRandom("mix");
  const lines: string[] = [];
  for (let length = 0; length < size;) {
    const line = drawLine(random, cases);
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join("\n");
}

function drawLine(random: Random, cases: readonly Positive[]): string {
  if (cases.length > 0 && random.chance(0.002)) return random.pick(cases).text;
  const draw = random.next();
  const [, lines] = mixed.find(([upTo]) => draw < upTo) ?? [1, lockLines];
  return random.pick(lines)(random);
}

/** A text in rows, as tools answer. */
export function rowsOf(text: string, size: number): readonly string[] {
  const rows: string[] = [];
  for (let at = 0; at < text.length; at += size) {
    // Flat copies: a slice of a big text would drag that text along.
    rows.push(Buffer.from(text.slice(at, at + size)).toString());
  }
  return rows;
}
