import { hasCrcTail } from "../checks/crc32.ts";
import { type NamedKind, openMax, run, type Rule, type TokenKind, tokenRules } from "../rule.ts";
import { unknownSource } from "./sources.ts";

const githubTokens =
  "https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github";
const gitlabTokens = "https://docs.gitlab.com/security/tokens/";
const bitbucketTokens = "https://support.atlassian.com/bitbucket-cloud/docs/access-tokens/";

function github(kind: string, anchor: string): TokenKind {
  return {
    kind,
    priority: 0,
    source: githubTokens,
    anchors: [anchor],
    body: [run("ident", 30, openMax)],
    valid: hasCrcTail,
  };
}

function gitlab(kind: string, anchor: string): TokenKind {
  return {
    kind,
    priority: 0,
    source: gitlabTokens,
    anchors: [anchor],
    body: [run("dotted", 18, 320)],
  };
}

/** Tokens of GitHub, GitLab, Bitbucket and their like. */
export const codeHostRules: readonly Rule[] = tokenRules([
  github("github_pat", "ghp_"),
  github("github_oauth", "gho_"),
  github("github_user", "ghu_"),
  github("github_refresh", "ghr_"),
  {
    kind: "github_server",
    priority: 0,
    source: githubTokens,
    anchors: ["ghs_"],
    body: [run("dotted", 30, openMax)],
  },
  {
    kind: "github_fine_pat",
    priority: 0,
    source: githubTokens,
    anchors: ["github_pat_"],
    body: [run("ident", 22, openMax)],
  },
  gitlab("gitlab_pat", "glpat-"),
  gitlab("gitlab_deploy_token", "gldt-"),
  gitlab("gitlab_runner_token", "glrt-"),
  gitlab("gitlab_runner_registration", "glrtr-"),
  gitlab("gitlab_runner_registration", "GR1348941"),
  gitlab("gitlab_trigger_token", "glptt-"),
  gitlab("gitlab_job_token", "glcbt-"),
  gitlab("gitlab_oauth_secret", "gloas-"),
  gitlab("gitlab_scim_token", "glsoat-"),
  gitlab("gitlab_feed_token", "glft-"),
  gitlab("gitlab_mail_token", "glimt-"),
  gitlab("gitlab_agent_token", "glagent-"),
  gitlab("gitlab_flags_token", "glffct-"),
  gitlab("gitlab_workspace_token", "glwt-"),
  {
    kind: "bitbucket_password",
    priority: 0,
    source: bitbucketTokens,
    anchors: ["ATBB"],
    body: [run("alnum", 24, 40)],
  },
  {
    kind: "bitbucket_token",
    priority: 0,
    source: bitbucketTokens,
    anchors: ["ATCTT3"],
    body: [run("base64Any", 60, 400)],
  },
  {
    kind: "gitea_oauth_token",
    priority: 2,
    source: "https://docs.gitea.com/development/oauth2-provider",
    anchors: ["gta_", "gto_"],
    body: [run("alnum", 40, 80)],
  },
  {
    kind: "phabricator_token",
    priority: 2,
    source: "https://secure.phabricator.com/book/phabdev/article/conduit/",
    anchors: ["api-", "cli-"],
    body: [run("lowerAlnum", 28)],
  },
]);

/** What goes by its name alone. */
export const codeHostNames = (): readonly NamedKind[] => [
  {
    kind: "github_legacy_token",
    priority: 0,
    source: githubTokens,
    words: ["github|gh"],
    shapes: [[run("hex", 40)]],
  },
  {
    kind: "gitea_token",
    priority: 2,
    source: "https://docs.gitea.com/development/api-usage",
    words: ["gitea|forgejo|codeberg|gogs"],
    shapes: [[run("hex", 40)]],
  },
  {
    kind: "gitee_token",
    priority: 2,
    source: unknownSource,
    words: ["gitee"],
    shapes: [[run("hex", 32)]],
  },
];
