// Who may import whom. Imports go one way:
//   client: surfaces -> recall, sync, memory, capture -> store -> protocol, scrubber
//   server: http -> auth, domain -> store/port -> protocol
// Each rule is shown to bite by scripts/borders.test.ts.

const test = "\\.test\\.ts$|/testing/|/contract\\.ts$";
/** A package, however it is resolved: by name, through a symlink or in pnpm's store. */
const npm = (...names) => names.map((name) => `(^|node_modules/)${name}(/|$)`);
const client = (...folders) => `^apps/client/src/(${folders.join("|")})/`;
const server = (...folders) => `^apps/server/src/(${folders.join("|")})/`;
/** The door and its pool, and who connects without it: at the start, and for notices. */
const connecting = [
  "store/postgres/(door|pool|owner-session|migrate|backup/(dump|load))",
  "cli/(app-role|check-walls|database-check)",
  "platform/(head-notices|embedded-postgres/roles)",
]
  .map((file) => `^apps/server/src/${file}\\.ts$`)
  .join("|");

function forbid(name, comment, from, to) {
  return { name, comment, severity: "error", from, to };
}

export default {
  forbidden: [
    forbid(
      "no-cycle",
      "A cycle has no order to read it in.",
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    ),
    forbid(
      "nothing-imports-a-test",
      "Tests depend on code, never the reverse.",
      { pathNot: `${test}|^test/|^bench/` },
      { path: `\\.test\\.ts$|/testing/|^test/` },
    ),
    forbid(
      "no-barrel-in-an-app",
      "Import the file that has it.",
      { path: "^apps/" },
      { path: "^apps/.*/index\\.ts$", pathNot: "/migrations/index\\.ts$" },
    ),
    forbid(
      "apps-are-apart",
      "Client and server share packages, not code.",
      { path: "^apps/client/", pathNot: test },
      { path: "^apps/server/" },
    ),
    forbid(
      "apps-are-apart-server",
      "Client and server share packages, not code.",
      { path: "^apps/server/", pathNot: test },
      { path: "^apps/client/" },
    ),
    forbid(
      "packages-know-no-app",
      "Packages are below the apps.",
      { path: "^packages/" },
      { path: "^apps/" },
    ),
    forbid(
      "packages-are-pure",
      "packages/* do no I/O: pass the function in.",
      { path: "^packages/", pathNot: test },
      { dependencyTypes: ["core"] },
    ),
    forbid(
      "packages-are-apart",
      "protocol and scrubber do not know each other.",
      { path: "^packages/(protocol|scrubber)/" },
      { path: "^packages/(protocol|scrubber)/", pathNot: "^packages/$1/" },
    ),
    forbid(
      "zod-only-in-the-wire",
      "A hook's bundle leaves zod out.",
      { path: "^packages/", pathNot: `^packages/protocol/src/wire/|${test}` },
      { path: npm("zod") },
    ),
    forbid(
      "wire-stays-on-its-subpath",
      "The core never loads the wire schemas.",
      { path: "^packages/protocol/src/(?!wire/)", pathNot: test },
      { path: "^packages/protocol/src/wire/" },
    ),

    forbid(
      "capture-is-pure",
      "capture/ turns payloads into drafts and knows nothing else.",
      { path: client("capture"), pathNot: test },
      { path: `^apps/client/src/(?!capture/)` },
    ),
    forbid(
      "capture-does-no-io",
      "capture/ is pure.",
      { path: client("capture"), pathNot: test },
      { dependencyTypes: ["core"] },
    ),
    forbid(
      "install-is-pure",
      "What becomes of a settings file follows from its text.",
      { path: client("install"), pathNot: test },
      { path: "^(node:)?(fs|child_process|os)(/|$)|^apps/client/src/(?!install/)" },
    ),
    forbid(
      "memory-sits-on-store-and-capture",
      "memory/ does not look up or sideways.",
      { path: client("memory"), pathNot: test },
      { path: client("sync", "recall", "surfaces", "config") },
    ),
    forbid(
      "store-looks-down",
      "store/ sees protocol and scrubber alone.",
      { path: client("store"), pathNot: test },
      { path: client("capture", "memory", "sync", "recall", "surfaces", "config") },
    ),
    forbid(
      "sync-sits-on-store",
      "sync/ does not know what a record means.",
      { path: client("sync"), pathNot: test },
      { path: client("capture", "memory", "recall", "surfaces", "config") },
    ),
    forbid(
      "recall-sits-on-store",
      "recall/ reads; it does not write or sync.",
      { path: client("recall"), pathNot: test },
      { path: client("capture", "memory", "sync", "surfaces", "config") },
    ),
    forbid(
      "surfaces-are-apart",
      "What two surfaces need belongs in recall, memory or sync.",
      { path: "^apps/client/src/surfaces/([^/]+)/", pathNot: test },
      { path: "^apps/client/src/surfaces/([^/]+)/", pathNot: "^apps/client/src/surfaces/$1/" },
    ),
    forbid(
      "only-store-has-sql",
      "Only store/ imports the database.",
      { path: "^apps/client/src/", pathNot: `${client("store")}|${test}` },
      { path: npm("better-sqlite3", "drizzle-orm") },
    ),
    forbid(
      "scrub-before-store",
      "Only memory/ makes scrubbed text.",
      { path: "^apps/|^packages/(?!scrubber/)", pathNot: `${client("memory")}|${test}` },
      { path: "^packages/scrubber/src/scrubbed-text\\.ts$" },
    ),
    forbid(
      "client-platform-is-injected",
      "platform/ is seen as interfaces; composition roots wire it.",
      { path: client("capture", "memory", "store", "sync", "recall"), pathNot: test },
      { path: client("platform"), dependencyTypesNot: ["type-only"] },
    ),
    forbid(
      "client-config-is-a-leaf",
      "config/ knows nothing of the rest.",
      { path: client("config"), pathNot: test },
      { path: client("capture", "memory", "store", "sync", "recall", "surfaces") },
    ),
    forbid(
      "client-platform-is-a-leaf",
      "platform/ knows nothing of the rest.",
      { path: client("platform"), pathNot: test },
      { path: client("capture", "memory", "store", "sync", "recall", "surfaces", "config") },
    ),

    forbid(
      "domain-knows-no-framework",
      "domain/ and auth/ are rules over ports.",
      { path: server("domain", "auth"), pathNot: test },
      { path: npm("hono", "@hono/node-server", "drizzle-orm", "postgres") },
    ),
    forbid(
      "domain-looks-down",
      "domain/ and auth/ see the store's port alone.",
      { path: server("domain", "auth"), pathNot: test },
      { path: server("http", "console", "cli", "config", "store/postgres", "store/memory") },
    ),
    forbid(
      "http-knows-no-database",
      "http/ never sees a database.",
      { path: server("http", "console"), pathNot: test },
      { path: server("store/postgres", "store/memory") },
    ),
    forbid(
      "server-store-looks-down",
      "store/ is below http, domain and auth.",
      { path: server("store"), pathNot: test },
      { path: server("http", "console", "domain", "auth", "cli", "config") },
    ),
    forbid(
      "only-the-door-opens-connections",
      "A query outside the door's transactions has no namespace set (abuse 103): go through Door.",
      { path: "^apps/server/src/", pathNot: `${connecting}|${test}` },
      { path: [...npm("postgres"), "^apps/server/src/store/postgres/(pool|owner-session)\\.ts$"] },
    ),
    forbid(
      "only-the-store-has-the-door",
      "Others see the store's port.",
      { path: "^apps/server/src/", pathNot: `^apps/server/src/store/postgres/|${test}` },
      { path: "^apps/server/src/store/postgres/(door|pool)\\.ts$" },
    ),
    forbid(
      "server-platform-is-injected",
      "platform/ is seen as interfaces; composition roots wire it.",
      { path: server("domain", "auth", "store", "http", "console"), pathNot: test },
      { path: server("platform"), dependencyTypesNot: ["type-only"] },
    ),
    forbid(
      "server-platform-is-a-leaf",
      "platform/ knows nothing of the rest.",
      { path: server("platform"), pathNot: test },
      { path: server("http", "console", "domain", "auth", "store", "cli", "config") },
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|build)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.tests.json" },
    enhancedResolveOptions: {
      conditionNames: ["source", "import", "module", "default"],
      exportsFields: ["exports"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".json"],
    },
  },
};
