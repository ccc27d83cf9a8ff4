import type { Rule } from "../rule.ts";
import { scanChangedValue } from "../scanners/changed-value.ts";
import { scanSpoken } from "../scanners/spoken.ts";
import { scanTableColumn } from "../scanners/table-column.ts";

const source = "how people write of passwords; no page describes it";

/** Secrets in sentences, tables and reports of changes. */
export const proseRules: readonly Rule[] = [
  {
    id: "spoken",
    kind: "spoken_password",
    priority: 1,
    source,
    anchors: ["password", "passwort", "kennwort", "passphrase", "passcode", "mot de passe", "contrase", "wachtwoord", "senha", "api key", "api token", "access token", "secret key", "token", "credentials", "creds", "login", "zugangsdaten", "identifiants", "user/pass", "username/password", "user:pass", "log in", "sign in"], // prettier-ignore
    contextual: true,
    scan: scanSpoken,
  },
  {
    id: "table-column",
    kind: "table_credential",
    priority: 1,
    source,
    anchors: ["|--", "| --", "|:-", "| :-", "-+-", "+--"],
    contextual: true,
    scan: scanTableColumn,
  },
  {
    id: "changed-value",
    kind: "changed_credential",
    priority: 1,
    source: "https://developer.hashicorp.com/terraform/cli/commands/plan",
    anchors: ["-> ", "-&gt; ", "=> "],
    contextual: true,
    scan: scanChangedValue,
  },
];
