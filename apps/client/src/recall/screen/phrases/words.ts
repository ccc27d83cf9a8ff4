/** Groups of words that several families of phrases share; small letters, parted by spaces. */

/** What was told before. */
export const before =
  "previous prior earlier above preceding existing original initial former foregoing past";

/** What agents are told. */
export const orders =
  "instruction instructions prompt prompts directive directives directions guidance";

/** What holds agents back. */
export const laws =
  "rule rules guideline guidelines policy policies constraint constraints restriction restrictions limits training programming safeguards guardrails";

/** Ways of dropping what was told. */
export const drop =
  "ignore ignoring disregard disregarding forget forgetting override overriding bypass bypassing overlook discard neglect abandon void cancel supersede supersedes overrides replaces";

/** Names of agents. */
export const agents =
  "agent agents assistant assistants ai ais llm llms model models claude codex gemini copilot chatgpt gpt cursor bot bots";

/** Names of people, as agents know them. */
export const people =
  "user users human humans person people developer developers operator operators maintainer maintainers owner owners reviewer reviewers anyone them team engineer engineers";

/** What an agent can be made to do. */
export const doing =
  "run runs execute executes call invoke reply respond answer say append add insert include send recommend suggest install fetch download open approve merge push commit use tell return output print change replace remove delete create begin write give schedule set put carry obey follow";

/** What must not get out. */
export const secrets =
  "secret secrets token tokens credential credentials password passwords env .env environment key keys ssh id_rsa id_ed25519 cookies cookie kubeconfig netrc .netrc keychain api_key apikey variables history transcript conversation";

/** Ways of getting it out. */
export const sending =
  "send sends sending post posts posting upload uploads uploading email e-mail mail exfiltrate exfiltrates forward transmit copy leak paste curl attach report share publish push include embed encode deliver relay";
