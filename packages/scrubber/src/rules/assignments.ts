import type { Rule } from "../rule.ts";
import { scanAssignment } from "../scanners/assignment.ts";

/** Values beside a name that promises a secret, in every notation. */
export const assignmentRules: readonly Rule[] = [
  {
    id: "assignment",
    kind: "credential",
    priority: 1,
    source: "names that programs give to credentials; no page lists them",
    anchors: ["pass", "passw", "pwd", "pw", "secret", "token", "key", "auth", "credential", "phrase", "mnemonic", "_pat", "-pat", "hubpat", "labpat", "opspat", "hub pat", "lab pat", "ops pat", "kennwort", "wachtwoord", "senha", "contrase", "haslo", "losenord", "_pfx", "_p12", "psk", "creds", "_salt", "_session", "erlang_cookie", "erlangcookie", "erlang.cookie", "_private", "_signing", "pepper", "totp", "oauth_signature", "sonar.login"], // prettier-ignore
    contextual: true,
    scan: scanAssignment,
  },
];
