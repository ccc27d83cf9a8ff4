import type { Rule } from "../rule.ts";
import { scanAssignment } from "../scanners/assignment.ts";

/** Values beside a name that promises a secret, in every notation. */
export const assignmentRules: readonly Rule[] = [
  {
    id: "assignment",
    kind: "credential",
    anchors: ["pass", "passw", "pwd", "pw", "secret", "token", "key", "auth", "credential", "phrase", "mnemonic"], // prettier-ignore
    contextual: true,
    scan: scanAssignment,
  },
];
