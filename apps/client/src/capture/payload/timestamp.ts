const isoPattern = (): RegExp =>
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,3})\d*)?Z$/u;

/** Milliseconds since 1970 of an ISO 8601 time in UTC, or `undefined` for any other value. */
export function isoToMs(text: unknown): number | undefined {
  const match = typeof text === "string" ? isoPattern().exec(text) : null;
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1, 7)
    .map(Number);
  const ms = Number((match[7] ?? "0").padEnd(3, "0"));
  return (
    ((daysSince1970(year, month, day) * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000 + ms
  );
}

/** Days of the proleptic Gregorian calendar, years counted from March so that leap days come last. */
function daysSince1970(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * 146_097 + yearOfEra * 365 + leapDays + dayOfYear - 719_468;
}
