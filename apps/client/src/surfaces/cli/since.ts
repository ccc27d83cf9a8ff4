import { fail, ok, type Result } from "@tidemark/protocol";
import { dateMs } from "../../platform/date-text.ts";
import { misuse, type Trouble } from "./trouble.ts";

const msByUnit: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A moment of the past as a person names it: `always` (undefined), a date or a time in ISO 8601, or
 * how long ago it was, such as `12h` or `3d`. In wall milliseconds.
 */
export function sinceOf(text: string, nowMs: number): Result<number | undefined, Trouble> {
  if (text === "always") return ok(undefined);
  const [, count = "", unit = ""] = /^(\d{1,5})([mhd])$/u.exec(text) ?? [];
  const ago = Number(count) * (msByUnit[unit] ?? 0);
  const ms = ago > 0 ? nowMs - ago : dateMs(text);
  if (ms !== undefined && ms > 0 && ms <= nowMs) return ok(ms);
  const message = `${text} is no time in the past`;
  return fail(
    misuse(message, "give 12h or 3d, a date such as 2026-11-20 or 2026-11-20T18:00Z, or always"),
  );
}
