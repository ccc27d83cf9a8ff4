import { ok } from "@tidemark/protocol";
import { sha256 } from "../../../../platform/hash.ts";
import { safeText } from "../../../../platform/terminal.ts";
import { writeScrubTrust } from "../../../../platform/scrub-trust.ts";
import { findScrubFile, scrubFileDigest } from "../../../../wiring/scrub-control.ts";
import { stopped } from "../../ask.ts";
import type { Outcome } from "../../command.ts";
import type { CliDeps } from "../../deps.ts";
import { trouble } from "../../trouble.ts";

/**
 * Notes the user's consent to what a project's scrub file lets through, or takes it back (SC56). It
 * is asked for on a terminal and nowhere else: a script, and an agent, can be told what to type.
 */
export async function trustProject(deps: CliDeps, isTrusted: boolean): Promise<Outcome> {
  if (isTrusted && (deps.origin === "agent" || !deps.io.hasPerson)) {
    const hint = "read the file, and run it in a terminal of your own";
    return refuse("not-a-person", "only a person can agree to less scrubbing", hint);
  }
  const home = deps.home();
  const found = findScrubFile({ env: home.env, folder: home.folder });
  if (!found.ok)
    return refuse(
      "bad-scrub-settings",
      `${found.error.path}: ${found.error.problems.join("; ")}`,
      "mend it",
    );
  if (found.value === undefined) {
    const hint = "it is looked for upwards, to the top of the repository";
    return refuse("no-file", "no .tidemark/scrub.toml belongs to this folder", hint);
  }
  const file = found.value;
  const { project } = home.scrubControl();
  const weakens = project?.weakens ?? [];
  if (isTrusted && weakens.length > 0 && !(await agrees(deps, file.path, weakens))) return stopped;
  const digest = isTrusted ? scrubFileDigest(sha256, file) : undefined;
  const written = writeScrubTrust(home.paths.scrubTrust, file.path, digest);
  if (!written.ok)
    return refuse(written.error.kind, `${written.error.path} cannot be used`, written.error.hint);
  const json = { path: file.path, trusted: isTrusted, weakens };
  if (!isTrusted) return ok({ json, text: `no longer trusted: ${safeText(file.path)}` });
  const what = weakens.length === 0 ? "it only adds" : `it ${weakens.join(" and ")}`;
  return ok({ json, text: `trusted until it changes: ${safeText(file.path)}\n${safeText(what)}` });
}

async function agrees({ io }: CliDeps, path: string, weakens: readonly string[]): Promise<boolean> {
  const what = `${path} ${weakens.join(" and ")}.\nIs less to be scrubbed here? [y/N] `;
  return /^y(?:es)?$/iu.test((await io.ask(safeText(what)))?.trim() ?? "");
}

function refuse(code: string, message: string, hint: string): Outcome {
  return { ok: false, error: trouble({ code, message, hint }) };
}
