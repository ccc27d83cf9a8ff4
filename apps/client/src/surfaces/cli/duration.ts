import { fail, ok, type Result } from "@tidemark/protocol";
import { misuse, type Trouble } from "./trouble.ts";

const secondsByUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** A time such as `30m` or `7d` in seconds; undefined where none is given. */
export function secondsOf(
  text: string | undefined,
  daysMax = 30,
): Result<number | undefined, Trouble> {
  if (text === undefined) return ok(undefined);
  const [, count = "", unit = ""] = /^(\d{1,6})([smhd])$/u.exec(text) ?? [];
  const seconds = Number(count) * (secondsByUnit[unit] ?? 0);
  if (seconds >= 60 && seconds <= daysMax * 86_400) return ok(seconds);
  return fail(
    misuse(
      `${text} is no time that a link may have`,
      `give 1m to ${daysMax}d, such as 30m, 12h or 7d`,
    ),
  );
}
