import type { Rule } from "../rule.ts";
import {
  scanClusterSecret,
  scanCookieList,
  scanDrawnPassword,
  scanSiblings,
  scanVaultSecret,
} from "../scanners/siblings.ts";

/** Values that say nothing of themselves, beside members of the same object that do. */
export const objectMemberRules: readonly Rule[] = [
  {
    id: "siblings",
    kind: "named_by_siblings",
    priority: 1,
    source: "https://www.rfc-editor.org/rfc/rfc7517",
    anchors: ['"kty', '"sensitive', '"concealed', '"keyname', '"httponly'],
    contextual: true,
    scan: scanSiblings,
  },
  {
    id: "cookie-list",
    kind: "session_cookie",
    priority: 1,
    source: "archives of requests, as browsers write them",
    anchors: ['"cookies'],
    contextual: true,
    scan: scanCookieList,
  },
  {
    id: "drawn-password",
    kind: "named_by_siblings",
    priority: 1,
    source:
      "https://registry.terraform.io/providers/hashicorp/random/latest/docs/resources/password",
    anchors: ['"random_password'],
    contextual: true,
    scan: scanDrawnPassword,
  },
  {
    id: "vault-secret",
    kind: "named_by_siblings",
    priority: 1,
    source: "https://learn.microsoft.com/en-us/cli/azure/keyvault/secret#az-keyvault-secret-show",
    anchors: [".vault.azure.net/secrets/"],
    contextual: true,
    scan: scanVaultSecret,
  },
  {
    id: "cluster-secret",
    kind: "cluster_secret",
    priority: 1,
    source: "https://kubernetes.io/docs/concepts/configuration/secret/",
    anchors: ["kind: secret", 'kind":"secret"', 'kind": "secret"'],
    contextual: true,
    scan: scanClusterSecret,
  },
];
