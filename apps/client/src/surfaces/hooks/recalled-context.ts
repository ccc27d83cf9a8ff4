import { unpairedNamespace, type NamespaceId, type RecordId } from "@tidemark/protocol";
import type { AgentEvent } from "../../capture/event.ts";
import { inFlightOf, type InFlight } from "../../capture/in-flight.ts";
import {
  listUntaken,
  shownHandoff,
  takeHandoff,
  waitingFor,
  type Handoff,
} from "../../memory/handoff.ts";
import type { Scrub } from "../../memory/scrub.ts";
import type { Observation } from "../../store/observation.ts";
import { buildContext, leadingItem, recordGiven, type Context } from "../../recall/context.ts";
import { heldWhy } from "../../recall/held.ts";
import type { Moment } from "../../recall/moment.ts";
import { ownNamespaces, recallNamespaces } from "../../recall/scope.ts";
import type { AgentStore } from "../../store/agent-store.ts";
import { attempt } from "../../store/store-error.ts";
import type { ContextBuilder, ContextMoment } from "./context-builder.ts";

/** Starts of a session after which nothing that was given before is in the agent's sight. */
const forgetfulSources: ReadonlySet<string> = new Set(["compact", "clear"]);

/** A prompt brings back what answers it, in less room than a session's start has. */
const promptShare = 0.5;

/** Gives hooks what recall picks, and remembers what a session was given (HK10). */
export function createContextBuilder(deps: {
  readonly store: AgentStore;
  readonly clock: { nowMs(): number };
  readonly random: { bytes(count: number): Uint8Array };
  readonly scrub: Scrub;
  readonly config: { readonly contextTokens: number };
  /** The names that a handoff may call this device's person by. */
  readonly names: readonly string[];
}): ContextBuilder {
  const { store, clock, random, scrub } = deps;
  const { reads, sessions } = store;
  const recall = { reads, sessions, clock, random, scrub: (text: string) => scrub.text(text) };
  return {
    build: (moment) => {
      const namespaces = reads.namespaces();
      const scope = recallNamespaces(namespaces);
      const asked = {
        ...wanted(moment, deps.config.contextTokens),
        namespaces: scope,
        ownNamespaces: ownNamespaces(namespaces),
      };
      const handoff = moment.event === "session-start" ? waiting(moment, scope) : undefined;
      const context =
        (handoff === undefined ? undefined : withHandoff(moment, asked, handoff)) ??
        buildContext(recall, { ...asked, leading: leadingOf(moment) });
      const noted = attempt(() =>
        store.transact(() => {
          // A prompt may bring back what went out of sight and is not in this text (RC4).
          if (isForgetful(moment)) sessions.dropInjected(moment.session);
          recordGiven(recall, { session: moment.session, tokensMax: asked.tokensMax }, context);
        }),
      );
      return noted.ok || moment.event === "session-start" ? context.text : undefined;
    },
  };

  /** A context with a handoff that was taken up; undefined where it is not given to this session. */
  function withHandoff(
    { session }: ContextMoment,
    asked: Moment,
    handoff: Handoff,
  ): Context | undefined {
    const context = buildContext(recall, { ...asked, leading: [shownHandoff(handoff)] });
    // What does not fit, or reads like an order, waits on; and another session may be faster.
    if (!context.items.some(({ observation }) => observation.id === handoff.id)) return undefined;
    const taken = attempt(() => takeHandoff(deps, handoff, `session ${session}`));
    return taken.ok && taken.value.ok && taken.value.value ? context : undefined;
  }

  function waiting(
    { project, source }: ContextMoment,
    scope: readonly NamespaceId[],
  ): Handoff | undefined {
    // A session that goes on has its task in sight, or in its digest.
    if (source === "resume" || source === "compact") return undefined;
    // What is held back waits for a person: it keeps nothing else from being taken up (HO4).
    return waitingFor(listUntaken(reads, scope), { project, names: deps.names }).find(
      (handoff) => heldWhy(leadingItem(shownHandoff(handoff))) === undefined,
    );
  }

  /** After a compaction the digest of the session itself comes first (HO5). */
  function leadingOf({ event, source, session, project }: ContextMoment): readonly Observation[] {
    if (event !== "session-start" || source !== "compact") return [];
    const digest = inFlightOf(
      sessions.events(session).map(({ payload }) => payload as unknown as AgentEvent),
    );
    return digest === undefined
      ? []
      : [shownDigest(digest, { session, project, nowMs: clock.nowMs() })];
  }
}

function wanted(moment: ContextMoment, tokensMax: number): Moment {
  const { project, session, charsMax, prompt, work } = moment;
  if (prompt !== undefined) {
    return { project, session, charsMax, prompt, tokensMax: tokensMax * promptShare };
  }
  return { project, work, charsMax, tokensMax, ...(isForgetful(moment) ? {} : { session }) };
}

function isForgetful({ event, source }: ContextMoment): boolean {
  return event === "session-start" && source !== undefined && forgetfulSources.has(source);
}

function shownDigest(
  digest: InFlight,
  { session, project, nowMs }: Pick<ContextMoment, "session" | "project"> & { nowMs: number },
): Observation {
  const own = { user: null, device: null };
  return {
    ...shownHandoff({
      ...digest,
      id: session as RecordId,
      namespace: unpairedNamespace,
      project,
      to: null,
      author: own,
      trust: 3,
      origin: "agent",
      createdAt: nowMs,
      takenBy: null,
      takenAt: null,
    }),
    kind: "this session",
  };
}
