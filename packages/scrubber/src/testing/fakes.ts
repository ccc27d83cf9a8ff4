import { bitsAt } from "../chars.ts";
import type { Part, Run, TokenRule } from "../rule.ts";
import { createScrubber, type Scrubber, type ScrubberOptions } from "../scrubber.ts";
import { drawChecked } from "./checked.ts";
import { allChars, drawChars } from "./draw.ts";

export { alnum, base64, drawChars, hex, seededRandom } from "./draw.ts";

/** A keyed hash for tests: even, and the same everywhere; no security is asked of it. */
export function fakeHmac(message: string): Uint8Array {
  const words = [0x811c_9dc5, 0x9e37_79b9, 0x85eb_ca6b, 0xc2b2_ae35];
  for (let index = 0; index < message.length; index++) {
    for (let word = 0; word < 4; word++) {
      const mixed = Math.imul(
        (words[word] ?? 0) ^ message.charCodeAt(index),
        0x0100_0193 + word * 2,
      );
      words[word] = mixed ^ (mixed >>> 15);
    }
  }
  return Uint8Array.from(
    { length: 16 },
    (_, index) => ((words[index >> 2] ?? 0) >>> ((index & 3) * 8)) & 255,
  );
}

/** A scrubber with the fake HMAC. */
export function testScrubber(options: Partial<ScrubberOptions> = {}): Scrubber {
  return createScrubber({ hmac: fakeHmac, ...options });
}

/** Makes a token that a rule describes, as short as the rule allows, with its checksum. */
export function drawToken(rule: TokenRule, seed: number): string {
  const checked = drawChecked(rule, seed);
  if (checked !== undefined) return checked;
  const before = rule.before === undefined ? "" : drawRun(rule.before, seed);
  return before + rule.anchor + drawParts(rule.body, seed);
}

/** Makes what parts describe, as short as they allow. */
export function drawParts(parts: readonly Part[], seed: number): string {
  return parts.map((part, index) => drawPart(part, seed + index)).join("");
}

function drawPart(part: Part, seed: number): string {
  return typeof part === "string" ? part : drawRun(part, seed);
}

export function drawRun(run: Run, seed: number): string {
  const alphabet = allChars.filter((char) => (bitsAt(char, 0) & run.mask) !== 0);
  const inner = drawChars(alphabet.join(""), run.min, seed);
  // Marks at either end would be taken for the end of a sentence or of a pair.
  return inner.replaceAll(/^[^A-Za-z0-9]|[^A-Za-z0-9]$/g, alphabet.includes("a") ? "a" : "A");
}

/** Ways in which agent output shows a secret under a name. */
export const namedContexts: Readonly<Record<string, (name: string, secret: string) => string>> = {
  dotenv: (name, secret) => `A=1\n${name}=${secret}\nB=2\n`,
  "dotenv, quoted": (name, secret) => `${name}="${secret}"\n`,
  "dotenv, CRLF": (name, secret) => `A=1\r\n${name}=${secret}\r\nB=2\r\n`,
  export: (name, secret) => `$ export ${name}='${secret}' && make`,
  json: (name, secret) => JSON.stringify({ a: 1, [name]: secret, b: [2] }),
  "json, indented": (name, secret) => JSON.stringify({ env: { [name]: secret } }, null, 2),
  "json in json": (name, secret) =>
    JSON.stringify({ out: JSON.stringify({ [name]: secret, b: 1 }) }),
  "json in json in json": (name, secret) =>
    JSON.stringify({ line: JSON.stringify({ out: JSON.stringify({ [name]: secret }) }) }),
  "dotenv in json": (name, secret) => JSON.stringify({ content: `A=1\n${name}=${secret}\nB=2` }),
  "dotenv in json in json": (name, secret) =>
    JSON.stringify({ m: JSON.stringify({ content: `A=1\n${name}=${secret}\nB=2` }) }),
  "coded quotes": (name, secret) => `{\\u0022${name}\\u0022:\\u0022${secret}\\u0022}`,
  entity: (name, secret) => `&quot;${name}&quot;: &quot;${secret}&quot;`,
  yaml: (name, secret) => `env:\n  ${name}: ${secret}\n  other: 1\n`,
  "yaml, quoted": (name, secret) => `env:\n  - ${name}: "${secret}"\n`,
  "yaml pair": (name, secret) => `- name: ${name}\n  value: ${secret}\n- name: x\n`,
  "json pair": (name, secret) => JSON.stringify([{ name, value: secret }]),
  python: (name, secret) => `os.environ["${name}"] = "${secret}"  # set`,
  "log line": (name, secret) => `2026-01-01T00:00:00Z INFO boot: ${name}=${secret} port=80`,
  diff: (name, secret) => `@@ -1,2 +1,2 @@\n-${name}=\n+${name}=${secret}\n context`,
  "cat -n": (name, secret) => `     1\tA=1\n     2\t${name}=${secret}\n     3\tB=2`,
  grep: (name, secret) => `config/.env:12:${name}=${secret}`,
  ansi: (name, secret) => `\u001b[32m${name}\u001b[0m=\u001b[33m${secret}\u001b[0m\n`,
  "ansi in json": (name, secret) => JSON.stringify({ o: `\u001b[1m${name}\u001b[0m: ${secret}\n` }),
  docker: (name, secret) => `docker run -e ${name}=${secret} -p 80:80 app`,
};

/** Ways in which a secret with a shape stands anywhere. */
export const bareContexts: Readonly<Record<string, (secret: string) => string>> = {
  "on its own": (secret) => secret,
  sentence: (secret) => `I used ${secret} for the call.`,
  parentheses: (secret) => `created (${secret}), done`,
  "header line": (secret) => `X-Anything: ${secret}\r\nAccept: */*\r\n`,
  "json list": (secret) => JSON.stringify(["a", secret, "b"]),
  "json in json": (secret) => JSON.stringify({ t: JSON.stringify([secret]) }),
  "line in json": (secret) => JSON.stringify({ t: `first\n${secret}\n\tlast` }),
  "url query": (secret) => `https://host.example/path?x=1&y=${secret}&z=3`,
  diff: (secret) => `-old\n+${secret}\n`,
  "markdown code": (secret) => `use \`${secret}\` here`,
  ansi: (secret) => `\u001b[31m${secret}\u001b[0m`,
};
