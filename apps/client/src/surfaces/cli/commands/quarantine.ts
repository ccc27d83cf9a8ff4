import { fail, ok, type DeviceId, type Result } from "@tidemark/protocol";
import type { Suspect } from "@tidemark/protocol/wire";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import type { Descendant, QuarantineView } from "../../../store/store.ts";
import { isSure, stopped } from "../ask.ts";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { namesOf } from "../names.ts";
import { columns, counted } from "../render/text.ts";
import { sinceOf } from "../since.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";

/** Descendants that are named; the others are counted. */
const descendantsMax = 20;

/** Hides what a device wrote, on every device, and shows it again. */
export const quarantine: Command = {
  options: [
    { flags: "--device <device>", help: "its id, its first 6 characters or more, or its name" },
    { flags: "--since <time>", help: "12h, 3d, a date, or always (the default)" },
    { flags: "--lift", help: "show again what it wrote" },
    { flags: "-y, --yes", help: "do not ask" },
  ],
  notes:
    "Without --device it lists what is in force. What the device wrote since then is hidden, not\n" +
    "deleted: no list, search, session or agent is given it, on any device, from its next sync on;\n" +
    "`tidemark list --all` shows it, and `tidemark pin <id>` lets one observation through. The\n" +
    "server's order decides, not the times that the device claimed: what anybody changed since then\n" +
    "in a record with words of the device is hidden as well. It is for your own devices, and for\n" +
    "admins and owners for those of a team. The device itself goes on until you shut it out:\n" +
    "`tidemark device revoke <device> --suspect-since <time>` does both.",
  run: async (deps, call) => {
    const wanted = call.text("device");
    if (wanted !== undefined) return await changed(deps, call, wanted);
    if (call.isOn("lift") || call.text("since") !== undefined) {
      return {
        ok: false,
        error: misuse("no device is named", "tidemark quarantine --device <device>"),
      };
    }
    return listed(deps);
  },
};

function listed(deps: CliDeps): Outcome {
  const items = deps.memory().store.reads.quarantines().map(quarantineJson);
  const names = namesOf(deps);
  const rows = items.map(({ device, user, namespace, since, hidden }) => [
    device.id,
    `${user ?? "unknown"} / ${device.name ?? "unknown"}`,
    names.namespace(namespace),
    sinceText(since),
    `${counted(hidden, "observation")} hidden`,
  ]);
  const text = rows.length === 0 ? "no device is in quarantine" : columns(rows);
  return ok({ json: { items, total: items.length }, text });
}

function quarantineJson({ device, author, hidden, ...view }: QuarantineView) {
  const { namespace, since } = view;
  const named = { id: device, name: author.device };
  return {
    namespace,
    device: named,
    user: author.user,
    since: since === 0 ? null : since,
    hidden: hidden.length,
  };
}

function sinceText(since: number | null): string {
  return since === null ? "always" : `since ${dateText(since)}`;
}

async function changed(deps: CliDeps, call: Call, wanted: string): Promise<Outcome> {
  const isLift = call.isOn("lift");
  const given = call.text("since");
  if (isLift && given !== undefined) {
    return {
      ok: false,
      error: misuse("--lift and --since exclude each other", "give one of the two"),
    };
  }
  const since = sinceOf(given ?? "always", deps.clock.nowMs());
  if (!since.ok) return since;
  const found = await findSuspect(deps, wanted);
  if (!found.ok) return found;
  const { name } = found.value;
  const from = since.value === undefined ? "" : ` since ${dateText(since.value)}`;
  const question = isLift
    ? `Show again what ${name} wrote?`
    : `Hide what ${name} wrote${from}, on every device?`;
  if (!(await isSure(deps, call, question))) return stopped;
  return isLift ? await lifted(deps, found.value) : await hidden(deps, found.value, since.value);
}

/** A device by a name that people read. */
export interface NamedDevice {
  readonly id: DeviceId;
  readonly name: string;
}

async function lifted(deps: CliDeps, { id, name }: NamedDevice): Promise<Outcome> {
  const server = await deps.server();
  const done = await server.quarantines.lift(id, deps.signal);
  if (!done.ok) return { ok: false, error: trouble(done.error) };
  await (await deps.sync()).learnNamespaces(deps.signal);
  const names = namesOf(deps);
  const places = done.value.map((namespace) => names.namespace(namespace)).join(", ");
  const json = { device: { id, name }, namespaces: done.value };
  return ok({
    json,
    text: safeText(`lifted: what ${name} (${id}) wrote is shown again in ${places}`),
  });
}

async function hidden(
  deps: CliDeps,
  device: NamedDevice,
  sinceMs: number | undefined,
): Promise<Outcome> {
  const done = await setQuarantine(deps, device, sinceMs);
  if (!done.ok) return done;
  const { json, lines } = done.value;
  return ok({ json, text: lines.map((line) => safeText(line)).join("\n") });
}

/** What a quarantine that was just set did here. */
export interface QuarantineSet {
  readonly json: unknown;
  readonly lines: readonly string[];
}

/** Puts a device in quarantine, and has this device hide what it wrote at once. */
export async function setQuarantine(
  deps: CliDeps,
  device: NamedDevice,
  sinceMs: number | undefined,
): Promise<Result<QuarantineSet, Trouble>> {
  const server = await deps.server();
  const done = await server.quarantines.set({ id: device.id, sinceMs }, deps.signal);
  if (!done.ok) return fail(trouble(done.error));
  const isHere = await (await deps.sync()).learnNamespaces(deps.signal);
  const { reads } = deps.memory().store;
  const here = reads.quarantines().filter((one) => one.device === device.id);
  const descendants = reads.descendantsOfHidden(device.id);
  const places = done.value.map(({ namespace, since }) => {
    const count = here.find((one) => one.namespace === namespace)?.hidden.length ?? 0;
    return { namespace, since: since === 0 ? null : since, hidden: count };
  });
  const json = {
    device,
    places,
    descendants: descendants.slice(0, descendantsMax),
    descendantsTotal: descendants.length,
  };
  const lines = setLines(deps, device, { suspects: done.value, here, descendants });
  return ok({ json, lines: isHere ? lines : [...lines, notYetHere] });
}

const notYetHere =
  "the server did not answer a second time: this device hides it with its next `tidemark sync`";

function setLines(
  deps: CliDeps,
  { id, name }: NamedDevice,
  {
    suspects,
    here,
    descendants,
  }: {
    readonly suspects: readonly Suspect[];
    readonly here: readonly QuarantineView[];
    readonly descendants: readonly Descendant[];
  },
): readonly string[] {
  const names = namesOf(deps);
  const places = suspects.map(({ namespace, since }) => {
    const count = here.find((one) => one.namespace === namespace)?.hidden.length ?? 0;
    return `  ${names.namespace(namespace)}, ${sinceText(since === 0 ? null : since)}: ${counted(count, "observation")} hidden here`;
  });
  const shown = descendants.slice(0, descendantsMax).map((one) => `  ${one.id} ${whys[one.why]}`);
  const left = descendants.length - shown.length;
  return [
    `in quarantine: ${name} (${id}); other devices hide it with their next sync`,
    ...places,
    ...(descendants.length === 0
      ? []
      : [`also review ${counted(descendants.length, "observation")} that came of it:`, ...shown]),
    ...(left > 0 ? [`  … and ${left} more: --json counts them`] : []),
  ];
}

const whys: Readonly<Record<Descendant["why"], string>> = {
  supersedes: "took the place of a hidden one",
  edited: "is hidden, and somebody else has edited it since",
};

/** A device of the person's own, or one that has written in a namespace that is held here. */
async function findSuspect(deps: CliDeps, wanted: string): Promise<Result<NamedDevice, Trouble>> {
  const server = await deps.server();
  const answer = await server.accounts.devices(deps.signal);
  if (!answer.ok) return fail(trouble(answer.error));
  const own = answer.value.map(({ id, name }) => ({ id, name }));
  const authors = deps.memory().store.reads.authorDevices();
  const known = [...own, ...authors.filter(({ id }) => !own.some((one) => one.id === id))];
  const exact = known.filter(({ id }) => id === wanted);
  const named = known.filter(({ name }) => name === wanted);
  const begun = wanted.length < 6 ? [] : known.filter(({ id }) => id.startsWith(wanted));
  const [only, second] = [exact, named, begun].find(({ length }) => length > 0) ?? [];
  if (only !== undefined && second === undefined) return ok(only);
  const message =
    only === undefined ? `no device ${wanted} is known here` : `several devices fit ${wanted}`;
  const hint =
    "name it by its id: `tidemark device list` shows yours, `tidemark audit` those of a team";
  return fail(trouble({ code: "unknown-device", message, hint }));
}
