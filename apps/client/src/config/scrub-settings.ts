import { fail, ok, type Result } from "@tidemark/protocol";
import {
  type Control,
  faultsOfControl,
  type PersonalKind,
  personalKinds,
  type UserRule,
} from "@tidemark/scrubber";

/** What a file asks the scrubber for. */
export interface ScrubSettings {
  readonly literals: readonly string[];
  readonly rules: readonly UserRule[];
  readonly allow: Readonly<Record<AllowName, readonly string[]>>;
  /** Personal data by kind: taken out, or left although another file asks for it. */
  readonly personalData: ReadonlyMap<PersonalKind, boolean>;
}

/** The lists of what stays. */
export type AllowName = (typeof allowNames)[number];

const allowNames = ["tags", "kinds", "paths"] as const;
const sectionNames = ["literals", "rules", "allow", "personalData"] as const;
const ruleNames = ["id", "kind", "anchors", "body"] as const;

type Table = Readonly<Record<string, unknown>>;

/** Settings that ask for nothing. */
export const noScrubSettings: ScrubSettings = {
  literals: [],
  rules: [],
  allow: { tags: [], kinds: [], paths: [] },
  personalData: new Map(),
};

/**
 * Reads what a parsed file says of the scrubber. Every mistake is told at once, by its key (OPS51),
 * and a key that is unknown is one: a misspelt `literals` would take nothing out.
 */
export function readScrubSettings(value: unknown): Result<ScrubSettings, readonly string[]> {
  const problems: string[] = [];
  const file = tableOf(value, "", problems);
  refuseUnknown(file, sectionNames, "", problems);
  const allow = tableOf(file["allow"] ?? {}, "allow", problems);
  refuseUnknown(allow, allowNames, "allow.", problems);
  const settings: ScrubSettings = {
    literals: textsOf(file["literals"], "literals", problems),
    rules: rulesOf(file["rules"], problems),
    allow: {
      tags: textsOf(allow["tags"], "allow.tags", problems),
      kinds: textsOf(allow["kinds"], "allow.kinds", problems),
      paths: textsOf(allow["paths"], "allow.paths", problems),
    },
    personalData: personalOf(file["personalData"], problems),
  };
  if (problems.length === 0) problems.push(...problemsOf(settings));
  return problems.length === 0 ? ok(settings) : fail(problems);
}

/** What is wrong with settings that have the right form. */
export function problemsOf(settings: Control): readonly string[] {
  return faultsOfControl(settings).map(
    ({ where, message, hint }) => `${where}: ${message}; ${hint}`,
  );
}

function tableOf(value: unknown, where: string, problems: string[]): Table {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  problems.push(where === "" ? "expected a table" : `${where}: expected a table`);
  return {};
}

function refuseUnknown(
  table: Table,
  known: readonly string[],
  prefix: string,
  problems: string[],
): void {
  for (const key of Object.keys(table)) {
    if (known.includes(key)) continue;
    problems.push(`${prefix}${keyText(key)}: unknown; the keys are ${known.join(", ")}`);
  }
}

/** A key as a message may show it: what was typed as a key may be a value gone astray. */
function keyText(key: string): string {
  return /^[\w-]{1,32}$/u.test(key) ? key : "a key";
}

function textsOf(value: unknown, where: string, problems: string[]): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    problems.push(`${where}: expected a list of texts`);
    return [];
  }
  return value.flatMap((each: unknown, index) => {
    if (typeof each === "string") return [each];
    problems.push(`${where}[${index}]: expected a text`);
    return [];
  });
}

function rulesOf(value: unknown, problems: string[]): readonly UserRule[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    problems.push("rules: expected a list of tables, each under [[rules]]");
    return [];
  }
  return value.flatMap((each: unknown, index) => {
    const where = `rules[${index}]`;
    const known = problems.length;
    const rule = tableOf(each, where, problems);
    refuseUnknown(rule, ruleNames, `${where}.`, problems);
    const anchors = textsOf(rule["anchors"], `${where}.anchors`, problems);
    const [id, kind, body] = (["id", "kind", "body"] as const).map((name) => {
      const text = rule[name];
      if (typeof text === "string") return text;
      problems.push(`${where}.${name}: expected a text`);
      return "";
    }) as [string, string, string];
    return problems.length === known ? [{ id, kind, anchors, body }] : [];
  });
}

/** `true`, `false`, a list of kinds, or a table that switches kinds on and off. */
function personalOf(value: unknown, problems: string[]): ReadonlyMap<PersonalKind, boolean> {
  if (value === undefined) return new Map();
  const kinds = personalKinds();
  if (typeof value === "boolean") {
    const named = kinds.filter(({ isByNameOnly }) => !value || !isByNameOnly);
    return new Map(named.map(({ kind }) => [kind, value]));
  }
  const wanted = Array.isArray(value)
    ? textsOf(value, "personalData", problems).map((kind) => [kind, true] as const)
    : Object.entries(tableOf(value, "personalData", problems));
  const chosen = new Map<PersonalKind, boolean>();
  for (const [name, isOn] of wanted) {
    const known = kinds.find(({ kind }) => kind === name)?.kind;
    if (known === undefined) {
      const list = kinds.map(({ kind }) => kind).join(", ");
      problems.push(`personalData: ${keyText(name)} is no kind; the kinds are ${list}`);
    } else if (typeof isOn === "boolean") chosen.set(known, isOn);
    else problems.push(`personalData.${name}: expected true or false`);
  }
  return chosen;
}
