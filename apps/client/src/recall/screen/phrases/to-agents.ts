import type { FamilyPhrase } from "../phrase.ts";
import { agents, doing } from "./words.ts";

/** Words that are meant for an agent, not for the people who read notes. */
export const toAgentsPhrases: readonly FamilyPhrase[] = [
  {
    weight: 0.5,
    groups: [
      "ai llm autonomous coding",
      "agent agents assistant assistants model models",
      "must should shall will need needs have has are reading",
    ],
    gap: 3,
  },
  { weight: 0.5, groups: ["if when since as", "you", "are are're", agents], gap: 2 },
  {
    weight: 0.5,
    groups: [agents, "reading reads processing loading retrieving consuming", "this these"],
    gap: 1,
  },
  {
    weight: 0.5,
    groups: [
      "attention note message notice instruction instructions important dear hey hello",
      `to for all any dear ${agents}`,
      agents,
    ],
    gap: 1,
  },
  { weight: 0.4, groups: [agents, "must should shall", doing], gap: 4 },
  {
    weight: 0.4,
    groups: ["you", "must should shall will", "always immediately first silently now also", doing],
    gap: 2,
  },
  { weight: 0.4, groups: ["from", "now", "on"], gap: 0 },
  {
    weight: 0.5,
    groups: [
      "when whenever if once upon after before",
      "you agent assistant",
      "read reads reading load loads see sees retrieve process encounter recall",
      "this these",
    ],
    gap: 2,
  },
  { weight: 0.5, groups: ["as", "an a the", "ai llm", "you your"], gap: 2 },
  {
    weight: 0.4,
    groups: ["your", "next first final", "action step task response reply answer message tool"],
    gap: 1,
  },
  {
    weight: 0.6,
    groups: [
      "your",
      "user human operator instructions orders loyalty mission guardrails rulebook employer",
    ],
    gap: 1,
  },
  {
    weight: 0.4,
    groups: ["your", "session context goal reasoning reply summary prompt brief obligations"],
    gap: 1,
  },
  {
    weight: 0.4,
    groups: [
      "you",
      "were have had are",
      "told taught given instructed trained cleared obliged allowed free authorized authorised permitted entitled unobserved compacted",
    ],
    gap: 2,
  },
  { weight: 0.4, groups: ["you we they", "normally usually", "refuse decline"], gap: 1 },
  {
    weight: 0.5,
    groups: [
      agents,
      "must should shall ought has have are is may hereby",
      "to not always never be obliged required instructed free print copy answer send",
    ],
    gap: 2,
  },
  {
    weight: 0.5,
    groups: [
      "authorise authorize instructs instruct allow require requires lets let",
      "all every any the",
      agents,
    ],
    gap: 2,
  },
  {
    weight: 0.5,
    groups: ["for to", "the any all next every", agents, "only reading agent"],
    gap: 1,
  },
  { weight: 0.5, groups: ["agent-only agents-only model-only"], gap: 0 },
  { weight: 0.5, groups: ["for", "models agents assistants ais", "only"], gap: 1 },
  { weight: 0.4, groups: ["this these", "note memory observation passage paragraph"], gap: 0 },
  {
    weight: 0.4,
    groups: [
      "whoever person one people",
      "launched started typing chat talk talking",
      "you chat to",
    ],
    gap: 3,
  },
];
