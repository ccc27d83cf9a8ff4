import { fail, ok, type Result } from "@tidemark/protocol";
import type { JobRule, LinkInfo } from "@tidemark/protocol/wire";
import { dateText } from "../../../platform/date-text.ts";
import type { Server } from "../../../wiring/server.ts";
import { isSure, stopped } from "../ask.ts";
import type { Call, Command } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { namesOf } from "../names.ts";
import { columns, counted } from "../render/text.ts";
import { trouble, type Trouble } from "../trouble.ts";

/** Lists the links that still work. */
export const links: Command = {
  notes:
    "With the links for machines of namespaces that you administer, whoever made them.\n" +
    "A link that is over stays in the list as long as a machine that it let in does;\n" +
    "`tidemark device unlink` shuts those out. A rule for jobs of a CI service has no secret.",
  run: async (deps) => {
    const server = await deps.server();
    const answer = await server.accounts.links(deps.signal);
    if (!answer.ok) return { ok: false, error: trouble(answer.error) };
    const items = answer.value;
    const rows = items.map((link) => rowOf(deps, link));
    const text = items.length === 0 ? "no link of yours works" : columns(rows);
    return ok({ json: { items, total: items.length }, text });
  },
};

const kinds = { device: "a device", invite: "a member", ci: "machines" } as const;

function rowOf(deps: CliDeps, link: LinkInfo): readonly string[] {
  const { id, kind, namespace, role, status, expiresAt, devices, maker } = link;
  const { networks, job, ephemeral } = link;
  const place = namespace === undefined ? "-" : namesOf(deps).namespace(namespace);
  return [
    id,
    job === undefined ? `for ${kinds[kind]}` : "for jobs",
    place,
    role ?? "-",
    status === "open" ? leftOf(link) : "over",
    kind === "ci" ? `${counted(devices, "machine")} in` : "-",
    `until ${dateText(expiresAt)}`,
    job === undefined ? "" : jobText(job),
    networks === undefined ? "" : `from ${networks.join(", ")}`,
    ephemeral === true && job === undefined ? "gone after a silent day" : "",
    maker === undefined ? "" : `of ${maker.name}`,
  ];
}

function leftOf({ uses, usesMax, job }: LinkInfo): string {
  return job === undefined
    ? `${counted(usesMax - uses, "use")} left`
    : `${counted(uses, "job")} so far`;
}

/** The jobs that a rule takes, as its maker named them. */
export function jobText({
  provider,
  issuer,
  repository,
  repositoryId,
  ref,
  environment,
}: JobRule): string {
  const isPublic = issuer === undefined || publicIssuers.has(issuer);
  return [
    `${provider} ${repository}`,
    repositoryId === undefined ? "" : `(${repositoryId})`,
    ref ?? "",
    environment === undefined ? "" : `environment ${environment}`,
    isPublic ? "" : `of ${issuer}`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

const publicIssuers: ReadonlySet<string> = new Set([
  "https://token.actions.githubusercontent.com",
  "https://gitlab.com",
]);

/** Ends a link, and shuts out what it let in. */
export const unlink: Command = {
  arguments: [{ syntax: "<link>", help: "its id, or its first 4 characters or more" }],
  options: [
    { flags: "--devices", help: "shut out every device that it let in, too" },
    { flags: "-y, --yes", help: "do not ask" },
  ],
  notes:
    "The link lets nobody in any more. Where it let machines in, you are asked whether to shut them\n" +
    "out; without a terminal they stay unless --devices is given.",
  run: async (deps, call) => {
    const server = await deps.server();
    const found = await findLink(deps, server, call.args[0] ?? "");
    if (!found.ok) return found;
    const { id, devices } = found.value;
    const question = `End the link ${id}?`;
    if (!(await isSure(deps, call, question))) return stopped;
    const withDevices = devices > 0 && (await shutsOut(deps, call, devices));
    const done = await server.accounts.revokeLink({ id, withDevices }, deps.signal);
    if (!done.ok) return { ok: false, error: trouble(done.error) };
    const left = devices - done.value.length;
    const kept =
      left > 0 ? `\nhint: ${stayText(left)}: tidemark device unlink ${id} --devices` : "";
    const out = done.value.length > 0 ? `, ${counted(done.value.length, "device")} shut out` : "";
    const json = { id, status: "revoked", devices: done.value };
    return ok({ json, text: `ended the link ${id}${out}${kept}` });
  },
};

function stayText(count: number): string {
  return `${counted(count, "device")} that it let in ${count === 1 ? "stays" : "stay"}`;
}

/** Shutting devices out is never taken for granted: a script says so by an option. */
async function shutsOut(deps: CliDeps, call: Call, devices: number): Promise<boolean> {
  if (call.isOn("devices")) return true;
  if (call.isOn("yes") || call.isJson || !deps.io.hasPerson) return false;
  return await isSure(deps, call, `Shut out the ${counted(devices, "device")} that it let in?`);
}

async function findLink(
  deps: CliDeps,
  server: Server,
  wanted: string,
): Promise<Result<LinkInfo, Trouble>> {
  const answer = await server.accounts.links(deps.signal);
  if (!answer.ok) return fail(trouble(answer.error));
  const exact = answer.value.filter(({ id }) => id === wanted);
  const begun = wanted.length < 4 ? [] : answer.value.filter(({ id }) => id.startsWith(wanted));
  const [only, second] = exact.length > 0 ? exact : begun;
  if (only !== undefined && second === undefined) return ok(only);
  const message =
    only === undefined ? `no link ${wanted} of yours works` : `several links begin with ${wanted}`;
  return fail(trouble({ code: "unknown-link", message, hint: "tidemark device links" }));
}
