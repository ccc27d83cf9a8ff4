import { fail, ok, type Result } from "@tidemark/protocol";
import type { Job } from "../../store/jobs-port.ts";
import type { Issuer } from "./issuers.ts";

/** A token's claims, of which nothing is taken for granted. */
type Claims = Readonly<Record<string, unknown>>;

/**
 * What sets jobs off that only people who may write to the repository do. Every other event, those
 * of pull requests and comments first, runs with a stranger's words or code.
 */
const ownEvents = {
  github: [
    "push",
    "schedule",
    "workflow_dispatch",
    "repository_dispatch",
    "release",
    "deployment",
    "merge_group",
  ],
  gitlab: ["push", "schedule", "web", "api", "trigger", "pipeline"],
} as const;

/**
 * The job that a token is of, or why no rule could take it: it is no whole token of that service, or
 * its job may have been set off by a stranger (PR16).
 */
export function jobOf(from: Issuer, claims: Claims): Result<Job, "no-job" | "strangers-job"> {
  return from.provider === "github" ? githubJob(from, claims) : gitlabJob(from, claims);
}

/** docs.github.com: "OpenID Connect reference", the claims of a job's token. */
function githubJob({ provider, issuer }: Issuer, claims: Claims): ReturnType<typeof jobOf> {
  const repository = textOf(claims, "repository");
  const repositoryId = textOf(claims, "repository_id");
  const ref = textOf(claims, "ref");
  const event = textOf(claims, "event_name");
  const subject = textOf(claims, "sub");
  if (!areTexts(repository, repositoryId, ref, event, subject)) return fail("no-job");
  const isOwn =
    ownEvents.github.some((own) => own === event) &&
    /^refs\/(?:heads|tags)\//.test(ref ?? "") &&
    subject?.endsWith(":pull_request") !== true;
  if (!isOwn) return fail("strangers-job");
  return ok(jobFrom({ provider, issuer }, { repository, repositoryId, ref, claims }));
}

/** docs.gitlab.com: "OpenID Connect in GitLab CI/CD", the payload of an ID token. */
function gitlabJob({ provider, issuer }: Issuer, claims: Claims): ReturnType<typeof jobOf> {
  const repository = textOf(claims, "project_path");
  const repositoryId = textOf(claims, "project_id");
  const name = textOf(claims, "ref");
  const kind = textOf(claims, "ref_type");
  const source = textOf(claims, "pipeline_source");
  if (!areTexts(repository, repositoryId, name, kind, source)) return fail("no-job");
  const isOwn =
    ownEvents.gitlab.some((own) => own === source) &&
    (kind === "branch" || kind === "tag") &&
    // Only maintainers say what runs on a protected one.
    textOf(claims, "ref_protected") === "true";
  if (!isOwn) return fail("strangers-job");
  const ref = `refs/${kind === "tag" ? "tags" : "heads"}/${name ?? ""}`;
  return ok(jobFrom({ provider, issuer }, { repository, repositoryId, ref, claims }));
}

interface Read {
  readonly repository: string | undefined;
  readonly repositoryId: string | undefined;
  readonly ref: string | undefined;
  readonly claims: Claims;
}

function jobFrom({ provider, issuer }: Issuer, read: Read): Job {
  const { repository = "", repositoryId = "", ref = "", claims } = read;
  const environment = textOf(claims, "environment");
  return { provider, issuer, repository, repositoryId, ref, environment };
}

/** A claim as text: short, of one line, and never of a kind that has to be guessed at. */
function textOf(claims: Claims, name: string): string | undefined {
  const value = claims[name];
  return typeof value === "string" && /^[^\p{Cc}]{1,255}$/u.test(value) ? value : undefined;
}

function areTexts(...texts: readonly (string | undefined)[]): boolean {
  return texts.every((text) => text !== undefined);
}
