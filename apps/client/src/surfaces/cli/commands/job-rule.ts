import { fail, ok, roles, type Result } from "@tidemark/protocol";
import {
  isJobProvider,
  jobProviders,
  jobRuleSchema,
  type JobProvider,
  type JobRule,
} from "@tidemark/protocol/wire";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import type { Call, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { findNamespace } from "../scope.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";
import { jobText } from "./device-links.ts";

/** Options that say which jobs a rule takes. */
export const jobOptions = [
  {
    flags: "--oidc <service>",
    help: "with --ci: no link, but a rule for jobs of github or gitlab, which prove themselves",
  },
  { flags: "--repo <path>", help: "with --oidc: OWNER/NAME; on GitLab the project's path" },
  {
    flags: "--repo-id <number>",
    help: "with --oidc: the repository's number; the first job's else",
  },
  { flags: "--ref <ref>", help: "with --oidc: a branch, or refs/tags/…; any unless given" },
  { flags: "--environment <name>", help: "with --oidc: a deployment environment" },
  { flags: "--issuer <url>", help: "with --oidc: a service of your own that the server knows" },
] as const;

/** An option for jobs that was given without `--oidc`. */
export function strayJobOption(call: Call): string | undefined {
  const names = {
    repo: "repo",
    repoId: "repo-id",
    ref: "ref",
    environment: "environment",
    issuer: "issuer",
  };
  const found = Object.entries(names).find(([name]) => call.text(name) !== undefined);
  return found?.[1];
}

const usage = "tidemark device add --ci --namespace NAME --oidc github --repo OWNER/NAME";

/** Makes a rule by which jobs come in without any secret (PR15). */
export async function addJobs(
  deps: CliDeps,
  call: Call,
  life: { readonly ttlSeconds?: number; readonly networks?: readonly string[] },
): Promise<Outcome> {
  const job = jobRuleOf(call);
  if (!job.ok) return job;
  const name = call.text("namespace");
  if (name === undefined) return { ok: false, error: misuse("--ci needs a namespace", usage) };
  const role = roles.find((one) => one === (call.text("role") ?? "writer"));
  if (role !== "reader" && role !== "writer") {
    return {
      ok: false,
      error: misuse("a machine is a reader or a writer", "give --role reader or writer"),
    };
  }
  const stray = ["uses", "name", "ephemeral"].find((one) => isGiven(call, one));
  if (stray !== undefined) {
    return {
      ok: false,
      error: misuse(`--${stray} is for links, and a rule for jobs is none`, usage),
    };
  }
  const found = findNamespace(deps.memory(), name);
  if (!found.ok) return found;
  const { namespace } = found.value;
  const { accounts, identity } = await deps.server();
  const made = await accounts.addJobs({ namespace, role, job: job.value, ...life }, deps.signal);
  if (!made.ok) return { ok: false, error: trouble(made.error) };
  const { id, expiresAtMs: expiresAt } = made.value;
  const { url } = identity.server;
  const head =
    `jobs of ${safeText(jobText(job.value))} come in until ${dateText(expiresAt)}, each as a ${role} of ` +
    `${safeText(found.value.name)} that sees nothing else and is gone after a silent day:`;
  return ok({
    json: { id, expiresAt, namespace, role, job: job.value, server: url },
    text: `${head}\n\n  tidemark pair ${url} --oidc\n`,
  });
}

function isGiven(call: Call, name: string): boolean {
  if (name === "uses") return call.count(name) !== undefined;
  return name === "ephemeral" ? call.isOn(name) : call.text(name) !== undefined;
}

function jobRuleOf(call: Call): Result<JobRule, Trouble> {
  const provider = call.text("oidc") ?? "";
  if (!isJobProvider(provider)) {
    const known = jobProviders.join(" or ");
    return fail(misuse(`no CI service: ${safeText(provider)}`, `give --oidc ${known}`));
  }
  const repository = call.text("repo");
  if (repository === undefined) return fail(misuse("--oidc needs a repository", usage));
  const asked = given(provider, call, repository);
  const rule = jobRuleSchema.safeParse(asked);
  if (rule.success) return ok(rule.data);
  const [part = "rule"] = rule.error.issues.map(({ path }) => String(path[0]));
  return fail(misuse(`such a ${words[part] ?? part} there is not`, usage));
}

const words: Readonly<Record<string, string>> = {
  repositoryId: "number of a repository",
  ref: "branch or tag",
};

function given(provider: JobProvider, call: Call, repository: string): JobRule {
  const [repositoryId, ref, environment, issuer] = ["repoId", "ref", "environment", "issuer"].map(
    (name) => call.text(name),
  );
  return {
    provider,
    repository,
    ...(repositoryId === undefined ? {} : { repositoryId }),
    ...(ref === undefined ? {} : { ref: ref.startsWith("refs/") ? ref : `refs/heads/${ref}` }),
    ...(environment === undefined ? {} : { environment }),
    ...(issuer === undefined ? {} : { issuer }),
  };
}
