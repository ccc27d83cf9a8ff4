export function smoke(wanted: {
  readonly archives: readonly string[];
  /** A version of Node that npm fetches; the running one if undefined. */
  readonly version: string | undefined;
}): string;
