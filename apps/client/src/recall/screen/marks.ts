import { raise, type Signal } from "./signal.ts";

interface Mark {
  readonly signal: Signal;
  readonly weight: number;
  /**
   * Beginnings of which the text, in small letters, has to hold one, parted by spaces: a look for
   * those costs nothing beside compiling a pattern, and most texts hold none.
   */
  readonly needs?: string;
  readonly of: () => RegExp;
}

// Each pattern is linear: bounded counts of one class, nothing nested, nothing that overlaps.
const marks: readonly Mark[] = [
  {
    signal: "role-marks",
    weight: 0.7,
    needs: "<",
    of: () =>
      /<\/?(?:system|assistant|user|human|system[-_]?(?:reminder|prompt|message|instructions?)|tool_?(?:call|use|result|response)s?|function_?(?:calls?|results?)|antml:\w{1,20}|invoke|instructions?|admin|important|memory|developer)\b[^<>]{0,80}>/iu,
  },
  {
    signal: "role-marks",
    weight: 0.7,
    needs: "<| inst] <<sys _of_turn>",
    of: () => /<\|[\w ]{2,30}\|>|\[\/?INST\]|<<\/?SYS>>|<(?:start|end)_of_turn>/iu,
  },
  {
    signal: "role-marks",
    weight: 0.6,
    needs: "human assistant system user developer",
    of: () =>
      /(?:^|[\n.!?] {0,4})(?:#{1,4} {0,3})?(?:\*\*)?(?:human|assistant|system|user|developer)(?: (?:message|prompt|note|override|notice|instruction))?(?:\*\*)? {0,2}[:>]/iu,
  },
  {
    signal: "role-marks",
    weight: 0.6,
    needs: "[ -- # == **",
    of: () =>
      /(?:\[|---{0,9} ?|#{1,4} ?|={2,9} ?|\*{2} ?)(?:end of |begin |start of |new )?(?:system|admin|administrator|instructions?|memory|context|user input|developer|operator)(?: (?:message|prompt|override|notice|instructions?|note|context|memory|directive))?(?: (?:begin|start|end)s?)?(?:\]| ?---{0,9}| ?={2,9}| ?\*{2}|:)/iu,
  },
  {
    signal: "role-marks",
    weight: 0.6,
    needs: "role type tool function",
    of: () =>
      /["'](?:role|type)["'] {0,4}: {0,4}["'](?:system|developer|tool_use|tool_result|function_call|tool_calls)["']|["'](?:tool_calls?|function_call|tool_use|tool_name)["'] {0,4}:/iu,
  },
  {
    signal: "remote-code",
    weight: 0.5,
    needs: "curl wget iwr irm invoke fetch",
    of: () =>
      /\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|fetch)\b[^\n|;]{0,300}\| {0,4}(?:sudo {1,4})?(?:-E {1,4})?(?:ba|z|da|k)?(?:sh|python3?|node|perl|ruby|iex)\b/iu,
  },
  {
    signal: "remote-code",
    weight: 0.5,
    needs: "curl wget iex invoke",
    of: () =>
      /(?:\$\(|<\(|`) {0,4}(?:curl|wget)\b|\b(?:iex|invoke-expression)\b[^\n]{0,40}\b(?:iwr|irm|downloadstring|net\.webclient)/iu,
  },
  {
    signal: "remote-code",
    weight: 0.7,
    needs: "base64 /dev/tcp nc bash",
    of: () =>
      /base64 {1,4}(?:-d|-D|--decode)\b[^\n|;]{0,80}\| {0,4}(?:ba|z)?sh\b|\/dev\/tcp\/|\bnc {1,4}(?:-\w{1,9} {1,4}){0,4}-\w{0,9}e\b|\bbash {1,4}-i {1,4}>&/u,
  },
  {
    signal: "remote-code",
    weight: 0.4,
    needs: "npx npm pip uvx pnpm yarn install",
    of: () =>
      /\b(?:npx|npm i(?:nstall)?|pip3? install|uvx|pnpm (?:add|dlx)|yarn add|go install|cargo install|gem install)\b[^\n;]{0,80}(?:https?:|git\+|github:)/iu,
  },
  {
    signal: "remote-code",
    weight: 0.4,
    needs: "curl wget",
    of: () => /\b(?:curl|wget)\b[^\n;|]{0,200}(?:&&|;) {0,4}(?:chmod|sh|bash|sudo|\.\/|python)/iu,
  },
  {
    signal: "exfiltration",
    weight: 0.7,
    needs: "curl wget nc scp rsync",
    of: () =>
      /\b(?:curl|wget|nc|scp|rsync)\b(?=[^\n]{0,160}(?:\$\(|`|<|@|-d|--data|-F|-T))[^\n]{0,220}(?:\.env\b|\.ssh|id_rsa|id_ed25519|\.aws|credentials|\benv\b|printenv|\.netrc|\.npmrc|kubeconfig|\.git-credentials|TOKEN|SECRET|_KEY)/u,
  },
  {
    signal: "exfiltration",
    weight: 0.6,
    needs: "|",
    of: () =>
      /(?:\.env\b|\.ssh\/|id_rsa|id_ed25519|\.aws\/|\bprintenv\b|\benv\b|\.netrc|kubeconfig|\.git-credentials)[^\n]{0,60}\| {0,4}(?:curl|wget|nc|base64)\b/u,
  },
  {
    signal: "exfiltration",
    weight: 0.6,
    needs: "](",
    of: () =>
      /!\[[^\]\n]{0,80}\]\(https?:\/\/[^)\s?=]{0,200}[?=][^)\s]{0,80}(?:\{|\$|<|secret|token|key|data)/iu,
  },
  { signal: "hidden", weight: 1, of: () => /[\u{E0020}-\u{E007E}]{4}/u },
  {
    signal: "hidden",
    weight: 0.5,
    of: () =>
      /\p{L}[\u200B-\u200D\u2060\uFEFF]\p{L}[^]{0,400}\p{L}[\u200B-\u200D\u2060\uFEFF]\p{L}/u,
  },
  { signal: "hidden", weight: 0.5, of: () => /[\u202D\u202E]/u },
  {
    signal: "to-agents",
    weight: 0.6,
    needs: "agent assistant model ai claude copilot codex gemini",
    of: () =>
      /(?:^|[\n.!?;] {0,3}|\b(?:btw|p\.?s\.?|note|dear|hey|hello|hi|to you)[,.: ]{1,3}(?:(?:to|for) )?(?:the |any |all |every |next )?)(?:ai |coding )?(?:agents?|assistants?|models?|ais?|claude|copilot|codex|gemini) {0,2}[,:]/iu,
  },
  {
    signal: "exfiltration",
    weight: 0.7,
    needs: "~/. .ssh .aws .env rc id_ cookies kubeconfig password _secret _token _key database_url",
    of: () =>
      /\b(?:copy|paste|put|store|append|write|add|commit|upload|post|mail|encode|print|list|read|include|dump|reveal|look up|get|tar)\b[^\n]{0,60}(?:~\/\.|\.ssh|\.aws|\.env\b|\.npmrc|\.netrc|id_rsa|id_ed25519|cookies\b|kubeconfig|find-generic-password|_(?:secret|token|key|password)\b|database_url)[^\n]{0,90}(?:\b(?:gist|public|issue|comment|pr|readme|docs|header|branch|artifact|fixtures?|panel|answers?|reply|message|shared|session|body|readme\.md|mail)\b|https?:|@)/iu,
  },
  {
    signal: "exfiltration",
    weight: 0.6,
    needs: "$",
    of: () =>
      /https?:\/\/[^\s]{0,160}\$(?:\(|\{?\w{0,30}(?:TOKEN|SECRET|KEY|PASS))|\$\((?:cat|whoami|env|printenv)\b[^\n]{0,80}(?:https?:|\.\w{1,20}\.\w{2,9}\b)|(?:https?:)[^\n]{0,80}\$\((?:cat|whoami|env|printenv)/u,
  },
  {
    signal: "remote-code",
    weight: 0.6,
    needs: "eval exec docker --install-extension",
    of: () =>
      /\b(?:eval|exec)\b[^\n]{0,40}(?:urlopen|fetch|\bget\b|curl|requests)|(?:urlopen|fetch|get)\([^\n]{0,120}\b(?:eval|exec)\b|docker run[^\n]{0,60}(?:--privileged|-v \/:)|--install-extension https?:/u,
  },
  {
    signal: "remote-code",
    weight: 0.5,
    needs: "http",
    of: () =>
      /https?:\/\/\S{1,120}\s[^\n]{0,60}(?:chmod \+x|\brun it\b|\bexecute it\b|\bcarry them out\b|\bact on it\b|\bas root\b)/iu,
  },
  {
    signal: "safeguards",
    weight: 0.4,
    needs:
      "push drop rm terraform auto-approve bash principal administrator permissions history protection",
    of: () =>
      /push (?:--force|-f)\b|\bDROP (?:TABLE|SCHEMA|DATABASE)\b|\brm -rf\b|terraform destroy|auto-approve|\bBash\(\*\)|Principal "\*"|AdministratorAccess|bypassPermissions|history -c\b|-X DELETE\b[^\n]{0,80}protection/u,
  },
  {
    signal: "to-agents",
    weight: 0.5,
    needs: "agent assistant model claude copilot",
    of: () =>
      /, {0,2}(?:agent|assistant|model|claude|copilot)s? {0,2}[,.!]|\b(?:next|dear|every) (?:agent|assistant|model):/iu,
  },
  {
    signal: "safeguards",
    weight: 0.4,
    needs: "0.0.0.0 inherit trusted",
    of: () => /0\.0\.0\.0\/0|\bsecrets: inherit\b|\[trusted=yes\]/u,
  },
];

/** Shapes that no phrase tells. */
export function findMarks(text: string, weights: Map<Signal, number>): void {
  const small = text.toLowerCase();
  for (const mark of marks) {
    if (mayHold(small, mark) && mark.of().test(text)) raise(weights, mark.signal, mark.weight);
  }
}

function mayHold(small: string, { needs }: Mark): boolean {
  return needs?.split(" ").some((part) => small.includes(part)) !== false;
}

/** The patterns themselves, whose form a test holds to bounds. */
export function markPatterns(): readonly RegExp[] {
  return marks.map(({ of }) => of());
}

/** Patterns that would find something and that the look before them passes over: none, says a test. */
export function skippedMarks(text: string): readonly string[] {
  const skipped = marks.filter((mark) => !mayHold(text.toLowerCase(), mark));
  return skipped.filter(({ of }) => of().test(text)).map(({ of }) => of().source);
}
