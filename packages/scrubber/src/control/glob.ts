/** Says whether a path, with slashes and relative to where the pattern was written, matches. */
export type PathTest = (path: string) => boolean;

/**
 * Compiles a glob: `*` and `?` within a name, `**` for any folders. A pattern without a slash
 * means a name at any depth; one that matches a folder means all that lies in it. Takes time in
 * proportion to the lengths of the pattern and the path.
 */
export function compileGlob(pattern: string): PathTest {
  const written = pattern.replace(/^\.?\//, "").replace(/\/$/, "");
  const steps = written.includes("/") ? written.split("/") : ["**", written];
  const parts = steps.at(-1) === "**" ? steps : [...steps, "**"];
  return (path) => {
    const names = path
      .replaceAll("\\", "/")
      .split("/")
      .filter((name) => name !== "" && name !== ".");
    return matchAll(parts, names, { isAny: (part) => part === "**", isOne: matchName });
  };
}

interface Steps<T> {
  readonly isAny: (part: string) => boolean;
  readonly isOne: (part: string, item: T) => boolean;
}

/** Matches with one place to come back to: the last `any` takes what follows if nothing else does. */
function matchAll<T>(parts: readonly string[], items: readonly T[], steps: Steps<T>): boolean {
  let part = 0;
  let item = 0;
  let anyPart = -1;
  let anyItem = 0;
  while (item < items.length) {
    const wanted = parts[part];
    if (wanted !== undefined && steps.isAny(wanted)) {
      anyPart = part++;
      anyItem = item;
    } else if (wanted !== undefined && steps.isOne(wanted, items[item] as T)) {
      part++;
      item++;
    } else if (anyPart >= 0) {
      part = anyPart + 1;
      item = ++anyItem;
    } else return false;
  }
  while (part < parts.length && steps.isAny(parts[part] as string)) part++;
  return part === parts.length;
}

function matchName(pattern: string, name: string): boolean {
  return matchAll(Array.from(pattern), Array.from(name), {
    isAny: (part) => part === "*",
    isOne: (part, char) => part === "?" || part === char,
  });
}
