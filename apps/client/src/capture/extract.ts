import type { Draft } from "./draft.ts";
import type { AgentEvent } from "./event.ts";
import { answerDrafts } from "./rules/answer.ts";
import { commandDrafts } from "./rules/command.ts";
import { commitDrafts } from "./rules/commit.ts";
import { failureDrafts } from "./rules/failure.ts";
import { fixDrafts } from "./rules/fix.ts";
import { requestDrafts } from "./rules/request.ts";
import { reportDrafts } from "./rules/report.ts";
import { statementDrafts } from "./rules/statement.ts";
import { turnChangeDrafts } from "./rules/turn-change.ts";

/** Looks at what happened before and at one new event, and says what is worth remembering of it. */
type Rule = (history: readonly AgentEvent[], next: AgentEvent) => readonly Draft[];

const rules: readonly Rule[] = [
  requestDrafts,
  turnChangeDrafts,
  failureDrafts,
  fixDrafts,
  commandDrafts,
  commitDrafts,
  statementDrafts,
  reportDrafts,
  answerDrafts,
];

/**
 * What is worth remembering of an event, by rules and without a model (CP10).
 *
 * Pure: the same history and event give the same drafts under the same keys. `history` holds
 * earlier events of the same session, oldest first; the caller bounds it. Words are quoted as they
 * were said; nothing is concluded that the events do not show.
 */
export function extract(history: readonly AgentEvent[], next: AgentEvent): readonly Draft[] {
  const session = history.filter((event) => event.sessionId === next.sessionId);
  return rules.flatMap((rule) => rule(session, next));
}
