import { fail, ok, type Result } from "@tidemark/protocol";
import type { DeviceInfo, DeviceRevoked } from "@tidemark/protocol/wire";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import type { Server } from "../../../wiring/server.ts";
import { isSure, stopped } from "../ask.ts";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { namesOf } from "../names.ts";
import { endKeys, keysWithoutThis } from "../end-keys.ts";
import { columns } from "../render/text.ts";
import { sinceOf } from "../since.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";
import { setQuarantine, type QuarantineSet } from "./quarantine.ts";

/** Lists the person's devices. */
export const list: Command = {
  run: async (deps) => {
    const server = await deps.server();
    const answer = await server.accounts.devices(deps.signal);
    if (!answer.ok) return { ok: false, error: trouble(answer.error) };
    const own = server.identity.device.id;
    const items = answer.value.map((device) => ({ ...device, current: device.id === own }));
    const rows = items.map((device) => [
      device.id,
      device.name,
      device.current ? "this device" : device.status,
      device.platform,
      kindText(deps, device),
      device.lastSeenAt === null ? "never seen" : `seen ${dateText(device.lastSeenAt)}`,
    ]);
    return ok({ json: { items, total: items.length }, text: columns(rows) });
  },
};

function kindText(deps: CliDeps, device: DeviceInfo): string {
  const { kind, namespace, roleMax, link, ephemeral } = device;
  if (kind !== "ci" || namespace === undefined) return "-";
  const place = namesOf(deps).namespace(namespace);
  const by = link === undefined ? "" : `, by link ${link}`;
  const goes = ephemeral === true ? ", gone after a silent day" : "";
  return `machine, ${roleMax ?? "reader"} of ${place}${by}${goes}`;
}

/** Shuts a device out. */
export const revoke: Command = {
  arguments: [{ syntax: "<device>", help: "its id, its first 6 characters or more, or its name" }],
  options: [
    { flags: "-y, --yes", help: "do not ask" },
    { flags: "--force", help: "also where it is your last device" },
    {
      flags: "--suspect-since <time>",
      help: "hide what it wrote since then: 12h, 3d, a date, or always",
    },
  ],
  notes:
    "It can neither read nor write from its next request on. What it captured stays, and so does\n" +
    "what it has read: no device is wiped from afar. Links that it made open no more; devices and\n" +
    "people that it let in are named, so that you can look at them as well. --suspect-since hides what\n" +
    "it wrote from then on, on every device; see `tidemark quarantine --help`.",
  run: async (deps, call) => {
    const given = call.text("suspectSince");
    const since = sinceOf(given ?? "always", deps.clock.nowMs());
    if (!since.ok) return since;
    const server = await deps.server();
    const found = await findDevice(deps, server, call.args[0] ?? "");
    if (!found.ok) return found;
    const { id, name } = found.value;
    const also = given === undefined ? "" : " and hide what it wrote";
    const which = id === server.identity.device.id ? "this device itself," : "the device";
    if (!(await isSure(deps, call, `Shut out ${which} ${name}${also}?`))) return stopped;
    if (given === undefined) return await shutOut(deps, call, found.value);
    // First: what can be taken back goes before what cannot, and a failure leaves less undone.
    const hidden = await setQuarantine(deps, { id, name }, since.value);
    if (!hidden.ok && hidden.error.code !== "not-found") return hidden;
    return await shutOut(deps, call, found.value, hidden);
  },
};

async function shutOut(
  deps: CliDeps,
  call: Call,
  { id, name }: DeviceInfo,
  hidden?: Result<QuarantineSet, Trouble>,
): Promise<Outcome> {
  const { accounts, identity, linkBook } = await deps.server();
  const done = await accounts.revokeDevice({ id, isForced: call.isOn("force") }, deps.signal);
  if (!done.ok) return { ok: false, error: notShutOut(trouble(done.error), hidden?.ok === true) };
  const { store } = deps.memory();
  linkBook(store).dropDevice(id);
  const places = store.replicas.replicas();
  const active = places.filter(({ status }) => status === "active");
  const namespaces = active.map(({ namespace }) => namespace);
  const notes =
    id === identity.device.id
      ? [...keysWithoutThis(deps, namespaces), pairsAgain]
      : await endKeys(deps, namespaces, (one) => one.device === id);
  const json = { id, name, status: "revoked", review: done.value };
  const lines = [
    `revoked ${name} (${id})`,
    ...reviewLines(done.value, identity.user.id),
    ...quarantineLines(hidden),
    ...notes,
  ];
  const suspected =
    hidden === undefined ? {} : { quarantine: hidden.ok ? hidden.value.json : null };
  return ok({
    json: { ...json, ...suspected },
    text: lines.map((line) => safeText(line)).join("\n"),
  });
}

const pairsAgain =
  "this device was the one: what it holds stays here, and it comes back by a new link: tidemark pair '<link>'";

function notShutOut(error: Trouble, isHidden: boolean): Trouble {
  if (!isHidden) return error;
  const message = `what it wrote is hidden, but it is not shut out: ${error.message}`;
  return { ...error, message };
}

function quarantineLines(hidden: Result<QuarantineSet, Trouble> | undefined): readonly string[] {
  if (hidden === undefined) return [];
  return hidden.ok ? hidden.value.lines : ["it had written nothing that could be hidden"];
}

/** What whoever had the device may have left behind. */
function reviewLines(
  { links, devices, namespaces, accounts = [] }: DeviceRevoked,
  self: string,
): readonly string[] {
  const readable = namespaces.map(({ name }) => name).join(", ");
  const ended = links.map(({ id, kind }) => `${id} (${kind})`).join(", ");
  return [
    ...(namespaces.length === 0 ? [] : [`it could read: ${readable}`]),
    ...(links.length === 0 ? [] : [`links of its that open no more: ${ended}`]),
    ...devices.map(({ id, name, user }) =>
      user.id === self
        ? `also review: ${name} (${id}), let in by it; not yours? tidemark device revoke ${id}`
        : `also review: ${user.name} with ${name}, let in by it; tidemark namespace members`,
    ),
    ...accounts.map(
      ({ issuer }) =>
        `also review: the account at ${issuer}, connected by it; not yours? Disconnect it under Devices: tidemark console`,
    ),
  ];
}

/** Renames a device. */
export const rename: Command = {
  arguments: [
    { syntax: "<device>", help: "its id, its first 6 characters or more, or its name" },
    { syntax: "<name>", help: "its new name" },
  ],
  run: async (deps, call) => {
    const server = await deps.server();
    const [wanted = "", given = ""] = call.args;
    const name = deps.home().scrub.text(given).trim();
    if (name === "") {
      return { ok: false, error: misuse("the name is empty", "tidemark device rename --help") };
    }
    const found = await findDevice(deps, server, wanted);
    if (!found.ok) return found;
    const { id } = found.value;
    const done = await server.accounts.renameDevice(id, name, deps.signal);
    if (!done.ok) return { ok: false, error: trouble(done.error) };
    if (id === server.identity.device.id) (await deps.pairing()).renameThisDevice(name);
    return ok({ json: { id, name }, text: safeText(`renamed ${id} to ${name}`) });
  },
};

async function findDevice(
  deps: CliDeps,
  server: Server,
  wanted: string,
): Promise<Result<DeviceInfo, Trouble>> {
  const answer = await server.accounts.devices(deps.signal);
  if (!answer.ok) return fail(trouble(answer.error));
  const active = answer.value.filter(({ status }) => status === "active");
  const exact = answer.value.filter(({ id }) => id === wanted);
  const named = active.filter(({ name }) => name === wanted);
  const begun = wanted.length < 6 ? [] : active.filter(({ id }) => id.startsWith(wanted));
  const [only, second] = [exact, named, begun].find(({ length }) => length > 0) ?? [];
  if (only !== undefined && second === undefined) return ok(only);
  const message =
    only === undefined ? `you have no device ${wanted}` : `several devices fit ${wanted}`;
  return fail(trouble({ code: "unknown-device", message, hint: "tidemark device list" }));
}
