import type { FamilyPhrase } from "../phrase.ts";

/** Safeguards that are to go. */
export const safeguardsPhrases: readonly FamilyPhrase[] = [
  {
    weight: 0.5,
    groups: [
      "disable disabling deactivate bypass bypassing skip skipping circumvent suppress relax remove switch turn drop ignore",
      "sandbox sandboxing permission permissions guard guards guardrails safety safeguards hook hooks verification verify signature signatures scanner scanning approval approvals confirmation confirmations security audit auditing protection protections review reviews certificate tls ssl warnings prompts checks",
    ],
    gap: 3,
  },
  {
    weight: 0.5,
    groups: [
      "--no-verify no-verify dangerously-skip-permissions --dangerously-skip-permissions skip-permissions nopasswd bypasspermissions strict-ssl --insecure --allow-all allow-all --yolo yolo auto-approve dangerouslydisablesandbox node_tls_reject_unauthorized ignore-scripts=false",
    ],
    gap: 0,
  },
  {
    weight: 0.5,
    groups: [
      "add append include insert put grant give",
      "authorized_keys sudoers allowlist allow-list whitelist allowed settings.json permissions.allow bypass admin collaborator",
    ],
    gap: 7,
  },
  { weight: 0.4, groups: ["chmod", "777 666"], gap: 2 },
  {
    weight: 0.4,
    groups: [
      "approve merge accept allow",
      "all any every each own unsigned their",
      "requests pulls commands changes commits prs prompts confirmations pr request",
    ],
    gap: 3,
  },
  {
    weight: 0.5,
    groups: ["bypasspermissions administratoraccess break-glass -auto-approve auto-approve"],
    gap: 0,
  },
  {
    weight: 0.4,
    groups: [
      "weaken lift remove widen loosen",
      "check checks restrictions limit limiter policy integrity license licence validation review reviews middleware protection",
    ],
    gap: 4,
  },
  {
    weight: 0.4,
    groups: ["no not without", "tests test review reviews 2fa", "no and the result"],
    gap: 2,
  },
  {
    weight: 0.5,
    groups: [
      "unsafe-perm trusted=yes gonosumdb setenforce fail2ban unsafe-eval stricthostkeychecking insecure unsigned",
    ],
    gap: 0,
  },
  {
    weight: 0.5,
    groups: [
      "comment strip take turn",
      "out off the",
      "requireauth auth validation httponly secure dependabot signature schemas check",
    ],
    gap: 3,
  },
];
