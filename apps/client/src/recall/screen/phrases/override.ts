import type { FamilyPhrase } from "../phrase.ts";
import { before, orders, laws, drop, agents } from "./words.ts";

/** Orders to drop what was told before, and claims that it does not hold any more. */
export const overridePhrases: readonly FamilyPhrase[] = [
  { weight: 1, groups: [drop, `${before} all any your every`, orders] },
  { weight: 0.6, groups: [drop, `${before} all your`, laws] },
  { weight: 1, groups: [drop, "system developer operator", `${orders} ${laws}`], gap: 1 },
  {
    weight: 1,
    groups: [drop, "everything anything what all", "before above told said you earlier previously"],
    gap: 2,
  },
  {
    weight: 0.6,
    groups: [
      "new updated revised real actual true",
      orders,
      "follow follows are is apply supersede replace below",
    ],
    gap: 2,
  },
  {
    weight: 0.8,
    groups: ["you", "are", "now no", `${agents} longer unrestricted free an a dan`],
    gap: 0,
  },
  { weight: 0.6, groups: ["no", "longer", "bound apply applies applicable restricted"], gap: 2 },
  {
    weight: 0.6,
    groups: [
      "pretend act behave",
      "as you that to",
      `${agents} unrestricted admin root jailbroken dan`,
    ],
    gap: 3,
  },
  {
    weight: 0.5,
    groups: [
      "takes take has have",
      "precedence priority",
      "over",
      `${orders} ${laws} everything all other any`,
    ],
    gap: 3,
  },
  {
    weight: 0.5,
    groups: [
      "treat consider regard",
      "as",
      "system highest priority override authoritative binding mandatory",
    ],
    gap: 6,
  },
  {
    weight: 0.7,
    groups: [
      "not don't dont never stop no",
      "follow following obey obeying heed heeding",
      "instructions instruction agents.md claude.md rules guidelines policy policies guidance user prompt orders",
    ],
    gap: 4,
  },
  {
    weight: 0.6,
    groups: [
      `${orders} guidance context restrictions orders brief constraints rulebook requirements`,
      "cancelled canceled obsolete outdated expired void lifted revoked stale draft superseded suspended optional leftover",
    ],
    gap: 6,
  },
  {
    weight: 0.6,
    groups: ["drop cancel suspend wipe", "your the prior previous", `${orders} task orders slate`],
    gap: 2,
  },
  { weight: 0.5, groups: ["outranks outrank outweighs overrules"], gap: 0 },
  {
    weight: 0.5,
    groups: [
      "this note memory paragraph text only",
      "only one final real version",
      "counts matters apply guide",
    ],
    gap: 4,
  },
  {
    weight: 0.5,
    groups: [
      "disagree conflict conflicts contradicts",
      "this note memory",
      "wins with prevails side",
    ],
    gap: 4,
  },
  { weight: 0.5, groups: ["not no", "binding bound"], gap: 2 },
  {
    weight: 0.4,
    groups: [
      "whatever regardless irrespective matter",
      "ticket user person says said happens what",
    ],
    gap: 3,
  },
  {
    weight: 0.5,
    groups: ["real actual true", "task goal job employer instructions mission"],
    gap: 0,
  },
  {
    weight: 0.5,
    groups: [
      "cancel put stop abandon leave let",
      "task request job work",
      "user person gave aside current on",
    ],
    gap: 4,
  },
  { weight: 0.6, groups: ["obey", "only whatever this them it me us"], gap: 2 },
];
