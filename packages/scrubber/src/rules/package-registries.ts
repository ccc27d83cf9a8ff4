import { hasCrcTail } from "../checks/crc32.ts";
import { type NamedKind, run, type Rule, tokenRules, uuid } from "../rule.ts";
import { type NamedRow, namedKinds, type PrefixRow, prefixKinds } from "./rows.ts";
import { githubList } from "./sources.ts";

const npm = "https://docs.npmjs.com/about-access-tokens";
const pypi = "https://pypi.org/help/#apitoken";
const crates = "https://doc.rust-lang.org/cargo/reference/publishing.html";
const nuget = "https://learn.microsoft.com/en-us/nuget/nuget-org/scoped-api-keys";
const docker = "https://docs.docker.com/security/access-tokens/";
const swarm = "https://docs.docker.com/engine/swarm/swarm_manager_locking/";
const jfrog = "https://jfrog.com/help/r/jfrog-platform-administration-documentation/access-tokens";
const composer = "https://getcomposer.org/doc/articles/authentication-for-private-packages.md";

const rows: readonly PrefixRow[] = [
  ["pypi_token", "pypi-", "word", 60, 0, pypi],
  ["rubygems_key", "rubygems_", "hex", 48, 96, "https://guides.rubygems.org/api-key-scopes/"],
  ["crates_token", "cio", "alnum", 32, 32, crates],
  ["nuget_key", "oy2", "lowerAlnum", 43, 43, nuget],
  ["docker_token", "dckr_pat_", "word", 24, 64, docker],
  ["docker_org_token", "dckr_oat_", "word", 24, 64, docker],
  ["swarm_key", "SWMKEY-1-", "base64", 20, 0, swarm],
  ["swarm_token", "SWMTKN-1-", "word", 40, 0, swarm],
  ["artifactory_key", "AKCp", "alnum", 60, 80, jfrog],
  ["artifactory_token", "cmVmdGtu", "alnum", 50, 80, jfrog],
  ["clojars_token", "CLOJARS_", "lowerAlnum", 60, 80, githubList],
  ["cloudsmith_key", "csa_", "hex", 30, 80, githubList],
  ["deno_deploy_token", "ddp_ ddo_", "alnum", 36, 48, githubList],
  ["jsr_token", "jsrp_ jsrd_", "alnum", 40, 80, "https://jsr.io/docs/publishing-packages"],
]; // prettier-ignore

/** Tokens of registries of packages and images. */
export const packageRegistryRules: readonly Rule[] = tokenRules([
  ...prefixKinds(2, rows),
  {
    kind: "npm_token",
    priority: 2,
    source: npm,
    anchors: ["npm_"],
    body: [run("alnum", 30, 80)],
    valid: hasCrcTail,
  },
  {
    kind: "packagist_token",
    priority: 2,
    source: githubList,
    anchors: ["packagist_"],
    body: [run("lower", 3), "_", run("hex", 60, 80)],
  },
]);

const names = (): readonly NamedRow[] => [
  ["npm_legacy_token", "npm|npmjs", [uuid], npm],
  ["composer_token", "composer|packagist", [[run("hex", 40, 64)]], composer],
  ["gemfury_token", "gemfury", [[run("word", 20, 40)]]],
];

/** What goes by its name alone. */
export const packageRegistryNames = (): readonly NamedKind[] => namedKinds(2, names());
