/** Wall and processor seconds of `work` in this process. */
export function measured(work: () => Promise<void>): Promise<{ wall: number; cpu: number }>;

/** Runs the verb that the arguments name and prints its answer as one line of JSON. */
export function runVerbs(
  verbs: Readonly<Record<string, (place: { readonly folder: string }) => unknown>>,
): Promise<void>;
