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
    anchors: ["{SSHA}", "{SSHA512}", "{SHA512}"],
    body: [run("base64Padded", 28, 128)],
  },
]);
