/** How long ago something was, as people say it. */
export function agoText(atMs: number | null | undefined, nowMs: number): string {
  if (atMs === null || atMs === undefined) return "never";
  const seconds = Math.max(0, Math.floor((nowMs - atMs) / 1000));
  if (seconds < 60) return "just now";
  const [count, unit] = inUnits(seconds);
  return `${counted(count, unit)} ago`;
}

function inUnits(seconds: number): readonly [number, string] {
  if (seconds < 3_600) return [Math.floor(seconds / 60), "minute"];
  if (seconds < 86_400) return [Math.floor(seconds / 3_600), "hour"];
  if (seconds < 86_400 * 60) return [Math.floor(seconds / 86_400), "day"];
  return [Math.floor(seconds / (86_400 * 30.44)), "month"];
}

const times = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});
const days = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});
const shortDays = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});
const numbers = new Intl.NumberFormat("en-GB");

/** The last moment that can be told as a date. */
const timeMsMax = 8.64e15;

function dated(format: Intl.DateTimeFormat, atMs: number): string {
  return Math.abs(atMs) <= timeMsMax ? format.format(atMs) : "an unknown time";
}

/** A moment, in UTC. */
export function timeText(atMs: number): string {
  return `${dated(times, atMs)} UTC`;
}

/** A day, in UTC. */
export function dayText(atMs: number): string {
  return dated(days, atMs);
}

/** A day as an axis has room for it. */
export function shortDayText(atMs: number): string {
  return dated(shortDays, atMs);
}

/** A number with its thousands set apart. */
export function numberText(value: number): string {
  return numbers.format(value);
}

/** So many of something. */
export function counted(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

const units = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** A size as people read it. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
