import {
  fail,
  isArray,
  isObject,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from "@tidemark/protocol";
import { settings, type SettingKey } from "./settings.ts";

/** What a file of settings says, as texts like those of flags, and what is wrong with it. */
export interface FileSettings {
  readonly path: string;
  readonly texts: Readonly<Partial<Record<SettingKey, string>>>;
  readonly mistakes: readonly FileMistake[];
}

/** A file as it was found. */
export interface FoundFile {
  readonly text: string;
  readonly isReadableByOthers: boolean;
  readonly isWritableByOthers: boolean;
}

/** How a file of settings is named; a flag and the environment outrank what it says. */
export const settingsFile = {
  flag: "--config",
  env: "TIDEMARK_CONFIG",
  help: "a JSON file of settings, by the names that `config` prints; all else outranks it",
} as const;

/** One thing wrong with a file; {@link fix} says what would be right, and repeats no value. */
export interface FileMistake {
  /** The name in the file; undefined where it is the file itself. */
  readonly name: string | undefined;
  readonly fix: string;
}

/** Reads a file of settings: a JSON object with the names that `config` prints (OPS91). */
export function readFileSettings(path: string, found: FoundFile): FileSettings {
  const object = parsed(found.text);
  if (!object.ok) return wrong(path, object.error);
  if (found.isWritableByOthers) return wrong(path, "may be changed by others: chmod go-w");
  const texts: Partial<Record<SettingKey, string>> = {};
  const mistakes: FileMistake[] = [];
  for (const [name, value] of Object.entries(object.value)) {
    const key = keyOf(name);
    const told = textOf(value);
    if (key === undefined) mistakes.push({ name, fix: unknownFix(name) });
    else if (told === undefined)
      mistakes.push({ name, fix: "must be a text, a number, true, false or a list of texts" }); // prettier-ignore
    else texts[key] = told;
  }
  const secret = (Object.keys(texts) as SettingKey[]).find((key) => isSecret(key));
  if (secret !== undefined && found.isReadableByOthers) {
    mistakes.push({ name: secret, fix: "is a secret, and others can read the file: chmod 600" });
  }
  return { path, texts, mistakes };
}

/** Of a file that is named and is not there, or cannot be read. */
export function unreadable(path: string): FileSettings {
  return wrong(path, "cannot be read: is it there, and open to the user that the server runs as?");
}

function wrong(path: string, fix: string): FileSettings {
  return { path, texts: {}, mistakes: [{ name: undefined, fix }] };
}

function parsed(text: string): Result<JsonObject, string> {
  try {
    const value = JSON.parse(text.replace(/^\uFEFF/u, "")) as JsonValue;
    if (isObject(value)) return ok(value);
  } catch {
    // What the parser says quotes the text, and a secret may stand there.
  }
  return fail('must hold a JSON object, such as {"port": 8420}');
}

function keyOf(name: string): SettingKey | undefined {
  return Object.hasOwn(settings, name) ? (name as SettingKey) : undefined;
}

function isSecret(key: SettingKey): boolean {
  return "isSecret" in settings[key];
}

function textOf(value: JsonValue): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "on" : "off";
  if (!isArray(value)) return undefined;
  return value.every((each) => typeof each === "string") ? value.join(",") : undefined;
}

/** Many write a variable or a flag where its name in the file is meant. */
function unknownFix(name: string): string {
  const meant = (Object.keys(settings) as SettingKey[]).find((key) => {
    const { env, flag } = settings[key];
    const names = [env, flag, flag.slice(2), key].map((each) => each.toLowerCase());
    return names.includes(name.toLowerCase());
  });
  return meant === undefined
    ? "is no setting; tidemark-server config lists all"
    : `is called ${meant} in a file`;
}
