import { buildContext } from "../../apps/client/src/recall/context.ts";
import { ownNamespaces } from "../../apps/client/src/recall/scope.ts";
import { testScrub } from "../../apps/client/src/memory/testing/scrub.ts";
import type { Store } from "../../apps/client/src/store/store.ts";
import type { Question } from "./questions.ts";

/** What a host takes at most, in characters; more than a budget of tokens needs. */
const charsMax = 10_000;
const dayMs = 86_400_000;

/** What was given where each question was asked as a prompt. */
export interface Given {
  /** Share of the questions that got what answers them. */
  readonly answered: number;
  /** Per question that got anything. */
  readonly items: number;
  readonly tokens: number;
}

/** Asks each question as a prompt of its project, a day after all was captured. */
export function givenTo(
  store: Store,
  questions: readonly Question[],
  options: { readonly tokensMax: number },
): Given {
  const observations = new Map(
    store.reads.list({ includeHidden: true }).map((each) => [each.id as string, each]),
  );
  const nowMs = Math.max(...[...observations.values()].map(({ createdAt }) => createdAt)) + dayMs;
  const scrub = testScrub();
  const deps = {
    reads: store.reads,
    sessions: store.sessions,
    clock: { nowMs: () => nowMs },
    // Any bytes that are as long in tokens as random ones are.
    random: { bytes: (count: number) => Uint8Array.from({ length: count }, (_, at) => at * 73) },
    scrub: (text: string) => scrub.text(text),
  };
  const own = ownNamespaces(store.reads.namespaces());
  const sum = { given: 0, answered: 0, items: 0, tokens: 0 };
  for (const { text, answers } of questions) {
    const project = observations.get(answers[0] ?? "")?.project ?? undefined;
    const moment = { project, prompt: text, charsMax, ownNamespaces: own, ...options };
    const { items, tokens } = buildContext(deps, moment);
    if (items.length === 0) continue;
    sum.given += 1;
    sum.items += items.length;
    sum.tokens += tokens;
    if (items.some(({ observation }) => answers.includes(observation.id))) sum.answered += 1;
  }
  const { given, answered, items, tokens } = sum;
  return { answered: answered / questions.length, items: items / given, tokens: tokens / given };
}
