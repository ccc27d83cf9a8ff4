import type { Draft } from "../draft.ts";
import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { clipEnd, oneLine } from "../payload/clip.ts";
import { beforeAndAfterOf, changeTitle } from "./change.ts";
import { isCommit } from "./commit.ts";
import { editedFiles, fileFacts, namesOf, type EditedFile } from "./edited.ts";
import { remediesIn } from "./fix.ts";
import { rootOf } from "./files.ts";
import { whyLines } from "./reasons.ts";
import { requestTitle } from "./request.ts";
import { announcedBefore } from "./said.ts";
import { agentOrigin } from "./taint.ts";
import { isClosing, openTurn, turnChangeKey } from "./turn.ts";

const lastWordsCharsMax = 600;
/**
 * What a turn has changed and neither a commit nor a fix explains: one observation (CP30).
 *
 * That files were edited is the tools' report, whatever the turn read; where it read the web, the
 * agent's words are not quoted with it (CP29).
 */
export function turnChangeDrafts(
  history: readonly AgentEvent[],
  next: AgentEvent,
): readonly Draft[] {
  if (!isClosing(next)) return [];
  const turn = openTurn(history);
  const isExplained = remediesIn(history);
  const left = turn
    .slice(turn.findLastIndex(isCommit) + 1)
    .filter((event) => !isExplained.has(event));
  const files = editedFiles(left, rootOf([...history, next]));
  const [first] = files;
  if (first === undefined) return [];
  const isTainted = agentOrigin(history) === "web";
  const said = isTainted ? [] : [...turn, ...(next.event === "prompt" ? [] : [next])];
  const title = titleOf(files);
  return [
    {
      key: turnChangeKey(next),
      kind: "change",
      title: oneLine(title, draftLimits.titleCharsMax),
      narrative: clipEnd(
        [
          title,
          ...askedLines(history),
          ...announcedLines(files, said),
          ...whyLines(said),
          ...lastLines(said),
        ].join("\n"),
        draftLimits.narrativeCharsMax,
      ),
      facts: factsOf(files, said).slice(0, draftLimits.changeFactsMax),
      concepts: namesOf(files),
      filesRead: [],
      filesModified: files.map(({ path }) => path).slice(0, draftLimits.filesMax),
      origin: isTainted ? "tool" : "agent",
    },
  ];
}

/** One edit is told by what it touched; several by the first, and how many files more. */
function titleOf(files: readonly EditedFile[]): string {
  const [first] = files;
  const [edit] = first?.edits ?? [];
  if (first === undefined || edit === undefined) return "";
  const title = changeTitle(edit, first.path);
  const more = files.length - 1;
  if (more === 0) return title;
  const end = ` and ${more} more ${more === 1 ? "file" : "files"}`;
  return `${oneLine(title, draftLimits.titleCharsMax - end.length)}${end}`;
}

function factsOf(files: readonly EditedFile[], said: readonly AgentEvent[]): readonly string[] {
  const edit = onlyEdit(files);
  return edit === undefined ? fileFacts(files, said) : beforeAndAfterOf(edit);
}

/** What was announced of a single edit; of several, each file's fact tells it. */
function announcedLines(
  files: readonly EditedFile[],
  said: readonly AgentEvent[],
): readonly string[] {
  const edit = onlyEdit(files);
  const at = edit === undefined ? -1 : said.indexOf(edit);
  const words = at < 0 ? undefined : announcedBefore(said.slice(0, at));
  return words === undefined ? [] : [`The agent said before: "${words}"`];
}

function onlyEdit(files: readonly EditedFile[]): AgentEvent | undefined {
  const edits = files.flatMap((file) => file.edits);
  return edits.length === 1 ? edits[0] : undefined;
}

function askedLines(history: readonly AgentEvent[]): readonly string[] {
  const prompt = history.findLast(({ event }) => event === "prompt");
  const asked = prompt === undefined ? undefined : requestTitle([prompt]);
  return asked === undefined ? [] : [`It was asked: "${asked}"`];
}

function lastLines(said: readonly AgentEvent[]): readonly string[] {
  const words = said.findLast(({ event }) => event === "turn-end")?.assistant;
  return words === undefined
    ? []
    : [`The agent said at the end: "${oneLine(words, lastWordsCharsMax)}"`];
}
