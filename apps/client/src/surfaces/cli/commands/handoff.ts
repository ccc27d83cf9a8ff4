import { collections, fail, ok, type NamespaceId, type Result } from "@tidemark/protocol";
import type { InFlight } from "../../../capture/in-flight.ts";
import {
  handoffOf,
  leaveHandoff,
  listHandoffs,
  takeHandoff,
  waitingFor,
  waitingForPerson,
  type Handoff,
} from "../../../memory/handoff.ts";
import { lastInFlight } from "../../../memory/last-session.ts";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import { ownNamespaces, recallNamespaces } from "../../../recall/scope.ts";
import type { Call, Command } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { columns } from "../render/text.ts";
import { failed } from "../shown.ts";
import { trouble, type Trouble } from "../trouble.ts";
import { writerOf } from "../turn.ts";

/** Leaves what is in flight for the next session of this project. */
export const handoff: Command = {
  options: [
    { flags: "--task <text>", help: "what it is about; the last session's request unless given" },
    { flags: "--state <text>", help: "how far it is" },
    { flags: "--next <text>", help: "the next step" },
    { flags: "-q, --question <text>", help: "what is open", isRepeatable: true },
    { flags: "--file <path>", help: "a file it is about", isRepeatable: true },
    {
      flags: "--from <id>",
      help: "take what you do not say from this one, in your own name; it counts as taken up",
    },
    { flags: "--to <name>", help: "for this member of the project's namespace, not for you" },
  ],
  notes:
    "The next session of this project is given it first, on any of your devices, once; with --to the\n" +
    "next one of that team-mate's. Whatever you do not say is taken from the last session's events,\n" +
    "without a model. Secrets are taken out. `tidemark handoff list` shows those that wait and those\n" +
    "that were taken up; `tidemark forget ID` takes one back. One that an agent left after it had read the\n" +
    "web is given to no session by itself: look at it, then `tidemark handoff --from ID`.",
  run: (deps, call) => {
    const { store } = deps.memory();
    const home = deps.home();
    const from = handoffFrom(deps, call.text("from"));
    if (!from.ok) return from;
    const project = from.value?.project ?? home.projectAt();
    const isHere = (folder: string): boolean => home.projectAt(folder) === project;
    const last = from.value ?? lastInFlight(store.sessions, { nowMs: deps.clock.nowMs(), isHere });
    const told = toldIn(call, last);
    const to = call.text("to");
    const place = placeFor(deps, project, to);
    if (!place.ok) return place;
    const origin = writerOf(deps);
    const left = leaveHandoff(deps.memory(), {
      ...told,
      namespace: place.value,
      project,
      to,
      origin,
    });
    if (!left.ok) return failed(left.error);
    if (from.value !== undefined) takeHandoff(deps.memory(), from.value, "person");
    const { id } = left.value;
    const whom = origin === "web" ? `you to look at, as it read the web` : nextOf(to);
    const text = `left ${id} for ${whom} in this project: ${told.task}`;
    return ok({ json: { id, project, to: to ?? null, ...told }, text: safeText(text) });
  },
};

function nextOf(to: string | undefined): string {
  return to === undefined ? "your next session" : `the next session of ${to}`;
}

/** The handoff that is to be left anew; to do so is to have looked at it, which no model has (MC16). */
function handoffFrom(
  deps: CliDeps,
  asked: string | undefined,
): Result<Handoff | undefined, Trouble> {
  if (asked === undefined) return ok(undefined);
  if (deps.origin === "agent") {
    return fail(
      trouble({
        code: "not-a-person",
        message: "only a person can pass on what an agent has left",
        hint: "read it with tidemark show, and run this in a terminal of your own",
      }),
    );
  }
  const found = deps.memory().store.reads.find(asked, { collection: collections.handoff });
  return found.ok ? ok(handoffOf(found.value)) : failed(found.error);
}

const nothing: InFlight = { task: "", state: "", next: "", questions: [], files: [], turns: [] };

function toldIn(call: Call, last = nothing): InFlight {
  const told = (name: "task" | "state" | "next"): string => call.text(name) ?? last[name];
  const own = call.texts("question");
  const files = call.texts("file");
  return {
    task: told("task"),
    state: told("state"),
    next: told("next"),
    questions: own.length > 0 ? own : last.questions,
    files: files.length > 0 ? files : last.files,
    // What was said in a session is for its own person.
    turns: call.text("to") === undefined ? last.turns : [],
  };
}

/** One's own goes to one's own devices; a team-mate's has to stand where the team-mate reads. */
function placeFor(
  deps: CliDeps,
  project: string,
  to: string | undefined,
): Result<NamespaceId, Trouble> {
  const { bindings, replicas } = deps.memory().store;
  if (to === undefined) return ok(bindings.personal());
  const bound = bindings.namespaceOf(project);
  if (replicas.replica(bound)?.kind === "team") return ok(bound);
  const message = `this project is bound to no shared namespace that ${to} could read it in`;
  return fail(
    trouble({ code: "not-shared", message, hint: "tidemark namespace use <name>, then again" }),
  );
}

/** Lists handoffs: those that wait for this person first. */
export const list: Command = {
  options: [{ flags: "-a, --all", help: "of every project, and those that were taken up" }],
  run: (deps, call) => {
    const { store } = deps.memory();
    const home = deps.home();
    const self = home.identity()?.user;
    const all = listHandoffs(store.reads, recallNamespaces(store.replicas.replicas()));
    const names = self === undefined ? [] : [self.name, self.id];
    const isAll = call.isOn("all");
    const project = home.projectAt();
    const own = ownNamespaces(store.replicas.replicas());
    const waiting = [
      ...waitingFor(all, { project, names }),
      ...waitingForPerson(all, { project, own }),
    ];
    const items = isAll ? all : waiting;
    const rows = items.map((each) => [
      each.id.slice(0, 10),
      dateText(each.createdAt),
      stateOf(each),
      each.task,
    ]);
    const text = rows.length === 0 ? "nothing was handed over" : columns(rows);
    return ok({ json: { items, total: items.length }, text });
  },
};

function stateOf({ takenBy, takenAt, to, origin }: Handoff): string {
  if (takenBy === null && origin === "web") return "waits for a person: it read the web";
  if (takenBy !== null) return `taken up ${takenAt === null ? "" : dateText(takenAt)}`.trim();
  return to === null ? "waits" : `waits for ${to}`;
}
