import type { Rule } from "../rule.ts";
import { scanCall } from "../scanners/call-arguments.ts";
import { scanAccountFlags } from "../scanners/account-flags.ts";
import { scanCommand } from "../scanners/command-line.ts";
import { scanPgpass } from "../scanners/pgpass.ts";
import { scanAnnounced, scanSqlPassword } from "../scanners/sql-password.ts";
import { scanAccessList, scanDataSource, scanPasswordLines } from "../scanners/data-source.ts";
import { scanExpect } from "../scanners/expect.ts";
import { scanFlagList } from "../scanners/flag-list.ts";
import { scanLogin, scanRedisAuth } from "../scanners/redis-auth.ts";
import { callRows } from "./call-table.ts";
import { commandRows } from "./command-table.ts";

/** Passwords in arguments and pipes, and in files that have neither names nor prefixes. */
export const commandLineRules: readonly Rule[] = [
  {
    id: "command-line",
    kind: "command_password",
    priority: 1,
    source: "the manual of each command; see the table of commands",
    anchors: [...new Set(commandRows().flatMap(([commands]) => commands.split("|")))],
    contextual: true,
    scan: scanCommand,
  },
  {
    id: "account-flags",
    kind: "command_password",
    priority: 1,
    source: "the manuals of clients, which name these flags alike",
    anchors: [" -p ", " -w ", " -pw ", " -pass ", '"-p', "'-p", '"-w', "'-w"],
    contextual: true,
    scan: scanAccountFlags,
  },
  {
    id: "call",
    kind: "call_secret",
    priority: 1,
    source: "the documentation of each library; see the table of calls",
    anchors: callRows().flatMap(([calls]) => calls.split("|")),
    contextual: true,
    scan: scanCall,
  },
  {
    id: "announced",
    kind: "announced_password",
    priority: 1,
    source: "https://dev.mysql.com/doc/refman/8.4/en/create-user.html",
    anchors: ["identified by", "identified with"],
    contextual: true,
    scan: scanAnnounced,
  },
  {
    id: "sql-password",
    kind: "announced_password",
    priority: 1,
    source: "https://www.postgresql.org/docs/current/sql-createrole.html",
    anchors: ["password ", "password=", "password("],
    contextual: true,
    scan: scanSqlPassword,
  },
  {
    id: "expect",
    kind: "command_password",
    priority: 1,
    source: "https://www.tcl-lang.org/man/expect5.31/expect.1.html",
    anchors: ["assword:", "assphrase:", "assword for"],
    contextual: true,
    scan: scanExpect,
  },
  {
    id: "redis-auth",
    kind: "redis_password",
    priority: 1,
    source: "https://redis.io/docs/latest/commands/auth/",
    anchors: ["> auth ", "rediscli_auth=", "requirepass ", "masterauth "],
    contextual: true,
    scan: scanRedisAuth,
  },
  {
    id: "login",
    kind: "login_password",
    priority: 1,
    source: "https://www.rfc-editor.org/rfc/rfc4954",
    anchors: ["auth ", 'auth"', "auth\\r\\n$", "pass ", " login ", "ugfzc3dvcmq6"],
    contextual: true,
    scan: scanLogin,
  },
  {
    id: "password-lines",
    kind: "login_password",
    priority: 1,
    source: "https://cloudinit.readthedocs.io/en/latest/reference/modules.html#set-passwords",
    anchors: ["chpasswd:", "]:587 ", "]:465 ", "]:25 "],
    contextual: true,
    scan: scanPasswordLines,
  },
  {
    id: "redis-acl",
    kind: "redis_password",
    priority: 1,
    source: "https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/",
    anchors: [" on >", "setuser ", " ~* ", " +@all "],
    contextual: true,
    scan: scanAccessList,
  },
  {
    id: "data-source",
    kind: "mysql_password",
    priority: 1,
    source: "https://github.com/go-sql-driver/mysql#dsn-data-source-name",
    anchors: ["@tcp(", "@tcp6(", "@unix(", "@(127.0.0.1", "@(localhost"],
    contextual: true,
    scan: scanDataSource,
  },
  {
    id: "flag-list",
    kind: "command_password",
    priority: 1,
    source: "https://www.gnu.org/software/libc/manual/html_node/Argument-Syntax.html",
    anchors: ['"--', "'--"],
    contextual: true,
    scan: scanFlagList,
  },
  {
    id: "pgpass",
    kind: "pgpass_password",
    priority: 1,
    source: "https://www.postgresql.org/docs/current/libpq-pgpass.html",
    anchors: [
      ":5432:",
      ":5433:",
      ":5434:",
      ":6432:",
      ":5439:",
      ":26257:",
      ".pgpass",
      ":*:*:",
      ":*:",
    ],
    contextual: true,
    scan: scanPgpass,
  },
];
