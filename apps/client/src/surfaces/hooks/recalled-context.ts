import { buildContext, recordGiven, type Moment } from "../../recall/context.ts";
import { ownNamespaces, recallNamespaces } from "../../recall/scope.ts";
import type { AgentStore } from "../../store/agent-store.ts";
import type { ContextBuilder, ContextMoment } from "./context-builder.ts";

/** Starts of a session after which nothing that was given before is in the agent's sight. */
const forgetfulSources: ReadonlySet<string> = new Set(["compact", "clear"]);

/** A prompt brings back what answers it, in less room than a session's start has. */
const promptShare = 0.5;

/** Gives hooks what recall picks, and remembers what a session was given (HK10). */
export function createContextBuilder(deps: {
  readonly store: Pick<AgentStore, "reads" | "sessions">;
  readonly clock: { nowMs(): number };
  readonly random: { bytes(count: number): Uint8Array };
  readonly scrub: { text(text: string): string };
  readonly config: { readonly contextTokens: number };
}): ContextBuilder {
  const { store, clock, random, scrub } = deps;
  const { reads, sessions } = store;
  const recall = { reads, sessions, clock, random, scrub: (text: string) => scrub.text(text) };
  return {
    build: (moment) => {
      const namespaces = reads.namespaces();
      const context = buildContext(recall, {
        ...wanted(moment, deps.config.contextTokens),
        namespaces: recallNamespaces(namespaces),
        ownNamespaces: ownNamespaces(namespaces),
      });
      recordGiven(recall, moment.session, context);
      return context.text;
    },
  };
}

function wanted(moment: ContextMoment, tokensMax: number): Moment {
  const { project, session, charsMax, prompt, source } = moment;
  if (prompt !== undefined) {
    return { project, session, charsMax, prompt, tokensMax: tokensMax * promptShare };
  }
  const isFresh = source !== undefined && forgetfulSources.has(source);
  return { project, charsMax, tokensMax, ...(isFresh ? {} : { session }) };
}
