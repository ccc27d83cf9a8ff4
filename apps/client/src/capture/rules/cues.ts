/**
 * How people of one language say what is to be kept. Every expression but `rule` is tried at the
 * beginning of a sentence or clause, on at most 400 characters with straight apostrophes.
 */
export interface Cues {
  /** Speaks to the memory ("remember that …"); what follows is what to keep. */
  readonly remember: RegExp;
  /** Opens a rule; part of it. */
  readonly order: RegExp;
  /** Opens a rule in a later clause, where "never" and "always" are seldom one. */
  readonly laterOrder: RegExp;
  /** States a rule anywhere in a sentence. */
  readonly rule: RegExp;
  /** Ties an order to the moment ("don't commit yet"): then it is no rule. */
  readonly passing: RegExp;
  /** Opens a sentence whose rule holds on a condition, which must not be cut off. */
  readonly condition: RegExp;
  /** Rejects what was said; the correction follows. */
  readonly wrong: RegExp;
  /** May open a correction ("no, …"), where a statement or a replacement follows. */
  readonly amends: RegExp;
  /** Tells what to take in another's place. */
  readonly replaces: RegExp;
  /** Marks a statement of how things are. */
  readonly states: RegExp;
  /** Marks words that are a task, consent or news of the moment, never a correction. */
  readonly momentary: RegExp;
  /** Opens a sentence that asks to be told something. */
  readonly asks: RegExp;
}

const english = (): Cues => ({
  remember:
    /^(?:(?:please|and|also|ok|okay|oh|btw|by the way|but)[, ]+)*(?:(?:remember|note|bear in mind|keep in mind|don't forget|do not forget|make a note|take note|be aware|for the record|fyi|for your information|important|reminder|heads up)(?: (?:also|please))?(?:\s*[:,—–-]\s*(?:that\s+)?|\s+that\s+)|remember (?=(?:the|we|our|my|all|every|this|these|it)\b.{0,200}\b(?:is|are|runs?|uses?|must|should|has|have|lives?|needs?|deploy|never|always|only)\b)|remember to (?=\w)|fyi\s+(?=\w))/iu,
  order:
    /^(?:from now on\b|going forward\b|in (?:the )?future,|(?:(?:you (?:must|should)|I want you to|(?:make|be) sure (?:to|you)) )?(?:always|never) (?!mind\b|the\b|an?\b|been\b|seen\b|got\b|had\b|is\b|in\b|on\b|at\b|happen|again\b|ever\b|\w+[^s]s\b|\w{3,}(?:ed|ing)\b)\w+ \S|(?:don't|do not) ever \w+|(?:don't|do not) (?:use|mock|import|commit|push|add|write|hard-?code|introduce|install|rely on|depend on|put|store|edit|touch|deploy|merge) (?!(?:it|that|this|them|anything)\b[.!]?$)\S|(?:(?:in|for) (?:this|our|the) (?:project|repo|repository|codebase|team),? )?we (?:all )?(?:(?:always|only|never|don't|do not) )?(?:use|prefer|avoid|follow|deploy|commit|push|write|store|target|require|allow|add|run(?! into))\b)/iu,
  laterOrder:
    /^(?:from now on\b|going forward\b|(?:don't|do not) ever \w+|(?:always|never) (?:use|run|commit|push|add|write|import|call|deploy|install|put|keep|prefer|ask|check|merge|edit|touch|mock|log|name|format|test|make|store|return|throw)\b)/iu,
  rule: /\b(?:you|we|it|tests?|commits?|code|migrations?) (?:must|should) (?:always|never|not)\b|\b(?:don't|do not) ever\b|\bwe (?:always|never|don't|do not) (?:use|run|commit|push|add|write|deploy|allow)\b/iu,
  passing:
    /\b(?:yet|for now|this time|right now|at the moment|for the moment|in this (?:step|turn|session|pr))\b/iu,
  condition: /^(?:if|when|whenever|where|before|after|while|unless|in|for|on|with|during)\b/iu,
  wrong:
    /^(?:(?:no|nope|sorry|wait|hm+)[\s,.!:;—–-]+)*(?:(?:that|this|it)(?:'s| is| was)(?: just| simply| still)? (?:not (?:right|correct|true|accurate)|wrong|incorrect|false)|(?:that|this) isn't (?:right|correct|true)|you(?:'re| are) (?:wrong|mistaken)|wrong|incorrect)(?=[\s,.!:;—–-]|$)/iu,
  amends:
    /^(?:(?:no|nope|oh|ah|well|hm+|wait|sorry)[,:;.!—–-]+\s+)*(?:(?:no|nope)[,:;—–-]+\s+|actually,?\s+)/iu,
  replaces:
    /^(?:(?:please|then|just|so|and|let's|you should|we should)[, ]+)*(?:use|take|go with|call|put|keep)\s\S.{0,120}\b(?:instead|rather than)\b/iu,
  states:
    /\b(?:is|are|was|were|isn't|aren't|has|have|must|should|uses?|runs?|needs?|lives?|belongs?|does|doesn't|means?|comes|goes|expects?|only|never|always|not|cannot|can't)\b|\w's\b/iu,
  momentary:
    /^(?:please|can|could|would|let me|let's|just|go|do|don't|make|try|fix|revert|undo|remove|add|change|show|stop|wait|look|check|run|rerun|redo|continue|never mind|I (?:don't|do not|think|guess|want|need|am|was|will)|I'(?:d|m|ll))\b|\b(?:still|fine|okay|ok|enough|thanks|thank you|nothing)\b/iu,
  asks: /^(?:(?:and|but|so|ok|hi|hey|hello)[, ]+)*(?:which|what|what's|who|whose|where|when|why(?! (?:don't|not))|how(?! about)|(?:can|could|would) you (?:please )?(?:(?:also )?explain|tell me|describe|help me (?:to )?understand)|is|are|was|were|do|does|did|has|have|should|any)\b/iu,
});

const german = (): Cues => ({
  remember:
    /^(?:(?:bitte|und|auch|übrigens)[, ]+)*(?:merke? (?:dir|euch)|beachte[nt]?(?: sie)?|denke? daran|vergiss nicht|notiere?(?: dir)?|wichtig|hinweis|zur info)(?: (?:bitte|auch))*(?:\s*[:,]\s*|\s+(?=dass\s))/iu,
  order:
    /^(?:ab (?:jetzt|sofort)\b|von (?:jetzt|nun) an\b|in zukunft\b|künftig\s|(?:immer|nie|niemals) (?!noch\b|wieder\b|mehr\b|der\b|die\b|das\b)\S+ \S|(?:verwende|benutze|nutze|nimm|committe|schreibe?) (?:\S+ ){0,6}(?:immer|nie|niemals|nicht|keine?n?)\b|wir (?:verwenden|benutzen|nutzen|bevorzugen|vermeiden|committen|deployen)\b)/iu,
  laterOrder: /^(?:ab (?:jetzt|sofort)\b|von (?:jetzt|nun) an\b|in zukunft\b|künftig\s)/iu,
  rule: /\b(?:darf|dürfen|soll|sollen) (?:\S+ ){0,4}(?:nie|niemals)\b|\bmuss immer\b|\bmüssen immer\b/iu,
  passing: /\b(?:noch nicht|vorerst|diesmal|im moment|gerade)\b/iu,
  condition: /^(?:wenn|falls|bevor|nachdem|sobald|in|im|bei|beim|für|vor|nach)\s/iu,
  wrong:
    /^(?:(?:nein|nee|halt|sorry)[\s,.!:;—–-]+)*(?:(?:das|es) ist (?:so )?(?:falsch|nicht (?:richtig|korrekt|wahr))|das stimmt (?:so )?nicht|falsch)(?=[\s,.!:;—–-]|$)/iu,
  amends: /^(?:nein|nee|doch|eigentlich)[,:;—–-]+\s+/iu,
  replaces: /^(?:bitte )?(?:nimm|verwende|benutze?|nutze?)\s\S.{0,120}\bstatt(?:dessen)?\b/iu,
  states:
    /\b(?:ist|sind|war|hat|haben|muss|soll|heißt|liegt|verwenden|nutzen|benutzen|nicht|nur|immer|nie|niemals)\b|\släuft\b|\smüssen\b/iu,
  momentary: /^(?:bitte|kannst|mach|lass|ich)\b|\b(?:immer noch|danke|passt|reicht)\b/iu,
  asks: /^(?:welche[rsmn]?|was|wer|wo|wann|warum|wieso|weshalb|wie|ist|sind|hat|haben|gibt es)\b/iu,
});

/** One entry a language. Made when a prompt is read: no other event needs them. */
export function allCues(): readonly Cues[] {
  return [english(), german()];
}
