import { collections, fail, ok, type Result } from "@tidemark/protocol";
import { safeText } from "../../../platform/terminal.ts";
import type { FindError } from "../../../store/store.ts";
import type { Command } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { namesOf } from "../names.ts";
import { counted } from "../render/text.ts";
import { memoryAt, placeOption } from "../scope.ts";
import { failed } from "../shown.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";
import { sessionDocument } from "./session/document.ts";

/** Writes one session into a file that a browser shows by itself. */
export const exportSession: Command = {
  arguments: [{ syntax: "<id>", help: "a session's id, or its first 6 characters or more" }],
  options: [
    placeOption,
    { flags: "--html <file>", help: "into a new HTML file that only you can read" },
  ],
  notes:
    "What it was for, what it left and what happened, in one file that loads nothing and runs\n" +
    "nothing. Events are there only on the device where the session ran, for as long as it keeps\n" +
    "them. `tidemark list --json` names the session of each observation, `tidemark dashboard` lists\n" +
    "sessions.",
  run: async (deps, call) => {
    const [asked = ""] = call.args;
    const path = call.text("html");
    if (path === undefined) return fail(misuse("no file is named", "add --html FILE"));
    const memory = memoryAt(deps, call);
    if (!memory.ok) return memory;
    const { store, sha256 } = memory.value;
    const found = store.reads.find(asked, { collection: collections.session });
    const id = found.ok ? found.value.id : asked;
    const events = store.sessions.events(id);
    if (!found.ok && isNothingOf(found.error, events)) return failed(found.error);
    const record = found.ok ? found.value : undefined;
    const isPlaced = call.text("namespace") !== undefined && record !== undefined;
    const namespaces = isPlaced ? [record.namespace] : undefined;
    const all = { session: id, includeHidden: true, order: "oldest", namespaces } as const;
    const observations = store.reads.list(all);
    const names = namesOf(deps);
    const text = await sessionDocument({ id, record, events, observations, names }, sha256);
    const written = writeNew(deps, path, text);
    if (!written.ok) return written;
    const counts = { observations: observations.length, events: events.length };
    const told = `${counted(counts.observations, "observation")} and ${counted(counts.events, "event")}`;
    const json = { session: id, file: path, ...counts };
    return ok({ json, text: safeText(`wrote ${told} to ${path}`) });
  },
};

/** Before its first digest a session has events and no record; a forgotten one is gone (ST29). */
function isNothingOf({ kind }: FindError, events: readonly unknown[]): boolean {
  return kind === "forgotten" || events.length === 0;
}

function writeNew({ files }: CliDeps, path: string, text: string): Result<void, Trouble> {
  const file = files.create(path);
  if (!file.ok) return fail(trouble(file.error));
  const appended = file.value.append(text);
  const written = appended.ok ? file.value.end() : appended;
  return written.ok ? written : fail(trouble(written.error));
}
