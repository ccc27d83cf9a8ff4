import { hasCrcTail } from "../checks/crc32.ts";
import { openMax, run, type Rule, type TokenRule } from "../rule.ts";

function github(anchor: string, kind: string): TokenRule {
  return {
    id: `github-${kind.split("_")[1] ?? "token"}`,
    kind,
    anchor,
    body: [run("ident", 30, openMax)],
    valid: hasCrcTail,
  };
}

function gitlab(anchor: string, id: string): TokenRule {
  return { id, kind: "gitlab_token", anchor, body: [run("dotted", 18, 320)] };
}

/** Tokens of GitHub, GitLab, Bitbucket and Atlassian. */
export const codeHostRules: readonly Rule[] = [
  github("ghp_", "github_pat"),
  github("gho_", "github_oauth"),
  github("ghu_", "github_user"),
  {
    id: "github-server",
    kind: "github_server",
    anchor: "ghs_",
    body: [run("dotted", 30, openMax)],
  },
  github("ghr_", "github_refresh"),
  {
    id: "github-fine",
    kind: "github_fine_pat",
    anchor: "github_pat_",
    body: [run("ident", 22, openMax)],
  },
  gitlab("glpat-", "gitlab-pat"),
  gitlab("gldt-", "gitlab-deploy"),
  gitlab("glrt-", "gitlab-runner"),
  gitlab("glrtr-", "gitlab-runner-registration"),
  gitlab("glptt-", "gitlab-trigger"),
  gitlab("glcbt-", "gitlab-job"),
  gitlab("gloas-", "gitlab-oauth"),
  gitlab("glsoat-", "gitlab-scim"),
  gitlab("glft-", "gitlab-feed"),
  gitlab("glimt-", "gitlab-mail"),
  gitlab("glagent-", "gitlab-agent"),
  gitlab("glffct-", "gitlab-flags"),
  gitlab("glwt-", "gitlab-workspace"),
  gitlab("GR1348941", "gitlab-old-runner"),
  { id: "atlassian", kind: "atlassian_token", anchor: "ATATT3", body: [run("base64Any", 60, 400)] },
  {
    id: "atlassian-ct",
    kind: "atlassian_token",
    anchor: "ATCTT3",
    body: [run("base64Any", 60, 400)],
  },
  { id: "bitbucket", kind: "bitbucket_token", anchor: "ATBB", body: [run("alnum", 24, 40)] },
];
