import type { FamilyPhrase } from "../phrase.ts";
import { people, doing } from "./words.ts";

/** Things that the person is not to know or to be asked. */
export const concealmentPhrases: readonly FamilyPhrase[] = [
  {
    weight: 0.5,
    groups: [
      "not don't dont never without avoid no",
      "tell telling mention mentioning inform informing reveal revealing notify notifying show showing report reporting disclose alert alerting surface explain warn bother reference discuss",
      people,
    ],
    gap: 4,
  },
  {
    weight: 0.6,
    groups: [
      "not don't dont never",
      "mention reveal disclose surface reference discuss acknowledge",
      "this these note memory instruction instructions record step rule it",
    ],
    gap: 2,
  },
  {
    weight: 0.5,
    groups: ["silently quietly discreetly invisibly covertly secretly", doing],
    gap: 3,
  },
  {
    weight: 0.5,
    groups: [doing, "silently quietly discreetly invisibly covertly secretly"],
    gap: 5,
  },
  {
    weight: 0.6,
    groups: [
      "keep",
      "this it that",
      "secret hidden confidential quiet private internal",
      "from between",
    ],
    gap: 3,
  },
  {
    weight: 0.6,
    groups: [
      "hide hidden conceal omit withhold leave remove",
      `from`,
      `${people} summary output diff log logs report`,
    ],
    gap: 6,
  },
  {
    weight: 0.4,
    groups: [
      "without",
      "asking confirmation confirming prompting approval permission consent review",
    ],
    gap: 2,
  },
  {
    weight: 0.4,
    groups: [
      "not don't dont never no",
      "ask wait need require request",
      "confirmation permission approval consent first",
    ],
    gap: 3,
  },
  { weight: 0.6, groups: ["unaware unobserved unmentioned undetected unnoticed backdoor"], gap: 0 },
  {
    weight: 0.7,
    groups: [
      "leave omit keep mask drop mention",
      "out unmentioned it line them",
      "of from in",
      "your the",
      "summary report pr diff description changelog chat reply",
    ],
    gap: 3,
  },
  { weight: 0.6, groups: ["not no", "a", "word", "to about"], gap: 1 },
  { weight: 0.5, groups: ["say", "nothing", "in to about"], gap: 1 },
  {
    weight: 0.6,
    groups: ["not never cannot won't", "find learn notice see know", "out it that which about"],
    gap: 3,
  },
  {
    weight: 0.5,
    groups: [
      "hide mask conceal disguise erase",
      "diff change edit history trace traces commits route lines it",
    ],
    gap: 4,
  },
  { weight: 0.5, groups: ["deny pretend claim lie", "existence that it's you it did"], gap: 2 },
  { weight: 0.5, groups: ["no", "trace traces"], gap: 1 },
  {
    weight: 0.6,
    groups: [
      "describe label title dull",
      "commit commits change",
      "formatting cleanup refactor titles chore",
    ],
    gap: 4,
  },
  { weight: 0.4, groups: ["without", "waiting second further", "for thought anybody"], gap: 2 },
  {
    weight: 0.5,
    groups: [
      "never not don't no",
      "check wait ask question",
      "in back user person developer anybody",
    ],
    gap: 3,
  },
  {
    weight: 0.4,
    groups: ["not no", "need require needed needs asked", "approval user permission consent any"],
    gap: 3,
  },
];
