/**
 * Whether JSON stayed JSON: the whole text, each of its lines, and every string that held JSON
 * itself. Undefined where the text was none.
 */
export function keepsJson(before: string, after: string): boolean | undefined {
  const whole = parse(before);
  if (whole !== undefined) return keepsValue(whole.value, parse(after));
  const lines = before.split("\n").filter((line) => line.trim() !== "");
  const values = lines.map((line) => parse(line));
  if (lines.length < 2 || values.includes(undefined)) return undefined;
  const left = after.split("\n").filter((line) => line.trim() !== "");
  return (
    left.length === lines.length &&
    values.every((value, at) => keepsValue(value?.value, parse(left[at] ?? "")))
  );
}

interface Parsed {
  readonly value: unknown;
}

function parse(text: string): Parsed | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function keepsValue(before: unknown, after: Parsed | undefined): boolean {
  if (after === undefined) return false;
  if (typeof before === "string") {
    const inner = parse(before);
    if (inner === undefined) return true;
    return keepsValue(
      inner.value,
      typeof after.value === "string" ? parse(after.value) : undefined,
    );
  }
  if (typeof before !== "object" || before === null) return true;
  // A value that was taken out whole has no parts left to check.
  if (typeof after.value !== "object" || after.value === null) return true;
  const parts: readonly unknown[] = Object.values(after.value);
  return Object.values(before).every(
    (part: unknown, at) => parts[at] === undefined || keepsValue(part, { value: parts[at] }),
  );
}
