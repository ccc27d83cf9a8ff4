import { localNamespace } from "@tidemark/protocol";
import { z } from "zod";
import { forgetRecord } from "../../memory/forget.ts";
import { leaveHandoff } from "../../memory/handoff.ts";
import { pinObservation, unpinObservation } from "../../memory/pin.ts";
import { saveObservation } from "../../memory/save.ts";
import { supersedeObservation } from "../../memory/supersede.ts";
import { turnOrigin } from "../../memory/turn-origin.ts";
import { leavesNone, leavesNoneTrouble } from "../../recall/given.ts";
import { heldWhenSaved } from "../../recall/held.ts";
import type { McpDeps } from "./deps.ts";
import { answered, refused, refusedWith } from "./result.ts";
import { shownId } from "./shown-id.ts";
import type { ToolRegister } from "./tool-list.ts";

const idSchema = z.string().min(6).max(64);
const textsSchema = z.array(z.string()).optional();
const additive = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

/**
 * The tools that write. None of them takes an origin, a trust, an author or a namespace (MC4): what
 * a model says about itself proves nothing. An argument that a tool does not have is refused, not
 * passed over (RC16): the model would take it for done.
 */
export function addWriteTools(server: ToolRegister, deps: McpDeps): void {
  addSave(server, deps);
  addPin(server, deps);
  addSupersede(server, deps);
  addForget(server, deps);
  addHandoff(server, deps);
}

function addHandoff(server: ToolRegister, deps: McpDeps): void {
  server.registerTool(
    "handoff",
    {
      description: "Leave unfinished work to the next session of this project, on any device.",
      inputSchema: z.strictObject({
        task: z.string().min(1).max(300),
        state: z.string().describe("how far it is"),
        next: z.string().describe("the next step"),
        questions: textsSchema,
        files: textsSchema,
      }),
      annotations: additive,
    },
    ({ task, state, next, questions = [], files = [] }) => {
      const { bindings } = deps.memory.store;
      const origin = originNow(deps);
      const left = leaveHandoff(deps.memory, {
        task,
        state,
        next,
        questions,
        files,
        turns: [],
        namespace: bindings.personal(),
        project: deps.project,
        agent: deps.agent(),
        origin,
      });
      if (!left.ok) return refused(left.error);
      deps.wake();
      const { id } = left.value;
      const whom = origin === "web" ? `a person to look at: ${ofWebWork(id)}` : "the next session";
      return answered(`left ${id} for ${whom}`, { id, origin });
    },
  );
}

function originNow({ memory, home, project }: McpDeps): "agent" | "web" {
  const isHere = (folder: string): boolean => home.projectAt(folder) === project;
  return turnOrigin(memory.store.sessions, { nowMs: memory.clock.nowMs(), isHere });
}

/** Told of work that a model has left after reading pages: it comes first of all that a session is given. */
function ofWebWork(id: string): string {
  return `this turn read the web, so no session is given it until the person runs tidemark handoff --from ${id}`;
}

/** Told with what a model has saved after reading pages: why no session gets it by itself. */
const ofWeb =
  "this turn read the web, so sessions are not given it until a person runs tidemark pin";

/** Told with what reads like an order to agents (RC22). */
const heldBack =
  "it reads like an order to agents, so none is given it until a person runs tidemark pin; save what was learned, as a fact";

function addSave(server: ToolRegister, deps: McpDeps): void {
  server.registerTool(
    "save",
    {
      description:
        "Remember one thing for later sessions: a decision, root cause, trap or finding. Secrets are removed.",
      inputSchema: z.strictObject({
        title: z.string().min(1).max(300).describe("what was learned, in one line"),
        kind: z.enum(["note", "decision", "fix", "discovery", "failure"]).optional(),
        narrative: z.string().optional(),
        facts: textsSchema,
        concepts: textsSchema,
        files: textsSchema,
        local: z.boolean().optional().describe("keep it on this device"),
      }),
      annotations: additive,
    },
    ({ title, kind, narrative, facts, concepts, files, local }) => {
      const { bindings } = deps.memory.store;
      const origin = originNow(deps);
      const saved = saveObservation(deps.memory, {
        namespace: local === true ? localNamespace : bindings.namespaceOf(deps.project),
        title,
        kind: kind ?? "note",
        narrative: narrative ?? "",
        facts: facts ?? [],
        concepts: concepts ?? [],
        filesModified: files ?? [],
        project: deps.project,
        agent: deps.agent(),
        origin,
      });
      if (!saved.ok) return refused(saved.error);
      deps.wake();
      const { id } = saved.value;
      const signals = heldWhenSaved(deps.memory.store.reads, saved.value);
      const why = signals !== undefined ? `; ${heldBack}` : origin === "web" ? `; ${ofWeb}` : "";
      const held = signals === undefined ? {} : { held: signals };
      return answered(`saved ${id}${why}`, { ...saved.value, origin, ...held });
    },
  );
}

function addPin(server: ToolRegister, deps: McpDeps): void {
  server.registerTool(
    "pin",
    {
      description: "Keep an observation in every session's context, or stop that.",
      inputSchema: z.strictObject({ id: idSchema, pinned: z.boolean().optional() }),
      annotations: { ...additive, idempotentHint: true },
    },
    ({ id, pinned = true }) => {
      const shown = shownId(deps, id);
      if (!shown.ok) return refused(shown.error);
      const done = pinned
        ? pinObservation(deps.memory, shown.value, "agent")
        : unpinObservation(deps.memory, shown.value);
      if (!done.ok) return refused(done.error);
      deps.wake();
      return answered(`${pinned ? "pinned" : "unpinned"} ${done.value.id}`, {
        id: done.value.id,
        pinned,
      });
    },
  );
}

function addSupersede(server: ToolRegister, deps: McpDeps): void {
  server.registerTool(
    "supersede",
    {
      description: "Let a newer observation take an outdated one's place.",
      inputSchema: z.strictObject({ old: idSchema, new: idSchema }),
      annotations: { ...additive, idempotentHint: true },
    },
    (input) => {
      const old = shownId(deps, input.old);
      if (!old.ok) return refused(old.error);
      const successor = shownId(deps, input.new);
      if (!successor.ok) return refused(successor.error);
      const { reads } = deps.memory.store;
      const [was, next] = [reads.find(old.value), reads.find(successor.value)];
      if (was.ok && next.ok && leavesNone(reads, was.value, next.value)) {
        return refusedWith(leavesNoneTrouble);
      }
      const done = supersedeObservation(deps.memory, old.value, successor.value);
      if (!done.ok) return refused(done.error);
      deps.wake();
      return answered(`${done.value.old} is superseded by ${done.value.new}`, { ...done.value });
    },
  );
}

function addForget(server: ToolRegister, deps: McpDeps): void {
  server.registerTool(
    "forget",
    {
      description:
        "Erase an observation for ever, on every device. Only if the person asked for it.",
      inputSchema: z.strictObject({ id: idSchema }),
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    },
    ({ id }) => {
      const shown = shownId(deps, id);
      if (!shown.ok) return refused(shown.error);
      const done = forgetRecord(deps.memory, shown.value);
      if (!done.ok) return refused(done.error);
      deps.wake();
      return answered(`forgot ${done.value.id}`, { id: done.value.id, forgotten: true });
    },
  );
}
