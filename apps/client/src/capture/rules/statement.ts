import type { Draft, ObservationKind } from "../draft.ts";
import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { oneLine } from "../payload/clip.ts";
import { contentHash, stableKey } from "../payload/identity.ts";
import { isSlashCommand, typedText } from "../payload/prompt-text.ts";
import { allCues } from "./cues.ts";
import { allPhrases, type Phrases } from "./phrases.ts";
import { sentencesOf } from "./sentences.ts";
import { agentOrigin } from "./taint.ts";
import type { Told } from "./told.ts";
import { toldIn } from "./told.ts";

const sentenceCharsMin = 25;
const sentenceCharsMax = 400;
const statementsMax = 3;

/** Words that only say that what follows is certain. */
const clearly = (): RegExp =>
  /^(?:the (?:issue|problem|cause) is (?:clear|obvious)|found (?:it|the (?:issue|problem|bug|cause)))\s*[—–:-]+\s*/iu;

/** One sentence that is worth a draft. */
interface Stated {
  readonly kind: ObservationKind;
  readonly title: string;
  readonly narrative: string;
}

/**
 * The decisions and discoveries that a person or an agent states in so many words (CP14), and what
 * a person tells the memory (CP21, CP22, CP23): an agent's "always" is seldom a rule.
 */
export function statementDrafts(
  history: readonly AgentEvent[],
  next: AgentEvent,
): readonly Draft[] {
  const text = spokenText(next);
  if (text === undefined) return [];
  const byUser = next.event === "prompt";
  const sentences = sentencesOf(text);
  const languages = byUser ? allCues() : [];
  const phrases = allPhrases();
  const origin = byUser ? "user" : agentOrigin(history);
  const drafts = sentences.flatMap((sentence, index) => {
    const told = toldIn(sentence, sentences[index + 1], languages);
    const stated =
      told === undefined ? statedIn(sentences, index, phrases) : quoted(told, sentence);
    if (stated === undefined) return [];
    const { kind } = stated;
    const key = stableKey(next.agent, next.sessionId, kind, contentHash(sentence.toLowerCase()));
    return [{ ...statement(stated), key, origin }];
  });
  return distinctTitles(drafts).slice(0, statementsMax);
}

function quoted({ kind, words }: Told, sentence: string): Stated {
  const narrative = sentence.includes(words.slice(1)) ? sentence : `${sentence} ${words}`;
  return { kind, title: words, narrative };
}

/** "That is wrong." and the sentence that explains it may both tell the same. */
function distinctTitles(drafts: readonly Draft[]): readonly Draft[] {
  return [
    ...new Map(drafts.toReversed().map((draft) => [draft.title, draft])).values(),
  ].toReversed();
}

function spokenText(event: AgentEvent): string | undefined {
  if (event.event === "prompt") {
    const typed = typedText(event.prompt ?? "");
    return typed === undefined || isSlashCommand(typed) ? undefined : typed;
  }
  const speaks =
    event.event === "turn-end" || event.event === "subagent-end" || event.event === "other";
  return speaks ? event.assistant : undefined;
}

function statedIn(
  sentences: readonly string[],
  index: number,
  phrases: readonly Phrases[],
): Stated | undefined {
  const opening = sentences[index] ?? "";
  // What only opens a list or a block says nothing without what comes next.
  const next = opening.endsWith(":") ? (sentences[index + 1] ?? "") : "";
  if (opening.endsWith(":") && next === "") return undefined;
  const sentence = next === "" ? opening : `${opening} ${next}`;
  const kind = statedKind(sentence, phrases);
  const title = sentence.replace(clearly(), "");
  const shown = title.charAt(0).toUpperCase() + title.slice(1);
  return kind && { kind, title: shown, narrative: around(sentences, index) };
}

function statedKind(sentence: string, phrases: readonly Phrases[]): ObservationKind | undefined {
  if (sentence.length < sentenceCharsMin || sentence.length > sentenceCharsMax) return undefined;
  if (phrases.some(({ unsure }) => unsure.test(sentence))) return undefined;
  const states = (of: "decided" | "discovered"): boolean =>
    phrases.some((each) => each[of].some((phrase) => phrase.test(sentence)));
  if (states("decided")) return "decision";
  return states("discovered") ? "discovery" : undefined;
}

/** A sentence with the next one, and with the one before it where it points back ("This is …"). */
function around(sentences: readonly string[], index: number): string {
  const pointsBack = /^(?:this|that|it|so|these|those|but|and)\b/iu.test(sentences[index] ?? "");
  const next = sentences[index + 1] ?? "";
  const end = /^(?:now )?let me\b/iu.test(next) ? index + 1 : index + 2;
  return sentences.slice(pointsBack ? Math.max(0, index - 1) : index, end).join(" ");
}

function statement({ kind, title, narrative }: Stated): Omit<Draft, "key" | "origin"> {
  return {
    kind,
    title: oneLine(title, draftLimits.titleCharsMax),
    narrative: oneLine(narrative, sentenceCharsMax * 2),
    facts: [],
    concepts: [...new Set(narrative.match(/(?<=`)[\w./:@-]{2,60}(?=`)/gu) ?? [])].slice(0, 5),
    filesRead: [],
    filesModified: [],
  };
}
