import { largeDatabaseBytes } from "../../store/repair/large-database.ts";
import type { Io } from "./io.ts";
import { clearLine } from "./progress.ts";

/** Tells a person in a terminal that a command waits for the look through a large database (TM7). */
export function createCheckNotice(
  io: Pick<Io, "isErrTty" | "err">,
  databaseBytes: () => number,
): { readonly begin: (what: string) => void; readonly end: () => void } {
  let isShown = false;
  return {
    begin: (what) => {
      if (!io.isErrTty || databaseBytes() < largeDatabaseBytes) return;
      isShown = true;
      io.err(`${what} …`);
    },
    end: () => {
      if (isShown) io.err(clearLine);
      isShown = false;
    },
  };
}
