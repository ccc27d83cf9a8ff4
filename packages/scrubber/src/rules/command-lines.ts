import type { Rule } from "../rule.ts";
import {
  scanAnnounced,
  scanPasswordFlag,
  scanPipedPassword,
  scanRareFlag,
  scanUserFlag,
} from "../scanners/command-line.ts";
import { scanPgpass } from "../scanners/pgpass.ts";

/** Passwords in short flags and pipes, and in files that have neither names nor prefixes. */
export const commandLineRules: readonly Rule[] = [
  {
    id: "user-flag",
    kind: "command_password",
    priority: 1,
    source: "https://curl.se/docs/manpage.html#-u",
    anchors: [" -u", " --user", " --proxy-user"],
    contextual: true,
    scan: scanUserFlag,
  },
  {
    id: "password-flag",
    kind: "command_password",
    priority: 1,
    source: "https://dev.mysql.com/doc/refman/8.4/en/password-security-user.html",
    anchors: [" -p", " -w"],
    contextual: true,
    scan: scanPasswordFlag,
  },
  {
    id: "rare-flag",
    kind: "command_password",
    priority: 1,
    source: "https://redis.io/docs/latest/develop/tools/cli/",
    anchors: [" -a ", " -n ", "vault login "],
    contextual: true,
    scan: scanRareFlag,
  },
  {
    id: "announced",
    kind: "announced_password",
    priority: 1,
    source: "https://dev.mysql.com/doc/refman/8.4/en/create-user.html",
    anchors: ["identified by", "convertto-securestring", "convertto-securestring -string"],
    contextual: true,
    scan: scanAnnounced,
  },
  {
    id: "piped-password",
    kind: "command_password",
    priority: 1,
    source: "https://docs.docker.com/reference/cli/docker/login/",
    anchors: ["--password-stdin", "--with-token"],
    contextual: true,
    scan: scanPipedPassword,
  },
  {
    id: "pgpass",
    kind: "pgpass_password",
    priority: 1,
    source: "https://www.postgresql.org/docs/current/libpq-pgpass.html",
    anchors: [":5432:"],
    contextual: true,
    scan: scanPgpass,
  },
];
