/**
 * Whether an object in JSON text has two members of one name (WR22): `JSON.parse` takes the last,
 * other readers the first. Expects text that `JSON.parse` takes, of a size that is bounded.
 */
export function repeatsMember(text: string): boolean {
  const open: (Set<string> | undefined)[] = [];
  for (const [token, name] of text.matchAll(tokens())) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (name !== undefined && isKnown(open.at(-1), name)) return true;
  }
  return false;
}

/** Brackets, and texts with their colon where they are names. */
const tokens = (): RegExp => /("[^"\\]*(?:\\.[^"\\]*)*")\s*:|"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/g;

function isKnown(names: Set<string> | undefined, name: string): boolean {
  // An escaped letter is the letter.
  const plain = name.includes("\\") ? (JSON.parse(name) as string) : name.slice(1, -1);
  if (names === undefined || names.has(plain)) return names !== undefined;
  names.add(plain);
  return false;
}
