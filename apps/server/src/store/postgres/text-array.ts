/**
 * PostgreSQL's type `text[]`. Its number is fixed, so connections need not ask for array types as
 * they open: postgres.js leaves the failure of that question to nobody, and a connection lost at
 * that moment would end the server.
 */
export const textArrayType = 1009;

/** Writes an array as PostgreSQL reads it. What is text already was written before. */
export function textArray(values: readonly (string | null)[] | string): string {
  if (typeof values === "string") return values;
  const items = values.map((value) =>
    value === null ? "null" : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`,
  );
  return `{${items.join(",")}}`;
}
