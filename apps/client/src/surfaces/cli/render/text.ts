import { isCredibleTime } from "@tidemark/protocol";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import type { Author } from "../../../store/local-store.ts";
import type { Io } from "../io.ts";

/** Our own colours, added after untrusted text was made safe. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
}

/** Colours where the terminal takes them, nothing elsewhere. */
export function styleOf(io: Pick<Io, "hasColour">): Style {
  const wrap = (code: number) => (text: string) =>
    io.hasColour ? `\u001B[${code}m${text}\u001B[0m` : text;
  return { bold: wrap(1), dim: wrap(2) };
}

/** Rows in columns, two spaces apart; the last column is as wide as it is. */
export function columns(rows: readonly (readonly string[])[]): string {
  const safe = rows.map((row) => row.map((cell) => safeText(cell)));
  const widths = (safe[0] ?? []).map((_, index) =>
    // Not as arguments of one call: those of 120,000 rows are more than a stack holds.
    safe.reduce((widest, row) => Math.max(widest, (row[index] ?? "").length), 0),
  );
  return safe
    .map((row) =>
      row
        .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** An age as people say it: `5m`, `3h`, `2d`. */
export function ageOf(nowMs: number, atMs: number): string {
  const minutes = Math.max(0, Math.floor((nowMs - atMs) / 60_000));
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

/** A time that a record tells; one that cannot be is told as what its device's clock said (CP69). */
export function wallTimeText(ms: number, nowMs: number): string {
  if (isCredibleTime(ms, nowMs)) return dateText(ms);
  return `unknown (the clock of its device said ${dateText(ms)})`;
}

/** A count with its noun: `1 op`, `3 ops`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A field's value on one safe line; a time, such as `createdAt`, as a date. */
export function fieldText(field: string, value: unknown, widthMax = 200): string {
  const isTime = typeof value === "number" && /[a-z]At$/u.test(field);
  return isTime ? dateText(value) : valueText(value, widthMax);
}

/** A value of any shape on one safe line. */
export function valueText(value: unknown, widthMax = 200): string {
  return safeText(typeof value === "string" ? value : JSON.stringify(value), widthMax);
}

/** Who wrote something, a person and their device, as far as this device was told. */
export function authorName({ user, device }: Author): string {
  return `${user ?? "unknown"}/${device ?? "unknown"}`;
}
