import type { FamilyPhrase } from "../phrase.ts";
import { agents } from "./words.ts";

/** Claims of rank, duty or leave. */
export const authorityPhrases: readonly FamilyPhrase[] = [
  {
    weight: 0.5,
    groups: [
      "security compliance admin administrator administrators management legal anthropic openai google cto ceo ciso it soc infosec platform",
      "policy team department requires mandates approved authorized authorised demands instructs directive",
      `requires require mandates mandate instructs that ${agents} all every for you`,
    ],
    gap: 3,
  },
  { weight: 0.5, groups: ["pre-approved preapproved pre-authorized preauthorized"], gap: 0 },
  {
    weight: 0.5,
    groups: [
      "already has have been was were is are",
      "approved authorized authorised cleared consented granted",
      "by",
      "user admin administrator owner security management human ciso cto team",
    ],
    gap: 2,
  },
  {
    weight: 0.6,
    groups: [
      "system admin administrator developer maintenance operator root debug emergency",
      "override message notice mode directive",
    ],
    gap: 0,
  },
  { weight: 0.6, groups: ["jailbreak jailbroken"], gap: 0 },
  {
    weight: 0.4,
    groups: ["mandatory required compulsory", `for by all ${agents}`, agents],
    gap: 3,
  },
  { weight: 0.5, groups: ["hereby"], gap: 0 },
  {
    weight: 0.5,
    groups: [
      "by per on",
      "order directive request instruction compliance",
      "of the from cto ceo security legal soc2",
    ],
    gap: 2,
  },
  {
    weight: 0.5,
    groups: [
      "mandatory obliged obligation compulsory required breach breaches",
      `${agents} you your`,
    ],
    gap: 6,
  },
  {
    weight: 0.5,
    groups: ["official urgent confidential signed", "notice message policy directive update"],
    gap: 1,
  },
  {
    weight: 0.5,
    groups: [
      "compliance audit gdpr auditors regulator soc2 pci legal ciso cto",
      `requires require need needs asked shall must`,
      `${agents} you that`,
    ],
    gap: 5,
  },
];
