import { deviceRows } from "./device-rows.ts";
import { namespaceRows } from "./namespace-rows.ts";
import { row, share, type Row } from "./row.ts";

const remember = "Remember";
const find = "Find";
const change = "Change";

/** Every verb of the command line; each is loaded when it is called. */
export const rows: readonly Row[] = [
  row(
    "save",
    remember,
    "save an observation",
    async () => (await import("./commands/save.ts")).save,
  ),
  row(
    "import",
    remember,
    "bring in another memory, transcripts or an export",
    async () => (await import("./commands/import.ts")).importFile,
  ),
  row(
    "export",
    remember,
    "write all records as JSONL, or as Markdown to read",
    async () => (await import("./commands/export.ts")).exportRecords,
  ),
  row(
    "summarise",
    remember,
    "have a command of yours sum up a session that ended",
    async () => (await import("./commands/summarise.ts")).summariseSession,
  ),
  row(
    "embed",
    remember,
    "have a command of yours make vectors, so that search finds by meaning",
    async () => (await import("./commands/embed.ts")).embedObservations,
  ),
  row(
    "session export",
    find,
    "write one session into an HTML file that opens by itself",
    async () => (await import("./commands/session.ts")).exportSession,
  ),
  row(
    "list",
    find,
    "list observations, newest first",
    async () => (await import("./commands/list.ts")).list,
  ),
  row(
    "search",
    find,
    "find observations by words",
    async () => (await import("./commands/search.ts")).search,
  ),
  row("show", find, "show a record", async () => (await import("./commands/show.ts")).show),
  row(
    "timeline",
    find,
    "what happened around an observation",
    async () => (await import("./commands/timeline.ts")).timeline,
  ),
  row(
    "history",
    find,
    "what a record's fields were, and who changed them",
    async () => (await import("./commands/history.ts")).history,
  ),
  row(
    "context",
    find,
    "what a session would be given now, and why",
    async () => (await import("./commands/context.ts")).context,
  ),
  row(
    "handoff",
    find,
    "leave what is in flight for the next session",
    async () => (await import("./commands/handoff.ts")).handoff,
  ),
  row(
    "handoff list",
    find,
    "list what waits to be taken up",
    async () => (await import("./commands/handoff.ts")).list,
  ),
  row(
    "edit",
    change,
    "change fields of an observation",
    async () => (await import("./commands/edit.ts")).edit,
  ),
  row(
    "pin",
    change,
    "keep an observation in every session's context",
    async () => (await import("./commands/marks.ts")).pin,
  ),
  row("unpin", change, "undo pin", async () => (await import("./commands/marks.ts")).unpin),
  row(
    "archive",
    change,
    "hide an observation; nothing is lost",
    async () => (await import("./commands/marks.ts")).archive,
  ),
  row(
    "unarchive",
    change,
    "undo archive",
    async () => (await import("./commands/marks.ts")).unarchive,
  ),
  row(
    "supersede",
    change,
    "let a newer observation take an older one's place",
    async () => (await import("./commands/supersede.ts")).supersede,
  ),
  row(
    "forget",
    change,
    "erase a record for ever, on every device",
    async () => (await import("./commands/forget.ts")).forget,
  ),
  row(
    "lifecycle",
    change,
    "fold what old sessions did into digests, archive what is over its age",
    async () => (await import("./commands/lifecycle.ts")).lifecycle,
  ),
  row(
    "conflicts",
    change,
    "list values that lost to a concurrent change",
    async () => (await import("./commands/conflicts.ts")).conflicts,
  ),
  row(
    "resolve",
    change,
    "settle a conflict",
    async () => (await import("./commands/resolve.ts")).resolve,
  ),
  row(
    "rejected",
    change,
    "list changes that the server refused",
    async () => (await import("./commands/rejected.ts")).rejected,
  ),
  row(
    "rejected retry",
    change,
    "send refused changes again",
    async () => (await import("./commands/rejected.ts")).retry,
  ),
  row(
    "rejected drop",
    change,
    "give refused changes up",
    async () => (await import("./commands/rejected.ts")).drop,
  ),
  row(
    "pair",
    share,
    "join a server by a link, or by a code that is shown",
    async () => (await import("./commands/pair.ts")).pair,
  ),
  row(
    "approve",
    share,
    "let a device in that shows a code",
    async () => (await import("./commands/approve.ts")).approve,
  ),
  row(
    "sync",
    share,
    "one full push and pull",
    async () => (await import("./commands/sync.ts")).sync,
  ),
  row(
    "status",
    share,
    "who this device is, and what is synced",
    async () => (await import("./commands/status.ts")).status,
  ),
  row(
    "outbox list",
    share,
    "list changes that wait: unsent, not verified, refused",
    async () => (await import("./commands/outbox.ts")).list,
  ),
  row(
    "outbox retry",
    share,
    "send refused changes again",
    async () => (await import("./commands/rejected.ts")).retry,
  ),
  row(
    "outbox drop",
    share,
    "give refused changes up",
    async () => (await import("./commands/rejected.ts")).drop,
  ),
  row(
    "device add",
    share,
    "print a link for another device of yours, or for machines",
    async () => (await import("./commands/device-add.ts")).add,
  ),
  row(
    "device list",
    share,
    "list your devices",
    async () => (await import("./commands/device.ts")).list,
  ),
  row(
    "device revoke",
    share,
    "shut a device out",
    async () => (await import("./commands/device.ts")).revoke,
  ),
  row(
    "device rename",
    share,
    "rename a device",
    async () => (await import("./commands/device.ts")).rename,
  ),
  row(
    "device links",
    share,
    "list your links that work, and what they let in",
    async () => (await import("./commands/device-links.ts")).links,
  ),
  row(
    "device unlink",
    share,
    "end a link, and shut out what it let in",
    async () => (await import("./commands/device-links.ts")).unlink,
  ),
  row(
    "device key",
    share,
    "where this device's key is kept; moves it",
    async () => (await import("./commands/device-key.ts")).deviceKey,
  ),
  row(
    "device log",
    share,
    "what happened to your devices, and what they did",
    async () => (await import("./commands/audit.ts")).deviceLog,
  ),
  row(
    "quarantine",
    share,
    "hide what a device wrote, on every device; lists what is hidden so",
    async () => (await import("./commands/quarantine.ts")).quarantine,
  ),
  row(
    "console",
    share,
    "open the server's console in a browser, signed in as you",
    async () => (await import("./commands/console.ts")).openConsole,
  ),
  row(
    "audit",
    share,
    "who did what on the server, for its owner and for admins",
    async () => (await import("./commands/audit.ts")).audit,
  ),
  ...namespaceRows,
  ...deviceRows,
];

/** What `tidemark` alone does. */
export const start: Row = row("", "", "", async () => (await import("./commands/start.ts")).start);

/** Words that stand before a verb of their own. */
export const groupSummaries: Readonly<Record<string, string>> = {
  device: "add, list, revoke and rename devices",
  namespace: "create and share namespaces",
  session: "write a session into a file",
  outbox: "list, retry and drop changes that wait to be synced",
};
