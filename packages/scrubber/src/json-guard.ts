import type { Finding, JsonValue } from "./finding.ts";

interface Result {
  readonly text: string;
  readonly findings: readonly Finding[];
}

interface Scrubs {
  readonly scrub: (text: string) => Result;
  readonly scrubJson: (value: JsonValue) => {
    readonly value: JsonValue;
    readonly findings: readonly Finding[];
  };
}

/**
 * Makes sure that JSON stays JSON (SC8): if the text, or one line of it, parsed before and does
 * not parse any more, its value is scrubbed leaf by leaf and written anew. Costs one parse, and
 * only where something was found.
 */
export function keepJson(before: string, result: Result, scrubs: Scrubs): Result {
  const parsed = readJson(before);
  if (parsed !== undefined) {
    const now = readJson(result.text);
    if (now !== undefined && keepsNested(parsed.value, now.value)) return result;
    const whole = scrubs.scrubJson(parsed.value);
    return { text: JSON.stringify(whole.value), findings: whole.findings };
  }
  if (!before.includes("\n") || !touchesJsonLine(before, result.findings)) return result;
  return mendLines(before, result, scrubs) ?? scrubLines(before, scrubs);
}

/** Whether every string that held JSON itself still does, at any depth. */
function keepsNested(before: JsonValue, after: JsonValue): boolean {
  const pairs: [JsonValue, JsonValue | undefined][] = [[before, after]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [old, now] = pair;
    if (old === now || old === null) continue;
    if (typeof old === "string") {
      const inner = readJson(old);
      if (inner === undefined) continue;
      const innerNow = typeof now === "string" ? readJson(now) : undefined;
      if (innerNow === undefined) return false;
      pairs.push([inner.value, innerNow.value]);
    } else if (typeof old === "object") {
      if (typeof now !== "object" || now === null) return false;
      const nowValues: JsonValue[] = Object.values(now);
      Object.values(old).forEach((value: JsonValue, index) =>
        pairs.push([value, nowValues[index]]),
      );
    }
  }
  return true;
}

/** Whether a finding lies in a line that begins like JSON, or spans lines. One walk over lines. */
function touchesJsonLine(text: string, findings: readonly Finding[]): boolean {
  let lineStart = 0;
  let lineEnd = endOfLine(text, 0);
  for (const { start, end } of findings) {
    if (start > lineEnd) {
      lineStart = text.lastIndexOf("\n", start - 1) + 1;
      lineEnd = endOfLine(text, start);
    }
    if (end > lineEnd || startsJson(text.slice(lineStart, lineStart + 65))) return true;
  }
  return false;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * Scrubs each line that was JSON and is none any more on its own, and leaves the others as they
 * came out; gives the result itself if there is none. Nothing if lines cannot be told apart.
 */
function mendLines(before: string, result: Result, scrubs: Scrubs): Result | undefined {
  const mended: Stretch[] = [];
  const found: Finding[] = [];
  let text = "";
  let from = 0;
  let oldFrom = 0;
  for (const block of touchedLines(before, result.findings)) {
    const start = from + block.start - oldFrom;
    // What lies between has not changed, and what was touched is one line now.
    if (before.slice(oldFrom, block.start) !== result.text.slice(from, start)) return undefined;
    const old = before.slice(block.start, block.end);
    const end = endOfLine(result.text, start);
    const now = result.text.slice(start, end);
    if (now !== old && hasJsonLine(old)) return undefined;
    const alone = keepsLine(old, now) ? undefined : scrubs.scrub(old);
    text += result.text.slice(from, start) + (alone?.text ?? now);
    from = end;
    oldFrom = block.end;
    if (alone === undefined) continue;
    mended.push(block);
    for (const each of alone.findings) found.push(shifted(each, block.start));
  }
  if (before.slice(oldFrom) !== result.text.slice(from)) return undefined;
  if (mended.length === 0) return result;
  const kept = result.findings.filter((each) => !mended.some((line) => touches(each, line)));
  const findings = [...kept, ...found].toSorted((left, right) => left.start - right.start);
  return { text: text + result.text.slice(from), findings };
}

function touches(one: Stretch, other: Stretch): boolean {
  return one.start < other.end && one.end > other.start;
}

/** The lines of a text that findings lie in; those that a finding runs over have become one. */
function touchedLines(text: string, findings: readonly Finding[]): readonly Stretch[] {
  const ordered = findings.toSorted((left, right) => left.start - right.start);
  const lines: { readonly start: number; end: number }[] = [];
  for (const { start, end } of ordered) {
    let line = lines.at(-1);
    if (line === undefined || start > line.end) {
      const from = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
      line = { start: from, end: endOfLine(text, start) };
      lines.push(line);
    }
    if (end > line.end) line.end = endOfLine(text, end);
  }
  return lines;
}

/** Whether lines that have become one held JSON. */
function hasJsonLine(old: string): boolean {
  return old.includes("\n") && old.split("\n").some(isJson);
}

/** Whether a line is JSON still, if it was. */
function keepsLine(old: string, now: string): boolean {
  if (now === old) return true;
  const parsed = readJson(old);
  if (parsed === undefined) return true;
  const read = readJson(now);
  return read !== undefined && keepsNested(parsed.value, read.value);
}

/** Scrubs JSON lines one by one, and what lies between them as it lies. */
function scrubLines(text: string, scrubs: Scrubs): Result {
  const findings: Finding[] = [];
  let out = "";
  let from = 0;
  const take = (end: number): void => {
    const part = scrubs.scrub(text.slice(from, end));
    for (const found of part.findings) findings.push(shifted(found, from));
    out += part.text;
    from = end;
  };
  for (let at = 0; at < text.length;) {
    const lineEnd = text.indexOf("\n", at);
    const end = lineEnd < 0 ? text.length : lineEnd;
    if (isJson(text.slice(at, end))) {
      if (at > from) take(at);
      take(end);
    }
    at = end + 1;
  }
  if (from < text.length) take(text.length);
  return { text: out, findings };
}

function shifted(found: Finding, by: number): Finding {
  if (found.path !== undefined) return found;
  return { ...found, start: found.start + by, end: found.end + by };
}

function isJson(text: string): boolean {
  return readJson(text) !== undefined;
}

function startsJson(text: string): boolean {
  return /^\s{0,64}[[{"]/.test(text.slice(0, 65));
}

function readJson(text: string): { readonly value: JsonValue } | undefined {
  if (!startsJson(text)) return undefined;
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return undefined;
  }
}
