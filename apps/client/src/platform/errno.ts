/** The operating system's code of an error, such as `ENOENT`; undefined for any other error. */
export function errnoOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !("code" in cause)) return undefined;
  return typeof cause.code === "string" ? cause.code : undefined;
}
