import { run, type Rule } from "../rule.ts";

/** Hashes of passwords as `.htpasswd`, `shadow` and databases hold them: they can be cracked. */
export const passwordHashRules: readonly Rule[] = [
  ...["$2a$", "$2b$", "$2y$"].map((anchor) => ({
    id: `bcrypt-${anchor[2]}`,
    kind: "password_hash",
    anchor,
    body: [run("digit", 2), "$", run("token68", 53)],
  })),
  {
    id: "apr1",
    kind: "password_hash",
    anchor: "$apr1$",
    body: [run("token68", 1, 8), "$", run("token68", 22)],
  },
  {
    id: "sha256-crypt",
    kind: "password_hash",
    anchor: "$5$",
    body: [run("token68", 8, 16), "$", run("token68", 43)],
  },
  {
    id: "sha512-crypt",
    kind: "password_hash",
    anchor: "$6$",
    body: [run("token68", 8, 16), "$", run("token68", 86)],
  },
];
