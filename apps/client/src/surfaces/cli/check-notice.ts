import type { Io } from "./io.ts";
import { clearLine } from "./progress.ts";

/** A smaller database is checked within half a second. */
const largeBytes = 16 * 1024 * 1024;

/** Tells a person in a terminal that a command waits for the check of a large database (TM7). */
export function createCheckNotice(
  io: Pick<Io, "isErrTty" | "err">,
  databaseBytes: () => number,
): { readonly begin: () => void; readonly end: () => void } {
  let isShown = false;
  return {
    begin: () => {
      if (!io.isErrTty || databaseBytes() < largeBytes) return;
      isShown = true;
      io.err("checking the database, as once a day …");
    },
    end: () => {
      if (isShown) io.err(clearLine);
      isShown = false;
    },
  };
}
