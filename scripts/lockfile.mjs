// Reads pnpm-lock.yaml: what is installed, from where, and what needs what.
import { readFileSync } from "node:fs";

/**
 * The lockfile as nested maps of texts. It reads the shape that pnpm writes (maps, one key a line,
 * values plain, quoted or in braces; lists, which nobody asks for) and refuses any other line, so
 * that nothing is overlooked.
 */
export function readLockfile(file) {
  const top = new Map();
  const open = [{ indent: -1, map: top }];
  for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
    if (line.trim() === "" || /^ +- \S+$/.test(line)) continue;
    const [, blanks, quoted, plain, value] =
      /^( *)(?:'((?:[^']|'')+)'|([\w.][^:]*)):(?: (.+))?$/.exec(line) ?? [];
    const key = quoted?.replaceAll("''", "'") ?? plain;
    if (key === undefined) throw new Error(`${file}:${index + 1} is not what pnpm writes`);
    while (open.at(-1).indent >= blanks.length) open.pop();
    const { map } = open.at(-1);
    if (map.has(key)) throw new Error(`${file}:${index + 1} names ${key} twice`);
    if (value !== undefined) map.set(key, value === "{}" ? new Map() : unquoted(value));
    else {
      const inner = new Map();
      map.set(key, inner);
      open.push({ indent: blanks.length, map: inner });
    }
  }
  return top;
}

function unquoted(value) {
  return /^'.*'$/.test(value) ? value.slice(1, -1).replaceAll("''", "'") : value;
}

/** `name@version` of a package, without the peers it was installed with. */
export function packageOf(snapshot) {
  return snapshot.replace(/\(.*$/, "");
}

/** The name and the version of `name@version`. */
export function partsOf(id) {
  const at = id.lastIndexOf("@");
  return { name: id.slice(0, at), version: id.slice(at + 1) };
}

/** The snapshots that an entry of the lockfile needs when it runs, also those of other systems. */
export function neededBy(entry) {
  return ["dependencies", "optionalDependencies"].flatMap((kind) =>
    [...(entry.get(kind) ?? [])].map(([name, wanted]) => {
      const version = typeof wanted === "string" ? wanted : wanted.get("version");
      return { name, version, snapshot: `${name}@${version}` };
    }),
  );
}
