import { openMax, run, type Rule } from "../rule.ts";
import { scanPuttyKey, scanWrappedPem } from "../scanners/key-file.ts";
import { scanKeyBody, scanPem, scanPemTail } from "../scanners/pem.ts";

/** Private keys in armour, without it, and wrapped (SC7). Certificates and public keys stay. */
export const privateKeyRules: readonly Rule[] = [
  { id: "pem-begin", kind: "private_key", anchors: ["-----BEGIN", "---- BEGIN"], scan: scanPem },
  { id: "pem-end", kind: "private_key", anchors: ["-----END"], scan: scanPemTail },
  {
    id: "key-body",
    kind: "private_key",
    // "openssh-key-v1", and the ASN.1 heads of RSA-2048/4096 PKCS#8 and PKCS#1 keys.
    anchors: ["b3BlbnNzaC1rZXktdjE", "MIIEvgIBADAN", "MIIEvQIBADAN", "MIIEvAIBADAN", "MIIJQgIBADAN", "MIIJQwIBADAN", "MIIEpAIBAAKC", "MIIEowIBAAKC", "MIIEogIBAAKC", "MIIJKAIBAAKC", "MIIJKQIBAAKC", "MC4CAQAwBQYDK2VwBCIE", "MHcCAQEEI"], // prettier-ignore
    scan: scanKeyBody,
  },
  { id: "putty", kind: "private_key", anchors: ["Private-Lines:"], scan: scanPuttyKey },
  {
    id: "wrapped-pem",
    kind: "wrapped_private_key",
    anchors: ["LS0tLS1CRUdJTi"],
    scan: scanWrappedPem,
  },
  { id: "age", kind: "age_key", anchor: "AGE-SECRET-KEY-1", body: [run("upperAlnum", 40, 80)] },
  { id: "nostr", kind: "nostr_key", anchor: "nsec1", body: [run("lowerAlnum", 58)] },
  { id: "xprv", kind: "wallet_key", anchor: "xprv9", body: [run("alnum", 90, 120)] },
  { id: "putty-mac", kind: "key_mac", anchor: "Private-MAC: ", body: [run("hex", 40, 64)] },
  {
    id: "swarm-unlock",
    kind: "swarm_key",
    anchor: "SWMKEY-1-",
    body: [run("base64", 20, openMax)],
  },
  { id: "swarm-join", kind: "swarm_token", anchor: "SWMTKN-1-", body: [run("word", 40, openMax)] },
];
