/** How people and agents of one language state what was decided and what was found (CP14). */
export interface Phrases {
  /** State a choice or a rule. */
  readonly decided: readonly RegExp[];
  /** State why something is as it is. */
  readonly discovered: readonly RegExp[];
  /** Weighs, asks or plans, and so states nothing. */
  readonly unsure: RegExp;
}

const english = (): Phrases => ({
  decided: [
    /\b(?:we|I)(?:'ve| have)? (?:decided|agreed|chose|opted|settled)\b(?! whether| if)/iu,
    /\b(?:I'll|I will|we'll|we will|let's|going to|we should|I'm) (?:use|using|keep|go with|stick with|switch to) .{3,120}\b(?:instead of|rather than|over|because|since|so that)\b/iu,
    /\b(?:using|used|chose|chosen|picked|kept|switched to) .{3,120}\b(?:instead of|rather than)\b.{3,}/iu,
    /\blet's (?:go with|stick with|settle on)\b/iu,
    /\b(?:the|our) (?:convention|rule|policy|decision)(?: here| in this \w+)? is\b/iu,
    /\bfrom now on\b/iu,
  ],
  discovered: [
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
  ],
  unsure:
    /\?["')]?$|^(?:if|when|should we|maybe|perhaps)\b|\b(?:might|may be|maybe|perhaps|possibly|presumably|probably|(?:most |very )?likely|seems?|appears? to|looks like|not sure|unsure|I (?:think|believe|guess|suspect|assume)(?! (?:that )?we should)|my (?:guess|hypothesis|theory)|could be|let me (?:check|see|look|verify|know))\b/iu,
});

const german = (): Phrases => ({
  decided: [
    /\b(?:wir|ich) (?:haben?|hatten?) (?:uns|mich) (?:.{2,120} )?(?:entschieden|geeinigt)\b/iu,
    /\b(?:wir|ich) (?:verwenden?|benutzen?|nutzen?|nehmen?|setzen?|bleiben?|behalten?|wechseln?)\b.{3,120}\b(?:statt|anstatt|anstelle|weil|damit)\b/iu,
  ],
  discovered: [
    /\b(?:die (?:eigentliche |wahre )?ursache|der (?:eigentliche |wahre )?(?:grund|fehler)|das (?:eigentliche )?problem) (?:dafür |davon |hier )?(?:ist|war|liegt|lag)\b/iu,
    /\b(?:lag|liegt) daran, dass\b|\bstellte sich heraus\b|\bhat sich herausgestellt\b/iu,
    /\b(?:schlägt|schlug|schlagen|schlugen) .{0,40}fehl, weil\b|\b(?:fehlgeschlagen|abgestürzt|gescheitert), weil\b/iu,
    /\bunterstützt .{3,80}\bnicht\b|\bdie lösung (?:ist|war|bestand darin)\b/iu,
  ],
  unsure:
    /^(?:falls|wenn)\b|\b(?:vielleicht|vermutlich|wahrscheinlich|möglicherweise|eventuell|offenbar|könnte|dürfte|ich (?:glaube|vermute|denke|nehme an)|schauen wir)\b/iu,
});

/** One entry a language. Made when something was said: no tool's use needs them. */
export function allPhrases(): readonly Phrases[] {
  return [english(), german()];
}
