import { fail, type Result } from "@tidemark/protocol";
import {
  readScrubControl,
  type ScrubControl,
  type ScrubControlError,
  type ScrubProjectFile,
} from "../config/scrub-control.ts";
import type { Environment, Paths } from "../platform/paths.ts";
import { readProjectFile } from "../platform/project-file.ts";
import { readScrubTrust } from "../platform/scrub-trust.ts";

/** Where a project says what its texts are scrubbed of, below one of its folders. */
export const scrubFileName = ".tidemark/scrub.toml";

/** What is needed to find the scrub settings of a folder. */
export interface ScrubPlace {
  readonly env: Environment;
  readonly paths: Paths;
  /** What `config.json` holds, as parsed. */
  readonly configFile: unknown;
  /** Folder from which a project's file is looked for, upwards. */
  readonly folder: string;
  readonly sha256: (text: string) => Uint8Array;
}

/** Reads the scrub settings in force in a folder; any that is broken spoils all (SC55). */
export function loadScrubControl(place: ScrubPlace): Result<ScrubControl, ScrubControlError> {
  const { paths, configFile } = place;
  const project = findScrubFile(place);
  if (!project.ok) return project;
  return readScrubControl({
    own: { path: paths.config, file: configFile },
    project: project.value,
    isTrusted: (file) => isTrusted(place, file),
  });
}

/** The project's file, if there is one. */
export function findScrubFile({
  env,
  folder,
}: Pick<ScrubPlace, "env" | "folder">): Result<ScrubProjectFile | undefined, ScrubControlError> {
  const file = readProjectFile(folder, scrubFileName, env["HOME"]);
  if (file.ok) return file;
  const { path, problem } = file.error;
  return fail({ kind: "bad-scrub-settings", path, problems: [problem] });
}

/** What a user agrees to: a file's text, and not what it may become. */
export function scrubFileDigest(sha256: ScrubPlace["sha256"], { text }: ScrubProjectFile): string {
  return Buffer.from(sha256(text)).toString("hex");
}

function isTrusted({ paths, sha256 }: ScrubPlace, file: ScrubProjectFile): boolean {
  const trust = readScrubTrust(paths.scrubTrust);
  return trust.ok && trust.value[file.path] === scrubFileDigest(sha256, file);
}
