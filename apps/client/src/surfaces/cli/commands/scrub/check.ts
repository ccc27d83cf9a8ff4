import { relative, resolve } from "node:path";
import { ok } from "@tidemark/protocol";
import { createScrubStream, type Finding, type Scrubber } from "@tidemark/scrubber";
import { safeText } from "../../../../platform/terminal.ts";
import { fileText, filesAt } from "../../../../platform/tree-files.ts";
import type { Call, Outcome } from "../../command.ts";
import type { CliDeps } from "../../deps.ts";
import { jsonText } from "../../json.ts";
import { counted } from "../../render/text.ts";
import { misuse, trouble, type Trouble } from "../../trouble.ts";
import { type FileFinding, findingJson, listFindings } from "./listing.ts";
import { placeFindings } from "./places.ts";
import { startProgress } from "../../progress.ts";
import { sarifLog } from "./sarif.ts";

/** Forms in which findings are printed. */
const formats = ["text", "json", "sarif"] as const;
type Format = (typeof formats)[number];

interface Checked {
  readonly findings: FileFinding[];
  readonly unreadable: string[];
  files: number;
  binaries: number;
}

/** Looks through files and folders and reports what a scrub would take out (CL44). */
export function checkFiles(deps: CliDeps, call: Call): Outcome {
  const format = formatOf(call);
  if (format === undefined) {
    return { ok: false, error: misuse("the format is text, json or sarif", "--format sarif") };
  }
  const home = deps.home();
  const given = call.words.length === 0 ? ["."] : call.words;
  const paths: string[] = [];
  for (const each of given) {
    const found = filesAt(resolve(home.folder, each));
    if (found.kind === "missing") {
      return { ok: false, error: misuse(`there is no ${each}`, "check the path") };
    }
    paths.push(...found.paths);
  }
  const scrubber = home.scrubberWith({ keepsJson: false });
  const checked: Checked = { findings: [], unreadable: [], files: 0, binaries: 0 };
  const root = home.scrubRoot();
  const settings = home.scrubControl().project?.path;
  const progress = startProgress(deps, { isRead: call.isJson });
  const all = new Set(paths);
  for (const path of all) {
    checkFile({ scrubber, folder: home.folder, root, settings }, path, checked);
    progress.tell(
      `${counted(checked.files, "file")}, ${counted(checked.findings.length, "finding")}`,
      checked.files / all.size,
    );
  }
  progress.end();
  for (const line of checked.unreadable) deps.io.err(`error: ${safeText(line)}\n`);
  return ok({ json: documentOf(format, checked, deps), ...textOf(format, checked, deps) });
}

function formatOf(call: Call): Format | undefined {
  const wanted = call.text("format") ?? (call.isJson ? "json" : "text");
  return formats.find((each) => each === wanted);
}

interface CheckDeps {
  readonly scrubber: Scrubber;
  readonly folder: string;
  /** Folder to which the globs of allowed paths are relative. */
  readonly root: string;
  /** The file that names the literals, which is no place to find them. */
  readonly settings: string | undefined;
}

function checkFile(
  { scrubber, folder, root, settings }: CheckDeps,
  path: string,
  checked: Checked,
): void {
  const shown = slashed(relative(folder, path));
  const text = fileText(path);
  if (text.kind === "unreadable") {
    checked.unreadable.push(`${shown} cannot be read: ${text.code}`);
    return;
  }
  checked.files += 1;
  if (text.kind === "binary") {
    checked.binaries += 1;
    return;
  }
  const found: Finding[] = [];
  const stream = createScrubStream(scrubber, {
    hint: { path: slashed(relative(root, path)) },
    onFinding: (finding) => {
      if (path !== settings || finding.kind !== "literal") found.push(finding);
    },
  });
  for (const chunk of text.chunks) stream.write(chunk);
  stream.end();
  if (found.length === 0) return;
  for (const each of placeFindings(found, text.chunks)) {
    checked.findings.push({ ...each, path: shown });
  }
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

function documentOf(format: Format, checked: Checked, deps: CliDeps): object {
  if (format === "sarif") return sarifLog(checked.findings, deps.version);
  const { files, binaries, findings } = checked;
  return {
    files,
    binaries,
    findings: findings.map((each) => ({ path: each.path, ...findingJson(each) })),
  };
}

function textOf(
  format: Format,
  checked: Checked,
  deps: CliDeps,
): { readonly text: string; readonly trouble: Trouble | undefined } {
  const { files, binaries, findings } = checked;
  const open = troubleOf(checked);
  if (format !== "text")
    return { text: jsonText(documentOf(format, checked, deps)), trouble: open };
  const passed = binaries === 0 ? "" : `, ${binaries} of them no text`;
  const text =
    findings.length === 0 ? `${counted(files, "file")}${passed}: clean` : listFindings(findings);
  return { text, trouble: open };
}

function troubleOf({ findings, unreadable, files }: Checked): Trouble | undefined {
  if (findings.length > 0) {
    const holders = new Set(findings.map(({ path }) => path)).size;
    return trouble({
      code: "findings",
      message: `${counted(findings.length, "finding")} in ${holders} of ${counted(files, "file")}`,
      hint: "take them out, and have secrets revoked; allow what is none by its tag in .tidemark/scrub.toml",
    });
  }
  if (unreadable.length === 0) return undefined;
  const message = `${counted(unreadable.length, "file")} could not be read`;
  return trouble({ code: "unreadable", message, hint: "check who may read them" });
}
