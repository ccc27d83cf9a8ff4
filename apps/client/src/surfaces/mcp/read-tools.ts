import { collections, fail, ok, type Result } from "@tidemark/protocol";
import { z } from "zod";
import { knownAuthor } from "../../recall/author.ts";
import { answerWith, type Answer } from "../../recall/answer.ts";
import { buildContext, type Context } from "../../recall/context.ts";
import { ownNamespaces, recallNamespaces } from "../../recall/scope.ts";
import { searchObservations } from "../../recall/search.ts";
import { shownName } from "../../recall/shown-name.ts";
import { timelineOf } from "../../recall/timeline.ts";
import type { Observation } from "../../store/observation.ts";
import type { FindError } from "../../store/store.ts";
import { lastFailureName, readLastFailure } from "../../sync/last-failure.ts";
import { namespaceStatuses } from "../../sync/status.ts";
import { nearbyOf } from "../../wiring/nearness.ts";
import { knownNews } from "../../wiring/news-note.ts";
import type { McpDeps } from "./deps.ts";
import { answered, refused, refusedWith } from "./result.ts";
import { foundIds } from "./shown-id.ts";
import type { ToolRegister } from "./tool-list.ts";

const idSchema = z.string().min(6).max(64);
const countSchema = z.int().min(1).max(50);
const readOnly = { readOnlyHint: true, openWorldHint: false } as const;
const charsMax = 9_000;
const dayMs = 86_400_000;

/** The tools that read. What they hand out is fenced and labelled (MC3). */
export function addReadTools(server: ToolRegister, deps: McpDeps): void {
  addSearch(server, deps);
  addGet(server, deps);
  addTimeline(server, deps);
  addContext(server, deps);
  addStatus(server, deps);
}

/** A fence around nothing would cost a model a hundred tokens. */
const nothingFound =
  "Nothing is remembered of this. Fewer words, or other words for it, may find more.";

function addSearch(server: ToolRegister, deps: McpDeps): void {
  server.registerTool(
    "search",
    {
      description: "Find what earlier sessions learned, by words; best first.",
      inputSchema: z.strictObject({
        query: z.string().min(1).max(512),
        kind: z.string().max(64).optional(),
        file: z.string().max(512).optional(),
        author: z.string().max(120).optional(),
        sinceDays: z.int().min(1).max(3_650).optional(),
        thisProjectOnly: z.boolean().optional(),
        limit: countSchema.optional(),
      }),
      annotations: readOnly,
    },
    async ({ query, kind, file, author, sinceDays, thisProjectOnly, limit = 10 }, { signal }) => {
      const { reads } = deps.memory.store;
      const nowMs = deps.memory.clock.nowMs();
      const by = knownAuthor(reads, author);
      // Names are other people's words, and this is no place where a model is told to distrust them.
      if (!by.ok) return refusedWith({ ...by.error, hint: "Leave author out, or ask for me." });
      const filter = {
        namespaces: namespacesOf(deps),
        project: thisProjectOnly === true ? deps.project : undefined,
        kinds: kind === undefined ? undefined : [kind],
        file,
        author: by.value,
        sinceMs: sinceDays === undefined ? undefined : nowMs - sinceDays * dayMs,
        limit,
      };
      const { nearness, trouble } = await nearbyOf(deps.home, deps.memory, query, { signal });
      const { items, near, ...total } = searchObservations(reads, query, filter, nearness);
      const answer = fenced(deps, items, { isWhole: false });
      const isEmpty = answer.items.length + answer.held === 0;
      return answered(isEmpty ? nothingFound : answer.text, {
        items: answer.items,
        ...total,
        ...(near === undefined ? {} : { near: namedOf(answer, near) }),
        ...(trouble === undefined ? {} : { byWordsAlone: trouble.message }),
      });
    },
  );
}

/** Those of an answer that are among `ids`, by the names that it gives them. */
function namedOf({ items }: Answer, ids: readonly string[]): readonly string[] {
  const names = items.flatMap(({ id }) => (typeof id === "string" ? id : []));
  return names.filter((name) => ids.some((id) => id.startsWith(name)));
}

function addGet(server: ToolRegister, deps: McpDeps): void {
  server.registerTool(
    "get",
    {
      description: "Read observations whole, by id or its beginning.",
      inputSchema: z.strictObject({ ids: z.array(idSchema).min(1).max(20) }),
      annotations: readOnly,
    },
    ({ ids }) => {
      const found: Observation[] = [];
      for (const id of ids) {
        const one = observationOf(deps, id);
        if (!one.ok) return refused(one.error);
        found.push(one.value);
      }
      const answer = fenced(deps, found, { isWhole: true });
      const { items, tooLong } = answer;
      return answered(answer.text, { items, ...(tooLong === 0 ? {} : { leftOut: tooLong }) });
    },
  );
}

function addTimeline(server: ToolRegister, deps: McpDeps): void {
  server.registerTool(
    "timeline",
    {
      description: "What happened around an observation, oldest first.",
      inputSchema: z.strictObject({
        id: idSchema,
        before: countSchema.optional(),
        after: countSchema.optional(),
      }),
      annotations: readOnly,
    },
    ({ id, before = 5, after = 5 }) => {
      const anchor = observationOf(deps, id);
      if (!anchor.ok) return refused(anchor.error);
      const items = timelineOf(deps.memory.store.reads, anchor.value, { before, after });
      const answer = fenced(deps, items, { isWhole: false });
      return answered(answer.text, { id: anchor.value.id, items: answer.items });
    },
  );
}

function addContext(server: ToolRegister, deps: McpDeps): void {
  server.registerTool(
    "context",
    {
      description: "What is most worth knowing in this project, or about a prompt.",
      inputSchema: z.strictObject({ prompt: z.string().max(4_096).optional() }),
      annotations: readOnly,
    },
    ({ prompt }) => {
      const { reads, sessions } = deps.memory.store;
      const { clock, random } = deps.memory;
      const given = buildContext(
        { reads, sessions, clock, random, scrub: (text) => deps.home.scrub.text(text) },
        {
          project: deps.project,
          work: deps.home.work(),
          namespaces: namespacesOf(deps),
          ownNamespaces: ownNamespaces(deps.memory.store.replicas.replicas()),
          tokensMax: Math.max(deps.home.config.contextTokens, 400),
          charsMax,
          ...(prompt === undefined ? {} : { prompt }),
        },
      );
      const { left, unreviewed, held, tokens } = given;
      const ids = given.items.map(({ observation, why }) => ({ id: observation.id, why }));
      return answered(given.text ?? nothingText(given, prompt), {
        ids,
        left,
        unreviewed,
        held: held.length,
        tokens,
      });
    },
  );
}

/** Why there is nothing to give (CL33): a model that is told less takes it for nothing at all. */
function nothingText({ left, held, unreviewed }: Context, prompt: string | undefined): string {
  if (left > 0) return "The budget, contextTokens, is too small for any record. Search finds them.";
  if (held.length > 0) return "What fits is held back for a person to look at: tidemark context";
  if (unreviewed > 0) {
    return "What fits is not reviewed, so it is given to nobody unasked. Search finds it.";
  }
  if (prompt === undefined) return "Nothing is remembered here yet.";
  return "Nothing in memory fits this prompt. Search with other words may find more.";
}

function addStatus(server: ToolRegister, deps: McpDeps): void {
  server.registerTool(
    "status",
    {
      description:
        "Whether memory is synced, and what waits. unseenDeviceNews: ask the person to run `tidemark status`.",
      inputSchema: z.strictObject({}),
      annotations: readOnly,
    },
    () => {
      const { store } = deps.memory;
      const identity = deps.home.identity();
      const lastFailure = readLastFailure(store.upkeep.meta(lastFailureName));
      const namespaces = namespaceStatuses(store.replicas.replicas(), lastFailure).map(
        ({ id, name, role, outbox, rejected, synced }) => ({
          id,
          name: shownName(name, (text) => deps.home.scrub.text(text)),
          role,
          outbox,
          rejected,
          synced,
        }),
      );
      const status = {
        device: identity?.device ?? null,
        user: identity?.user ?? null,
        server: identity?.server.url ?? null,
        project: deps.project,
        namespace: store.bindings.namespaceOf(deps.project),
        namespaces,
        // A number alone: what strangers called their devices is nothing for an agent to read.
        unseenDeviceNews: knownNews(store, deps.home).filter(({ isNew }) => isNew).length,
      };
      return answered(JSON.stringify(status), status);
    },
  );
}

function namespacesOf(deps: McpDeps) {
  return recallNamespaces(deps.memory.store.replicas.replicas());
}

function observationOf(deps: McpDeps, id: string): Result<Observation, FindError> {
  const { reads } = deps.memory.store;
  const found = reads.find(id, {
    collection: collections.observation,
    namespaces: namespacesOf(deps),
  });
  const ids = foundIds(found);
  // What stands in quarantine is not there for an agent, not even by name (QU5).
  const shown = ids.flatMap((one) => {
    const observation = reads.observation(one.namespace, one.id);
    return observation === undefined || observation.trust === 0 ? [] : [observation];
  });
  const [value, second] = shown;
  if (value === undefined) {
    return found.ok || ids.length > 0 ? fail({ kind: "unknown-record", id }) : found;
  }
  return second === undefined ? ok(value) : fail({ kind: "ambiguous", id, ids: shown });
}

function fenced(
  deps: McpDeps,
  items: readonly Observation[],
  options: { readonly isWhole: boolean },
): Answer {
  const { clock, random } = deps.memory;
  return answerWith({ clock, random, scrub: (text) => deps.home.scrub.text(text) }, items, options);
}
