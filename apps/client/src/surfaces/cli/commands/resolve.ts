import { collections, fail, ok, type Result } from "@tidemark/protocol";
import { findConflict, resolveConflict, type Resolution } from "../../../memory/resolve.ts";
import { safeText } from "../../../platform/terminal.ts";
import type { Memory } from "../../../wiring/memory.ts";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { stopped } from "../ask.ts";
import { authorName, valueText } from "../render/text.ts";
import { failed } from "../shown.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";

/** Settles a conflict. */
export const resolve: Command = {
  arguments: [{ syntax: "<id>", help: "the conflict's id, or its first 6 characters or more" }],
  options: [
    { flags: "--keep <which>", help: "`current` (the value that stands) or `losing`" },
    { flags: "--value <text>", help: "a third value" },
  ],
  notes: "Without an option a script keeps the value that stands; a person is asked.",
  run: async (deps, call) => {
    const given = givenResolution(call);
    if (!given.ok) return given;
    const memory = deps.memory();
    const [id = ""] = call.args;
    const stops = stopsAt(memory, id);
    if (stops !== undefined) return stops;
    const shown = findConflict(memory.store.reads, id);
    const seen = JSON.stringify(shown.ok ? shown.value.current : null);
    const resolution =
      given.value === undefined ? await askedResolution(deps, call, memory) : ok(given.value);
    if (resolution === undefined) return stopped;
    if (!resolution.ok) return resolution;
    const done = resolveConflict(
      memory,
      id,
      resolution.value,
      (current) => given.value !== undefined || JSON.stringify(current) === seen,
    );
    if (!done.ok) return done.error.kind === "forgotten" ? settledAlready(id) : failed(done.error);
    const { record, field } = done.value;
    const { keep } = resolution.value;
    return ok({ json: { id, record, field, kept: keep }, text: `settled ${field} of ${record}` });
  },
};

/** How it ends where an id names no open conflict; undefined where it does. */
function stopsAt(memory: Memory, id: string): Outcome | undefined {
  const { reads } = memory.store;
  const open = reads.find(id, { collection: collections.conflict });
  if (open.ok) return undefined;
  if (open.error.kind === "forgotten") return settledAlready(id);
  const other = open.error.kind === "unknown-record" ? reads.find(id) : open;
  if (!other.ok) return failed(other.error.kind === "ambiguous" ? open.error : other.error);
  const message = `${other.value.id} is no conflict, it is of the kind ${other.value.collection}`;
  return fail(trouble({ code: "not-a-conflict", message, hint: "tidemark conflicts" }));
}

/**
 * Settling twice is what a script that was cut off does, or a person who was asked while somebody else
 * settled it; a tombstone says no more.
 */
function settledAlready(id: string): Outcome {
  const json = { id, record: null, field: null, kept: null };
  return ok({ json, text: safeText(`settled already: ${id}`) });
}

/** What the options say; undefined where they say nothing. */
function givenResolution(call: Call): Result<Resolution | undefined, Trouble> {
  const value = call.text("value");
  const keep = call.text("keep");
  if (value === undefined) return keep === undefined ? ok(undefined) : kept(keep);
  if (keep === undefined) return ok({ keep: "other", value });
  return fail(misuse("--keep and --value exclude each other", "give one of the two"));
}

/** What a person answers who is shown both values; undefined where they give no answer. */
async function askedResolution(
  deps: CliDeps,
  call: Call,
  memory: Memory,
): Promise<Result<Resolution, Trouble> | undefined> {
  if (call.isJson || !deps.io.hasPerson) return ok({ keep: "current" });
  const shown = both(memory, call.args[0] ?? "");
  const answer = await deps.io.ask(`${shown}Keep which value, current or losing? `);
  return answer === undefined ? undefined : kept(answer.trim());
}

/** A conflict as somebody has to see it who chooses. */
function both({ store: { reads } }: Memory, id: string): string {
  const found = findConflict(reads, id);
  if (!found.ok) return "";
  const { namespace, record, field, current, value, author } = found.value;
  const title = valueText(reads.get(namespace, record)?.fields["title"] ?? "", 60);
  return (
    `${safeText(field)} of “${title}” (${record.slice(0, 10)})\n` +
    `  current: ${valueText(current)}\n` +
    `  losing:  ${valueText(value)}  (${safeText(authorName(author))})\n`
  );
}

function kept(answer: string | undefined): Result<Resolution, Trouble> {
  if (answer === "current" || answer === "losing") return ok({ keep: answer });
  return fail(misuse("which value to keep is not clear", "--keep current, or --keep losing"));
}
