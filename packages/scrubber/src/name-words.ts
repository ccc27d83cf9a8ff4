/** Words with digits that mean something else without them. */
const whole: ReadonlySet<string> = new Set(["p12", "b64", "base64", "ed25519"]);

/** Takes a name apart: `dbPassword2`, `DB_PASSWORD` and `db-password` have the same words. */
export function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => (whole.has(word) ? word : word.replace(/[0-9]+$/, "") || word))
    .filter((word) => word !== "");
}
