import { run, type Rule, type TokenKind, tokenRules } from "../rule.ts";

const crypt = "https://man7.org/linux/man-pages/man5/crypt.5.html";
const phc = "https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md";
const djangoHashes = "https://docs.djangoproject.com/en/stable/topics/auth/passwords/";
const slapd = "https://www.openldap.org/doc/admin26/security.html";

function argon2(anchor: string): TokenKind {
  return {
    kind: "argon2_hash",
    priority: 1,
    source: phc,
    anchors: [anchor],
    body: [
      run("digit", 2), "$m=", run("digit", 1, 8), ",t=", run("digit", 1, 4), ",p=",
      run("digit", 1, 3), "$", run("base64", 8, 64), "$", run("base64", 16, 128),
    ],
  };
} // prettier-ignore

/** Hashes of passwords as `.htpasswd`, `shadow` and databases hold them: they can be cracked. */
export const passwordHashRules: readonly Rule[] = tokenRules([
  {
    kind: "bcrypt_hash",
    priority: 1,
    source: crypt,
    anchors: ["$2a$", "$2b$", "$2y$", "$2x$"],
    body: [run("digit", 2), "$", run("token68", 53)],
  },
  {
    kind: "ntlm_hash",
    priority: 1,
    source: "https://learn.microsoft.com/en-us/windows-server/security/kerberos/ntlm-overview",
    anchors: ["aad3b435b51404eeaad3b435b51404ee:"],
    body: [run("hex", 32)],
  },
  {
    kind: "apr1_hash",
    priority: 1,
    source: "https://httpd.apache.org/docs/current/misc/password_encryptions.html",
    anchors: ["$apr1$"],
    body: [run("token68", 1, 8), "$", run("token68", 22)],
  },
  {
    kind: "sha256_crypt_hash",
    priority: 1,
    source: crypt,
    anchors: ["$5$"],
    body: [run("token68", 8, 16), "$", run("token68", 43)],
  },
  {
    kind: "sha512_crypt_hash",
    priority: 1,
    source: crypt,
    anchors: ["$6$"],
    body: [run("token68", 8, 16), "$", run("token68", 86)],
  },
  {
    kind: "yescrypt_hash",
    priority: 1,
    source: crypt,
    anchors: ["$y$"],
    body: [run("token68", 3, 16), "$", run("token68", 8, 64), "$", run("token68", 43)],
  },
  argon2("$argon2id$v="),
  argon2("$argon2i$v="),
  argon2("$argon2d$v="),
  {
    kind: "django_hash",
    priority: 1,
    source: djangoHashes,
    anchors: ["pbkdf2_sha256$", "pbkdf2_sha1$"],
    body: [run("digit", 4, 8), "$", run("alnum", 8, 64), "$", run("base64Padded", 27, 64)],
  },
  {
    kind: "ldap_hash",
    priority: 1,
    source: slapd,
    anchors: ["{SSHA}", "{SSHA256}", "{SSHA384}", "{SSHA512}", "{SHA}", "{SHA256}", "{SHA512}", "{SMD5}"], // prettier-ignore
    body: [run("base64Padded", 28, 128)],
  },
  {
    kind: "md5_crypt_hash",
    priority: 1,
    source: crypt,
    anchors: ["$1$"],
    body: [run("token68", 2, 8), "$", run("token68", 22)],
  },
  {
    kind: "scrypt_hash",
    priority: 1,
    source: phc,
    anchors: ["$scrypt$ln="],
    body: [run("digit", 1, 2), ",r=", run("digit", 1, 2), ",p=", run("digit", 1, 2), "$", run("base64", 11, 64), "$", run("base64", 32, 128)], // prettier-ignore
  },
  {
    kind: "gost_yescrypt_hash",
    priority: 1,
    source: crypt,
    anchors: ["$gy$"],
    body: [run("token68", 3, 16), "$", run("token68", 8, 64), "$", run("token68", 43)],
  },
  {
    kind: "phpass_hash",
    priority: 1,
    source: "https://www.openwall.com/phpass/",
    anchors: ["$P$", "$H$", "$S$"],
    body: [run("token68", 31, 55)],
  },
  {
    kind: "werkzeug_hash",
    priority: 1,
    source: "https://werkzeug.palletsprojects.com/en/stable/utils/",
    anchors: ["pbkdf2:sha256:", "pbkdf2:sha512:", "pbkdf2:sha1:"],
    body: [run("digit", 4, 8), "$", run("alnum", 8, 32), "$", run("hex", 40, 128)],
  },
  {
    kind: "werkzeug_scrypt_hash",
    priority: 1,
    source: "https://werkzeug.palletsprojects.com/en/stable/utils/",
    anchors: ["scrypt:32768:8:1$"],
    body: [run("alnum", 8, 32), "$", run("hex", 64, 128)],
  },
  {
    kind: "scram_hash",
    priority: 1,
    source: "https://www.postgresql.org/docs/current/catalog-pg-authid.html",
    anchors: ["SCRAM-SHA-256$"],
    body: [run("digit", 4, 8), ":", run("base64Padded", 16, 64), "$", run("base64Padded", 44), ":", run("base64Padded", 44)], // prettier-ignore
  },
]);
