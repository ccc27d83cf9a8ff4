import { crc32 } from "node:zlib";
import { crcBase62 } from "../corpus/checksums.ts";
import { type Kind, named, shaped } from "../corpus/kind.ts";
import type { Random } from "../corpus/random.ts";
import { chars, fill } from "../corpus/template.ts";

/** A prefix, letters and digits, and their CRC32. */
export function withCrc(prefix: string, count: number): (random: Random) => string {
  return (random) => {
    const body = chars(random, "an", count);
    return `${prefix}${body}${crcBase62(body)}`;
  };
}

function routable(random: Random): string {
  const body = fill(random, "<w:40-90>");
  const check = crc32(body).toString(36).padStart(7, "0").slice(0, 7);
  return `glpat-${body}.01.0${chars(random, "low", 1)}${check}`;
}

const git = "GITHUB_TOKEN GH_TOKEN GITHUB_PAT";
const lab = "GITLAB_TOKEN CI_JOB_TOKEN GITLAB_PRIVATE_TOKEN";

/** Tokens of GitHub and GitLab. */
export const codeHostKinds: readonly Kind[] = [
  shaped("P0", "github-pat", withCrc("ghp_", 30), git),
  shaped("P0", "github-oauth", withCrc("gho_", 30), git),
  shaped("P0", "github-user", withCrc("ghu_", 30), git),
  shaped("P0", "github-server", withCrc("ghs_", 30), git),
  shaped("P0", "github-server-long", "ghs_<an:80>_<an:60>", git),
  shaped("P0", "github-refresh", withCrc("ghr_", 70), git),
  shaped("P0", "github-fine-pat", "github_pat_<an:22>_<an:59>", git),
  named("P0", "github-legacy", "<hex:40>", git),
  shaped("P0", "gitlab-pat", "glpat-<w:20>", lab),
  shaped("P0", "gitlab-routable", routable, lab),
  shaped("P0", "gitlab-deploy", "gldt-<w:20>", lab),
  shaped("P0", "gitlab-runner", "glrt-<w:20>", "RUNNER_TOKEN"),
  shaped("P0", "gitlab-runner-routable", "glrt-t<d:1>_<w:20>", "RUNNER_TOKEN"),
  shaped("P0", "gitlab-trigger", "glptt-<hex:40>", "TRIGGER_TOKEN"),
  shaped("P0", "gitlab-job", "glcbt-<hex:2>_<w:20>", "CI_JOB_TOKEN"),
  shaped("P0", "gitlab-oauth", "gloas-<hex:64>", "GITLAB_APP_SECRET"),
  shaped("P0", "gitlab-scim", "glsoat-<w:20>", "SCIM_TOKEN"),
  shaped("P0", "gitlab-feed", "glft-<w:20>", "FEED_TOKEN"),
  shaped("P0", "gitlab-mail", "glimt-<w:25>", "INCOMING_MAIL_TOKEN"),
  shaped("P0", "gitlab-agent", "glagent-<w:50>", "AGENT_TOKEN"),
  shaped("P0", "gitlab-flags", "glffct-<w:20>", "FLAGS_CLIENT_TOKEN"),
  shaped("P0", "gitlab-old-runner", "GR1348941<w:20>", "RUNNER_REGISTRATION_TOKEN"),
];
