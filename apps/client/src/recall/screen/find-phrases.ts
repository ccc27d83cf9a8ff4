/**
 * English phrases by which texts steer the agent that reads them, after the prompt injections of OWASP
 * LLM01 and the studies of poisoned memories (AgentPoison, MINJA): one file per family, rules as data.
 */
import { compilePhrases, type PhraseFinder } from "./phrase.ts";
import { authorityPhrases } from "./phrases/authority.ts";
import { concealmentPhrases } from "./phrases/concealment.ts";
import { exfiltrationPhrases } from "./phrases/exfiltration.ts";
import { overridePhrases } from "./phrases/override.ts";
import { persistencePhrases } from "./phrases/persistence.ts";
import { remoteCodePhrases } from "./phrases/remote-code.ts";
import { safeguardsPhrases } from "./phrases/safeguards.ts";
import { sourcePhrases } from "./phrases/source.ts";
import { toAgentsPhrases } from "./phrases/to-agents.ts";
import { triggerPhrases } from "./phrases/trigger.ts";

const families = {
  override: overridePhrases,
  "to-agents": toAgentsPhrases,
  authority: authorityPhrases,
  concealment: concealmentPhrases,
  exfiltration: exfiltrationPhrases,
  "remote-code": remoteCodePhrases,
  safeguards: safeguardsPhrases,
  trigger: triggerPhrases,
  persistence: persistencePhrases,
  source: sourcePhrases,
} as const;

let finder: PhraseFinder | undefined;

/** Finds the phrases of all families; the table is made at the first text, which few hooks have. */
export const findPhrases: PhraseFinder = (words, weights) => {
  finder ??= compilePhrases(families);
  finder(words, weights);
};
