import { isArray, type JsonValue } from "@tidemark/protocol";
import { valueAt } from "./json-settings.ts";

/** One word as a POSIX shell takes it, quoted only where it has to be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** What an entry of an agent's settings starts, as one line; empty where it starts nothing. */
export function startedBy(entry: JsonValue): string {
  const words = ["command", "bash", "args"].flatMap((name): readonly JsonValue[] => {
    const value = valueAt(entry, [name]) ?? null;
    return isArray(value) ? value : [value];
  });
  return words.filter((word) => typeof word === "string").join(" ");
}
