import { join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import { sha256 } from "../../../../platform/hash.ts";
import type { ScrubProjectFile } from "../../../../config/scrub-control.ts";
import { safeText } from "../../../../platform/terminal.ts";
import { writeScrubTrust } from "../../../../platform/scrub-trust.ts";
import { findScrubFile, scrubFileDigest } from "../../../../wiring/scrub-control.ts";
import { waitTurn } from "../../../../wiring/wait-turn.ts";
import { stopped } from "../../ask.ts";
import type { Outcome } from "../../command.ts";
import type { CliDeps } from "../../deps.ts";
import { trouble, type Trouble } from "../../trouble.ts";

/**
 * Notes the user's consent to what a project's scrub file lets through (SC56). It is asked for on a
 * terminal and nowhere else: a script, and an agent, can be told what to type.
 */
export async function trustProject(deps: CliDeps): Promise<Outcome> {
  if (deps.origin === "agent" || !deps.io.hasPerson) {
    const hint = "read the file, and run it in a terminal of your own";
    return refuse("not-a-person", "only a person can agree to less scrubbing", hint);
  }
  const found = projectFile(deps);
  if (!found.ok) return found;
  const { path } = found.value;
  const weakens = deps.home().scrubControl().project?.weakens ?? [];
  if (weakens.length > 0 && !(await agrees(deps, path, weakens))) return stopped;
  const written = await noteConsent(deps, path, scrubFileDigest(sha256, found.value));
  if (!written.ok) return written;
  const what = weakens.length === 0 ? "it only adds" : `it ${weakens.join(" and ")}`;
  return ok({
    json: { path, trusted: true, weakens },
    text: `trusted until it changes: ${safeText(path)}\n${safeText(what)}`,
  });
}

/** Takes the consent back. */
export async function distrustProject(deps: CliDeps): Promise<Outcome> {
  const found = projectFile(deps);
  if (!found.ok) return found;
  const { path } = found.value;
  const written = await noteConsent(deps, path, undefined);
  if (!written.ok) return written;
  return ok({
    json: { path, trusted: false, weakens: deps.home().scrubControl().project?.weakens ?? [] },
    text: `no longer trusted: ${safeText(path)}`,
  });
}

/** In turn: a program that reads what another is about to write would put it back (OPS114). */
async function noteConsent(
  deps: CliDeps,
  path: string,
  digest: string | undefined,
): Promise<Result<undefined, Trouble>> {
  const { stateHome, scrubTrust } = deps.home().paths;
  const turn = await waitTurn(join(stateHome, "trust.lock"));
  if (!turn.ok)
    return refuse("busy", `another program is at ${scrubTrust}`, "try again in a moment");
  try {
    const written = writeScrubTrust(scrubTrust, path, digest);
    if (written.ok) return ok(undefined);
    const { kind, path: place, hint } = written.error;
    return refuse(kind, `${place} cannot be used`, hint);
  } finally {
    turn.value.release();
  }
}

function projectFile(deps: CliDeps): Result<ScrubProjectFile, Trouble> {
  const home = deps.home();
  const found = findScrubFile({ env: home.env, folder: home.folder });
  if (!found.ok)
    return refuse(
      "bad-scrub-settings",
      `${found.error.path}: ${found.error.problems.join("; ")}`,
      "mend it",
    );
  if (found.value !== undefined) return ok(found.value);
  const hint = "it is looked for upwards, to the top of the repository";
  return refuse("no-file", "no .tidemark/scrub.toml belongs to this folder", hint);
}

async function agrees({ io }: CliDeps, path: string, weakens: readonly string[]): Promise<boolean> {
  const what = `${path} ${weakens.join(" and ")}.\nIs less to be scrubbed here? [y/N] `;
  return /^y(?:es)?$/iu.test((await io.ask(safeText(what)))?.trim() ?? "");
}

function refuse(code: string, message: string, hint: string): Result<never, Trouble> {
  return fail(trouble({ code, message, hint }));
}
