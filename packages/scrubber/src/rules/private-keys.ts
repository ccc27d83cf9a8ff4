import { hasBech32Check } from "../checks/bech32.ts";
import { type NamedKind, openMax, run, type Rule, tokenRules } from "../rule.ts";
import { scanPuttyKey, scanWrappedPem } from "../scanners/key-file.ts";
import { scanKeyBody, scanPem, scanPemTail } from "../scanners/pem.ts";

const armour = "https://www.rfc-editor.org/rfc/rfc7468";
const asn1 = "https://www.rfc-editor.org/rfc/rfc5958";
const putty = "https://the.earth.li/~sgtatham/putty/latest/htmldoc/AppendixC.html";
const age = "https://github.com/C2SP/C2SP/blob/main/age.md";
const kubeconfig = "https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/";

const pem = { kind: "private_key", priority: 0, source: armour } as const;

/** Private keys in armour, without it, and wrapped (SC7). Certificates and public keys stay. */
export const privateKeyRules: readonly Rule[] = [
  { id: "pem-begin", ...pem, anchors: ["-----BEGIN", "---- BEGIN"], scan: scanPem },
  { id: "pem-end", ...pem, anchors: ["-----END"], scan: scanPemTail },
  {
    id: "key-body",
    ...pem,
    source: asn1,
    // "openssh-key-v1", and the ASN.1 heads of RSA-2048/4096 PKCS#8 and PKCS#1 keys.
    anchors: ["b3BlbnNzaC1rZXktdjE", "MIIEvgIBADAN", "MIIEvQIBADAN", "MIIEvAIBADAN", "MIIJQgIBADAN", "MIIJQwIBADAN", "MIIEpAIBAAKC", "MIIEowIBAAKC", "MIIEogIBAAKC", "MIIJKAIBAAKC", "MIIJKQIBAAKC", "MIIJKgIBAAKC", "MIIJJwIBAAKC", "MIIG5AIBAAKC", "MIIG4wIBAAKC", "MIIG5QIBAAKC", "MIICXwIBAAKB", "MIICWgIBAAKB", "MIICYAIBAAKB", "MIIEoQIBAAKC", "MIIEpQIBAAKC", "MIIJJgIBAAKC", "MIIJKwIBAAKC", "MIIG4gIBAAKC", "MIIG5gIBAAKC", "MIIEuwIBADAN", "MIIEvwIBADAN", "MIICdQIBADAN", "MIICeQIBADAN", "MIIJQAIBADAN", "MIIJRQIBADAN", "MIIG/AIBADAN", "MIICXAIBAAKB", "MIICXQIBAAKB", "MIICXgIBAAKB", "MIICWwIBAAKB", "MIICdgIBADAN", "MIICdwIBADAN", "MIICeAIBADAN", "MIIG/gIBADAN", "MIIG/QIBADAN", "MIIG/wIBADAN", "MIIJRAIBADAN", "MIIJQQIBADAN", "MIGHAgEAMBMGByqGSM49", "MIG2AgEAMBAGByqGSM49", "MIGkAgEBBDD", "MIHcAgEBBEI", "MC4CAQAwBQYDK2VwBCIE", "MHcCAQEEI"], // prettier-ignore
    isExact: true,
    scan: scanKeyBody,
  },
  { id: "putty", ...pem, source: putty, anchors: ["Private-Lines:"], scan: scanPuttyKey },
  {
    id: "wrapped-pem",
    kind: "wrapped_private_key",
    priority: 0,
    source: kubeconfig,
    anchors: ["LS0tLS1CRUdJTi"],
    isExact: true,
    scan: scanWrappedPem,
  },
  ...tokenRules([
    {
      kind: "age_key",
      priority: 0,
      source: age,
      anchors: ["AGE-SECRET-KEY-1"],
      body: [run("upperAlnum", 40, 80)],
      valid: hasBech32Check,
    },
    {
      kind: "age_hybrid_key",
      priority: 0,
      source: age,
      anchors: ["AGE-SECRET-KEY-PQ-1"],
      body: [run("upperAlnum", 40, 120)],
      valid: hasBech32Check,
    },
    {
      kind: "key_mac",
      priority: 0,
      source: putty,
      anchors: ["Private-MAC: "],
      body: [run("hex", 40, 64)],
    },
  ]),
];

/** What goes by its name alone. */
export const privateKeyNames = (): readonly NamedKind[] => [
  {
    kind: "pkcs12_store",
    priority: 0,
    source: "https://www.rfc-editor.org/rfc/rfc7292",
    words: ["keystore|p12|pfx|pkcs12|jks|certificate"],
    shapes: [["MII", run("base64Padded", 100, openMax)]],
  },
];
