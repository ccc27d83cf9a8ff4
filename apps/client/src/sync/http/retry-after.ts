import { syncLimits } from "../sync-limits.ts";
import type { NetworkResponse } from "./network.ts";

/**
 * How long the answer's sender wants to be left alone, in milliseconds (WR37). A date is counted
 * from the sender's own `Date`, as this device's clock may be wrong; without one it says nothing.
 * Undefined where there is no such wish, or none that can be read.
 */
export function retryAfterOf({ headers }: Pick<NetworkResponse, "headers">): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(text)) return bounded(Number(text) * 1000);
  const untilSeconds = dateSeconds(text);
  const nowSeconds = dateSeconds(headers.get("date")?.trim() ?? "");
  if (untilSeconds === undefined || nowSeconds === undefined) return undefined;
  return bounded((untilSeconds - nowSeconds) * 1000);
}

/** Within what is believed: a misconfigured proxy must not stop a device for days. */
export function bounded(ms: number): number {
  return Math.min(Math.max(ms, 0), syncLimits.retryAfterMsMax);
}

const monthNames = [
  "Jan",
  "Feb",
  "Mar",
  "Apr",
  "May",
  "Jun",
  "Jul",
  "Aug",
  "Sep",
  "Oct",
  "Nov",
  "Dec",
];
const dayPattern = `[A-Z][a-z]{2}, (0[1-9]|[12]\\d|3[01]) (${monthNames.join("|")}) (\\d{4})`;
const timePattern = "([01]\\d|2[0-3]):([0-5]\\d):([0-5]\\d|60)";
const pattern = new RegExp(`^${dayPattern} ${timePattern} GMT$`);

/** Seconds since the year 0 of an HTTP date (RFC 9110, §5.6.7); only differences mean anything. */
function dateSeconds(text: string): number | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, day = "", name = "", year = "", ...time] = match;
  const [hours = 0, minutes = 0, seconds = 0] = time.map(Number);
  const days = daysOf(Number(year), monthNames.indexOf(name) + 1, Number(day));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/** Days of the Gregorian calendar. The year is counted from March, so that a leap day is its last. */
function daysOf(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const months = month > 2 ? month - 3 : month + 9;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leapDays + Math.floor((153 * months + 2) / 5) + day;
}
