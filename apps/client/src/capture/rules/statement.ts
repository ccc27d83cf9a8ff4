import type { Draft, ObservationKind } from "../draft.ts";
import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { oneLine } from "../payload/clip.ts";
import { contentHash, stableKey } from "../payload/identity.ts";
import { isSlashCommand, typedText } from "../payload/prompt-text.ts";
import { allCues } from "./cues.ts";
import { sentencesOf } from "./sentences.ts";
import { agentOrigin } from "./taint.ts";
import type { Told } from "./told.ts";
import { toldIn } from "./told.ts";

const sentenceCharsMin = 25;
const sentenceCharsMax = 400;
const statementsMax = 3;

/** Phrases that state a choice or a rule; made when something was said, not for a tool's use. */
const decided = (): readonly RegExp[] => [
  /\b(?:we|I)(?:'ve| have)? (?:decided|agreed|chose|opted|settled)\b(?! whether| if)/iu,
  /\b(?:I'll|I will|we'll|we will|let's|going to|we should|I'm) (?:use|using|keep|go with|stick with|switch to) .{3,120}\b(?:instead of|rather than|over|because|since|so that)\b/iu,
  /\b(?:using|used|chose|chosen|picked|kept|switched to) .{3,120}\b(?:instead of|rather than)\b.{3,}/iu,
  /\blet's (?:go with|stick with|settle on)\b/iu,
  /\b(?:the|our) (?:convention|rule|policy|decision)(?: here| in this \w+)? is\b/iu,
  /\bfrom now on\b/iu,
  /\b(?:wir|ich) (?:haben?|hatten?) (?:uns|mich) (?:.{2,120} )?(?:entschieden|geeinigt)\b/iu,
  /\b(?:wir|ich) (?:verwenden?|benutzen?|nutzen?|nehmen?|setzen?|bleiben?|behalten?|wechseln?)\b.{3,120}\b(?:statt|anstatt|anstelle|weil|damit)\b/iu,
];

/** Phrases that state why something is as it is. */
const discovered = (): readonly RegExp[] => [
  /\broot cause (?:is|was|of)\b/iu,
  /\bthe (?:real |actual |underlying |main )?(?:issue|problem|bug|culprit|cause) (?:is|was)(?: clear| that| in)?\b/iu,
  /\bturns out\b|\bit turned out\b/iu,
  /\b(?:fails?|failed|failing|breaks?|broke|crash(?:es|ed)) because\b/iu,
  /\bthis is a (?:real |known )?bug\b|\bis misleading\b/iu,
  /\b(?:doesn't|does not|don't|cannot|can't) support\b.{10,}/iu,
  /\bthe (?:fix|solution|workaround) (?:is|was) to\b/iu,
  /\b(?:which|that) (?:will|would) (?:fail|break|crash)\b/iu,
  /\bexpects? to be (?:run|called|started|built|loaded)\b/iu,
  /\b(?:tried|attempted) .{3,120}\b(?:but it|but that|didn't|did not|without success)\b/iu,
  /\b(?:didn't|did not|doesn't|does not|won't) (?:work|help) (?:because|since|as)\b|\bdead end\b/iu,
  /\b(?:tests|modules|components|handlers|migrations|commits|this (?:project|repo|repository|codebase)|the (?:project|repo|repository|codebase)) (?:all |always )?(?:uses?|follows?|lives?) .{4,}/iu,
  /\b(?:die (?:eigentliche |wahre )?ursache|der (?:eigentliche |wahre )?(?:grund|fehler)|das (?:eigentliche )?problem) (?:dafür |davon |hier )?(?:ist|war|liegt|lag)\b/iu,
  /\b(?:lag|liegt) daran, dass\b|\bstellte sich heraus\b|\bhat sich herausgestellt\b/iu,
  /\b(?:schlägt|schlug|schlagen|schlugen) .{0,40}fehl, weil\b|\b(?:fehlgeschlagen|abgestürzt|gescheitert), weil\b/iu,
  /\bunterstützt .{3,80}\bnicht\b|\bdie lösung (?:ist|war|bestand darin)\b/iu,
];

/** Words that only say that what follows is certain. */
const clearly = (): RegExp =>
  /^(?:the (?:issue|problem|cause) is (?:clear|obvious)|found (?:it|the (?:issue|problem|bug|cause)))\s*[—–:-]+\s*/iu;

/** What weighs, asks or plans states nothing. */
const notStated = (): RegExp =>
  /\?["')]?$|^(?:if|when|should we|maybe|perhaps|falls|wenn)\b|\b(?:might|may be|maybe|perhaps|possibly|presumably|probably|(?:most |very )?likely|seems?|appears? to|looks like|not sure|unsure|I (?:think|believe|guess|suspect|assume)(?! (?:that )?we should)|my (?:guess|hypothesis|theory)|vielleicht|vermutlich|wahrscheinlich|möglicherweise|eventuell|offenbar|könnte|dürfte|ich (?:glaube|vermute|denke|nehme an)|schauen wir|could be|let me (?:check|see|look|verify|know))\b/iu;

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
  const origin = byUser ? "user" : agentOrigin(history);
  const drafts = sentences.flatMap((sentence, index) => {
    const told = toldIn(sentence, sentences[index + 1], languages);
    const stated = told === undefined ? statedIn(sentences, index) : quoted(told, sentence);
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

function statedIn(sentences: readonly string[], index: number): Stated | undefined {
  const opening = sentences[index] ?? "";
  // What only opens a list or a block says nothing without what comes next.
  const next = opening.endsWith(":") ? (sentences[index + 1] ?? "") : "";
  if (opening.endsWith(":") && next === "") return undefined;
  const sentence = next === "" ? opening : `${opening} ${next}`;
  const kind = statedKind(sentence);
  const title = sentence.replace(clearly(), "");
  const shown = title.charAt(0).toUpperCase() + title.slice(1);
  return kind && { kind, title: shown, narrative: around(sentences, index) };
}

function statedKind(sentence: string): ObservationKind | undefined {
  if (sentence.length < sentenceCharsMin || sentence.length > sentenceCharsMax) return undefined;
  if (notStated().test(sentence)) return undefined;
  if (decided().some((phrase) => phrase.test(sentence))) return "decision";
  return discovered().some((phrase) => phrase.test(sentence)) ? "discovery" : undefined;
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
