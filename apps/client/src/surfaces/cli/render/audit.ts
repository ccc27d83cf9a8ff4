import type { AuditDetails, AuditItem } from "@tidemark/protocol/wire";
import { auditEvents, type AuditEvent } from "@tidemark/protocol";
import { dateText } from "../../../platform/date-text.ts";
import { columns, counted } from "./text.ts";

/** One line an event: number, time, who, what, from where. */
export function auditLines(items: readonly AuditItem[]): string {
  return columns(
    items.map((item) => [
      String(item.seq),
      dateText(item.at),
      whoOf(item),
      whatOf(item),
      item.network ?? "",
    ]),
  );
}

function whoOf({ user, device }: AuditItem): string {
  if (user === undefined) return "the server";
  return device === undefined ? user.name : `${user.name} (${device.name})`;
}

function whatOf(item: AuditItem): string {
  const { namespace } = item;
  const what = sentenceOf(item);
  return namespace === undefined ? what : `${what} [${namespace.name}]`;
}

function sentenceOf({ event, details, target = "" }: AuditItem): string {
  const isKnown = (auditEvents as readonly string[]).includes(event);
  if (isKnown) return sentences[event as AuditEvent](details, target);
  // An event of a later server, with what it tells.
  const facts = Object.entries(details).map(([name, value]) => `${name} ${value}`);
  return [event, target, ...facts].filter((part) => part !== "").join(" ");
}

type Sentence = (details: AuditDetails, target: string) => string;

const sentences: Readonly<Record<AuditEvent, Sentence>> = {
  "server-claimed": () => "claimed the server",
  "device-joined": ({ name, platform, by, approvedBy, job }, target) => {
    const door = Object.hasOwn(doors, String(by)) ? doors[String(by)] : String(by);
    const who = approvedBy === undefined ? "" : `, let in by ${approvedBy}`;
    const run = job === undefined ? "" : ` of ${job}`;
    return `device ${name} (${target}, ${platform}) joined ${door}${run}${who}`;
  },
  "device-renamed": ({ name, before }, target) =>
    `renamed the device ${before} (${target}) to ${name}`,
  "device-revoked": ({ name }, target) => `shut out the device ${name} (${target})`,
  "device-expired": ({ name }, target) =>
    `the machine ${name} (${target}) is gone: it was silent for a day`,
  "device-quarantined": ({ name, since }, target) =>
    `put the device ${name} (${target}) in quarantine: what it wrote ${since === 0 ? "" : `since ${timeOf(since)} `}is hidden`,
  "quarantine-lifted": ({ name }, target) =>
    `lifted the quarantine of the device ${name} (${target})`,
  "device-refused": ({ name }, target) =>
    `refused the machine ${name} (${target}), which came from outside of its networks`,
  "pairing-approved": ({ name, platform }) => `said yes to a device ${name} (${platform})`,
  "pairing-denied": ({ name, platform }) => `said no to a device ${name} (${platform})`,
  "approvals-locked": ({ until }) =>
    `tried too many wrong codes; approving is locked until ${timeOf(until)}`,
  "link-made": ({ kind, role, until, uses, networks, job }, target) =>
    `made ${linkOf(kind)} ${target}${as(role)}${jobsOf(job)}${times(uses)}${from(networks)}, until ${timeOf(until)}`,
  "link-used": ({ kind }, target) => `used ${linkOf(kind)} ${target}`,
  "link-refused": ({ kind }, target) =>
    `refused ${linkOf(kind)} ${target}, which was tried from outside of its networks, or by another repository under its name`,
  "link-revoked": ({ kind, devices, guesses }, target) =>
    guesses === undefined
      ? `ended ${linkOf(kind)} ${target}${Number(devices ?? 0) > 0 ? ` and shut out ${counted(Number(devices), "device")}` : ""}`
      : `ended ${linkOf(kind)} ${target} after ${guesses} wrong secrets`,
  "invite-accepted": ({ name, role }) => `${name} became ${role}`,
  "member-waiting": ({ name, role, madeFor }) =>
    `${name} opened an invite${madeFor === undefined ? "" : ` made for ${madeFor}`} and waits to be let in as ${role}`,
  "member-confirmed": ({ name, role }) => `let ${name} in as ${role}`,
  "member-declined": ({ name, role }) => `sent ${name} away, who waited to be let in as ${role}`,
  "role-changed": ({ name, before, role }) => `made ${name} ${role}, who was ${before}`,
  "member-removed": ({ name, role }) => `removed ${name}, who was ${role}`,
  "member-left": ({ name, role }) => `${name} left, who was ${role}`,
  "namespace-created": ({ name }) => `made the namespace ${name}`,
  "namespace-deleted": ({ name, until }) =>
    `deleted the namespace ${name}; its owners can restore it until ${timeOf(until)}`,
  "namespace-restored": ({ name }) => `restored the namespace ${name}`,
  "namespace-purged": ({ name }) => `the namespace ${name} is gone for good`,
  "signing-keys-rotated": ({ before }, target) =>
    before === undefined
      ? `made the first signing key ${target}`
      : `put the signing key ${target} in place of ${before}`,
  "audit-set-back": ({ seq, row }) =>
    row === "missing"
      ? `found the audit to end before its row ${seq}: the database was put back from an older copy`
      : `found another row ${seq} in the audit than it had seen: the database was put back and went on, or the audit was rewritten`,
  "key-copied": ({ name }, target) =>
    `the key of ${name} (${target}) was used in two places, or its folder was put back`,
  "setup-refused": ({ count }) => `${count} wrong setup secrets within a minute`,
  "owner-reset": ({ name }) => `the host printed a link for a device of ${name}`,
  "console-opened": ({ name }, target) =>
    `opened the console in a browser from ${name} (${target})`,
  "identity-connected": ({ name, issuer }, target) =>
    `connected an account at ${issuer} to sign in by ${name} (${target})`,
  "identity-disconnected": ({ name, issuer }, target) =>
    `disconnected the account at ${issuer} that signed in by ${name} (${target})`,
};

const doors: Readonly<Record<string, string>> = {
  setup: "by the setup link",
  link: "by a link",
  invite: "by an invite",
  code: "by a code",
  job: "by the token of a job",
  "owner-reset": "by a link of the host",
};

function linkOf(kind: string | number | undefined): string {
  return kind === "invite" ? "the invite" : `the ${kind} link`;
}

function as(role: string | number | undefined): string {
  return role === undefined ? "" : ` for a ${role}`;
}

function jobsOf(repository: string | number | undefined): string {
  return repository === undefined ? "" : `, for jobs of ${repository}`;
}

function times(uses: string | number | undefined): string {
  return uses === undefined || uses === 1 ? "" : `, ${uses} times`;
}

function from(networks: string | number | undefined): string {
  return networks === undefined ? "" : `, from ${networks} alone`;
}

function timeOf(ms: string | number | undefined): string {
  return typeof ms === "number" ? dateText(ms) : "unknown";
}
