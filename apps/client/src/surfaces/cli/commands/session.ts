import { collections, fail, ok } from "@tidemark/protocol";
import { safeText } from "../../../platform/terminal.ts";
import type { Command } from "../command.ts";
import { namesOf } from "../names.ts";
import { counted } from "../render/text.ts";
import { failed } from "../shown.ts";
import { misuse, trouble } from "../trouble.ts";
import { sessionDocument } from "./session/document.ts";

/** Writes one session into a file that a browser shows by itself. */
export const exportSession: Command = {
  arguments: [{ syntax: "<id>", help: "a session's id, or its first 6 characters or more" }],
  options: [{ flags: "--html <file>", help: "into a new HTML file that only you can read" }],
  notes:
    "What it was for, what it left and what happened, in one file that loads nothing and runs\n" +
    "nothing. Events are there only on the device where the session ran, for as long as it keeps\n" +
    "them. `tidemark list --json` names the session of each observation, `tidemark dashboard` lists\n" +
    "sessions.",
  run: async (deps, call) => {
    const [asked = ""] = call.args;
    const path = call.text("html");
    if (path === undefined) return fail(misuse("no file is named", "add --html FILE"));
    const { store, sha256 } = deps.memory();
    const found = store.reads.find(asked, { collection: collections.session });
    const id = found.ok ? found.value.id : asked;
    const events = store.sessions.events(id);
    // Before its first digest a session has events and no record.
    if (!found.ok && events.length === 0) return failed(found.error);
    const observations = store.reads.list({ session: id, includeHidden: true, order: "oldest" });
    const record = found.ok ? found.value : undefined;
    const names = namesOf(deps);
    const text = await sessionDocument({ id, record, events, observations, names }, sha256);
    const file = deps.files.create(path);
    if (!file.ok) return fail(trouble(file.error));
    const appended = file.value.append(text);
    const written = appended.ok ? file.value.end() : appended;
    if (!written.ok) return fail(trouble(written.error));
    const counts = { observations: observations.length, events: events.length };
    const told = `${counted(counts.observations, "observation")} and ${counted(counts.events, "event")}`;
    const json = { session: id, file: path, ...counts };
    return ok({ json, text: safeText(`wrote ${told} to ${path}`) });
  },
};
