import { largeDatabaseBytes } from "../../store/repair/large-database.ts";
import type { Io } from "./io.ts";
import { clearLine } from "./progress.ts";

/** Tells a person in a terminal that a command waits for the check of a large database (TM7). */
export function createCheckNotice(
  io: Pick<Io, "isErrTty" | "err">,
  databaseBytes: () => number,
): { readonly begin: () => void; readonly end: () => void } {
  let isShown = false;
  return {
    begin: () => {
      if (!io.isErrTty || databaseBytes() < largeDatabaseBytes) return;
      isShown = true;
      io.err("checking the database, as once a day …");
    },
    end: () => {
      if (isShown) io.err(clearLine);
      isShown = false;
    },
  };
}
