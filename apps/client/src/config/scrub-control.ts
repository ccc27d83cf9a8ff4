import { fail, ok, type Result } from "@tidemark/protocol";
import type { PersonalKind, ScrubberOptions, UserRule } from "@tidemark/scrubber";
import { parseScrubFile } from "./scrub-file.ts";
import {
  noScrubSettings,
  problemsOf,
  readScrubSettings,
  type ScrubSettings,
} from "./scrub-settings.ts";

/** What a scrubber is built with beyond its keys. */
export type ScrubOptions = Required<
  Pick<ScrubberOptions, "literals" | "rules" | "allow" | "personalData">
>;

/** A project's file, as found. */
export interface ScrubProjectFile {
  readonly path: string;
  readonly text: string;
}

/** A project's file and what became of it. */
export interface ProjectScrub {
  readonly path: string;
  /** What of it lets more through than the user's own settings do, in words; mostly nothing. */
  readonly weakens: readonly string[];
  /** Whether the user has agreed to that; without it, only the rest is in force. */
  readonly isTrusted: boolean;
}

/** All scrub settings in force. */
export interface ScrubControl {
  readonly options: ScrubOptions;
  /** Whether the user's own settings say anything. */
  readonly hasOwn: boolean;
  readonly project: ProjectScrub | undefined;
}

/** Scrub settings that cannot be used. Nothing is scrubbed with less than was asked for (SC55). */
export interface ScrubControlError {
  readonly kind: "bad-scrub-settings";
  readonly path: string;
  readonly problems: readonly string[];
}

/** Where scrub settings come from. */
export interface ScrubSources {
  /** The user's own, from `config.json`. */
  readonly own: { readonly path: string; readonly file: unknown };
  readonly project: ScrubProjectFile | undefined;
  /** Whether the user has agreed to this very text of the project's file. */
  readonly isTrusted: (file: ScrubProjectFile) => boolean;
}

/**
 * Joins the user's settings and the project's. What a project adds counts at once; what it would
 * let through comes with a cloned repository and waits for the user's consent (SC56). Allowed tags
 * count at once as well: whoever can write one knows the value already.
 */
export function readScrubControl(sources: ScrubSources): Result<ScrubControl, ScrubControlError> {
  const { own, project } = sources;
  const member = memberOf(own.file);
  const mine = readScrubSettings(member ?? {});
  if (!mine.ok)
    return broken(
      own.path,
      mine.error.map((problem) => `scrub: ${problem}`),
    );
  const theirs = project === undefined ? ok(noScrubSettings) : parseScrubFile(project.text);
  if (!theirs.ok) return broken(project?.path ?? "", theirs.error);
  const joined = joinProject(sources, theirs.value);
  const options = join(mine.value, theirs.value, joined?.isTrusted ?? true);
  const problems = problemsOf(options);
  if (problems.length > 0) return broken(project?.path ?? own.path, problems);
  return ok({ options, hasOwn: member !== undefined, project: joined });
}

function joinProject(
  { project, isTrusted }: ScrubSources,
  settings: ScrubSettings,
): ProjectScrub | undefined {
  if (project === undefined) return undefined;
  const weakens = weakenings(settings);
  return {
    path: project.path,
    weakens,
    isTrusted: weakens.length === 0 || isTrusted(project),
  };
}

function memberOf(file: unknown): unknown {
  if (typeof file !== "object" || file === null || !("scrub" in file)) return undefined;
  return file.scrub;
}

function broken(path: string, problems: readonly string[]): Result<never, ScrubControlError> {
  return fail({ kind: "bad-scrub-settings", path, problems });
}

function weakenings({ allow, personalData }: ScrubSettings): readonly string[] {
  const off = [...personalData].flatMap(([kind, isOn]) => (isOn ? [] : [kind]));
  return [
    ...(allow.kinds.length > 0 ? [`allows the kinds ${allow.kinds.join(", ")}`] : []),
    ...(allow.paths.length > 0 ? [`allows all in ${allow.paths.join(", ")}`] : []),
    ...(off.length > 0 ? [`leaves ${off.join(", ")}`] : []),
  ];
}

function join(mine: ScrubSettings, theirs: ScrubSettings, isTrusted: boolean): ScrubOptions {
  const personal = new Map<PersonalKind, boolean>(mine.personalData);
  for (const [kind, isOn] of theirs.personalData) if (isOn || isTrusted) personal.set(kind, isOn);
  const ids = new Set(mine.rules.map(({ id }) => id));
  const added = theirs.rules.map((rule): UserRule =>
    ids.has(rule.id) ? { ...rule, id: `project.${rule.id}`.slice(0, 64) } : rule,
  );
  const trusted = isTrusted ? theirs.allow : noScrubSettings.allow;
  return {
    literals: [...new Set([...mine.literals, ...theirs.literals])],
    rules: [...mine.rules, ...added],
    allow: {
      tags: [...mine.allow.tags, ...theirs.allow.tags],
      kinds: [...mine.allow.kinds, ...trusted.kinds],
      paths: [...mine.allow.paths, ...trusted.paths],
    },
    personalData: [...personal].flatMap(([kind, isOn]) => (isOn ? [kind] : [])),
  };
}
