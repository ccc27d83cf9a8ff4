import { fail, ok, type Result } from "@tidemark/protocol";
import type { DeviceInfo } from "@tidemark/protocol/wire";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import type { Server } from "../../../wiring/server.ts";
import { isSure, stopped } from "../ask.ts";
import type { Command } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { namesOf } from "../names.ts";
import { columns } from "../render/text.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";

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

function kindText(deps: CliDeps, { kind, namespace, roleMax, link }: DeviceInfo): string {
  if (kind !== "ci" || namespace === undefined) return "-";
  const place = namesOf(deps).namespace(namespace);
  const by = link === undefined ? "" : `, by link ${link}`;
  return `machine, ${roleMax ?? "reader"} of ${place}${by}`;
}

/** Shuts a device out. */
export const revoke: Command = {
  arguments: [{ syntax: "<device>", help: "its id, its first 6 characters or more, or its name" }],
  options: [{ flags: "-y, --yes", help: "do not ask" }],
  notes: "It can neither read nor write from its next request on. What it captured stays.",
  run: async (deps, call) => {
    const server = await deps.server();
    const found = await findDevice(deps, server, call.args[0] ?? "");
    if (!found.ok) return found;
    const { id, name } = found.value;
    if (!(await isSure(deps, call, `Shut out the device ${name}?`))) return stopped;
    const done = await server.accounts.revokeDevice(id, deps.signal);
    if (!done.ok) return { ok: false, error: trouble(done.error) };
    return ok({ json: { id, name, status: "revoked" }, text: safeText(`revoked ${name} (${id})`) });
  },
};

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
