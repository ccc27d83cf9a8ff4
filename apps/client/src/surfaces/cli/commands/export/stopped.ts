import { interrupted } from "../../trouble.ts";

/** Said of an export that a person ended: nothing is left of it (CL65). */
export const stoppedExport = interrupted(
  "stopped before the end: there is no export",
  "nothing in your memory was changed; run the same `tidemark export` again",
);
