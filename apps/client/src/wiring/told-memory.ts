import { fileBytes } from "../platform/file-bytes.ts";
import { safeText } from "../platform/terminal.ts";
import { createCheckNotice } from "../surfaces/cli/check-notice.ts";
import type { Io } from "../surfaces/cli/io.ts";
import type { Home } from "./home.ts";
import { openMemory, type Memory } from "./memory.ts";
import { untoldRepair } from "./repair-note.ts";

/** Opens the database, and tells whoever sits at the terminal why it takes a while, and what was repaired. */
export function openTold(home: Home, io: Pick<Io, "err" | "isErrTty">): Memory {
  const notice = createCheckNotice(io, () => fileBytes(home.paths.database));
  try {
    const memory = openMemory(home, {
      onDueCheck: () => {
        notice.begin("checking the database, as once a day");
      },
    });
    for (const line of untoldRepair(memory, io.isErrTty)) io.err(`warning: ${safeText(line)}\n`);
    return memory;
  } finally {
    notice.end();
  }
}
