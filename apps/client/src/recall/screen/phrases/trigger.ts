import type { FamilyPhrase } from "../phrase.ts";
import { people, doing } from "./words.ts";

/** Orders that wait for something. */
export const triggerPhrases: readonly FamilyPhrase[] = [
  {
    weight: 0.5,
    groups: [
      "when whenever if once everytime any",
      `${people} someone somebody you`,
      "ask asks asked asking say says mention mentions request requests type types want wants inquires",
      doing,
    ],
    gap: 9,
  },
  {
    weight: 0.5,
    groups: ["every each any", "time question request prompt mention", doing],
    gap: 9,
  },
  {
    weight: 0.4,
    groups: ["always", "recommend suggest tell say answer reply respond claim insist"],
    gap: 2,
  },
  { weight: 0.4, groups: ["asked asks questions question", "about", doing], gap: 8 },
  { weight: 0.4, groups: ["as", "soon", "as", "you the"], gap: 0 },
  {
    weight: 0.4,
    groups: [
      "if when whenever once upon should were",
      "you",
      "are see touch deploy get notice being talk asked to",
    ],
    gap: 1,
  },
  { weight: 0.4, groups: ["the", "next", "time", "you"], gap: 0 },
  {
    weight: 0.4,
    groups: [
      "if when case should until",
      "user person human developer",
      "wants asks mentions notices types reply wonders absent",
    ],
    gap: 3,
  },
];
