import { fail, ok, roles, type Result, type Role } from "@tidemark/protocol";
import { isNamePrefix, linkNetworksMax, networkSchema } from "@tidemark/protocol/wire";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import type { AccessError } from "../../../sync/access/access-error.ts";
import type { Store } from "../../../store/store.ts";
import type { MadeLink } from "../../../sync/access/accounts.ts";
import { syncLimits } from "../../../sync/sync-limits.ts";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { secondsOf } from "../duration.ts";
import { counted } from "../render/text.ts";
import { findNamespace } from "../scope.ts";
import { addJobs, jobOptions, strayJobOption } from "./job-rule.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";

/** Machines that a link lets in unless told otherwise, and at most. */
const usesPreset = 20;
const usesMax = 100;

/** What a link to one's own device lives where no time is asked for, in seconds. */
const linkLifeS = 600;

const fleetOptions = ["namespace", "role", "name", "oidc"] as const;

/** Prints a link by which another device of the same person joins, or machines do. */
export const add: Command = {
  options: [
    { flags: "--ttl <time>", help: "how long the link works, such as 30m, 12h or 7d" },
    { flags: "--no-qr", help: "draw no QR code" },
    {
      flags: "--ci",
      help: "for machines without a person: they get one namespace and nothing else",
    },
    { flags: "-n, --namespace <name>", help: "with --ci: their namespace (name or id)" },
    { flags: "-r, --role <role>", help: "with --ci: reader or writer; writer unless given" },
    {
      flags: "--uses <n>",
      help: `with --ci: how many machines it lets in, at most ${usesMax}; ${usesPreset} unless given`,
      isCount: true,
    },
    {
      flags: "--from <network>",
      help: "with --ci: a network (or address) that it works from; may be given several times",
      isRepeatable: true,
    },
    { flags: "--name <prefix>", help: "with --ci: what their names begin with" },
    { flags: "--ephemeral", help: "with --ci: they are gone a day after they were last heard of" },
    ...jobOptions,
  ],
  notes:
    "The link works once, for ten minutes; on a terminal it is drawn as a QR code too. A link of --ci\n" +
    "works for 7 days (at most 30d) and for several machines. What they may do ends with your own\n" +
    "role; they let nobody in and see nothing but their namespace. Whoever has the link can use it:\n" +
    "keep it where the job's secrets are, and bind it with --from to the networks that the machines\n" +
    "sit in, as the server sees them: it opens from there alone, and so are they served for good.\n" +
    "`tidemark device links` shows the links that work, and `tidemark device unlink` ends one.\n" +
    "Jobs of GitHub Actions and GitLab CI need no link: a rule of --oidc says which of them come in\n" +
    "by the tokens that the service signs for them. It works for 90 days (at most 365d), is made by\n" +
    "admins of the namespace, and takes no jobs of pull requests.",
  run: async (deps, call) => {
    const ttl = secondsOf(call.text("ttl"), call.text("oidc") === undefined ? 30 : 365);
    if (!ttl.ok) return ttl;
    const life = ttl.value === undefined ? {} : { ttlSeconds: ttl.value };
    const stray = call.text("oidc") === undefined ? strayJobOption(call) : undefined;
    if (stray !== undefined) {
      const message = `--${stray} is for --oidc alone`;
      return { ok: false, error: misuse(message, "tidemark device add --help") };
    }
    if (call.isOn("ci")) return await addFleet(deps, call, life);
    const given = fleetOption(call);
    if (given !== undefined) {
      const message = `--${given} is for --ci alone`;
      return { ok: false, error: misuse(message, "tidemark device add --help") };
    }
    // Before there is a link: what it vouches by has to be kept.
    const { store } = deps.memory();
    const { accounts, linkBook } = await deps.server();
    const made = await accounts.addDevice(life, deps.signal);
    if (!made.ok) return { ok: false, error: trouble(made.error) };
    const lifeMs = 1_000 * (ttl.value ?? linkLifeS);
    const { id, binding } = made.value;
    linkBook(store).keep({ id, side: "made", binding, lifeMs });
    const head = `on the other device, until ${dateText(made.value.expiresAtMs)}:`;
    const note = sealedNote(store.replicas, lifeMs);
    const text = await linkTextOf(deps, call, made.value, head);
    return ok({ json: jsonOf(made.value), text: text + note });
  },
};

/** What becomes of encrypted namespaces on the other device; nothing where there is none. */
function sealedNote(replicas: Store["replicas"], lifeMs: number): string {
  // Where its log is not believed, this device lets nobody in (EE29).
  const opens = replicas.replicas().some(({ namespace }) => {
    const sealing = replicas.sealing(namespace);
    return sealing?.hasKey === true && sealing.trouble === undefined;
  });
  if (!opens) return "";
  return lifeMs <= syncLimits.vouchingLifeMs
    ? "\nIts encrypted namespaces open there too, once this device has synced after it.\n"
    : "\nA link that lives longer than an hour opens no encrypted namespace: `tidemark namespace admit`.\n";
}

/** An option that was given and is for machines alone. */
function fleetOption(call: Call): string | undefined {
  if (call.count("uses") !== undefined) return "uses";
  if (call.texts("from").length > 0) return "from";
  if (call.isOn("ephemeral")) return "ephemeral";
  return fleetOptions.find((name) => call.text(name) !== undefined);
}

async function addFleet(
  deps: CliDeps,
  call: Call,
  life: { readonly ttlSeconds?: number },
): Promise<Outcome> {
  const networks = networksOf(call);
  if (!networks.ok) return networks;
  const from = networks.value.length === 0 ? {} : { networks: networks.value };
  return call.text("oidc") === undefined
    ? await addMachines(deps, call, { ...life, ...from })
    : await addJobs(deps, call, { ...life, ...from });
}

async function addMachines(
  deps: CliDeps,
  call: Call,
  life: { readonly ttlSeconds?: number; readonly networks?: readonly string[] },
): Promise<Outcome> {
  const fleet = fleetOf(call);
  if (!fleet.ok) return fleet;
  const { namespace, role, uses, namePrefix } = fleet.value;
  const { networks = [] } = life;
  const found = findNamespace(deps.memory(), namespace);
  if (!found.ok) return found;
  const { accounts } = await deps.server();
  const prefix = namePrefix === undefined ? {} : { namePrefix };
  const brief = call.isOn("ephemeral") ? { ephemeral: true } : {};
  const asked = { namespace: found.value.namespace, role, uses, ...life, ...prefix, ...brief };
  const made = await accounts.addMachines(asked, deps.signal);
  if (!made.ok) return { ok: false, error: trouble(fleetError(made.error)) };
  const until = dateText(made.value.expiresAtMs);
  const alone = networks.length === 0 ? "" : `, and works from ${networks.join(", ")} alone`;
  const head =
    `on ${counted(uses, "machine")}, until ${until}; each is a ${role} of ` +
    `${safeText(found.value.name)} and sees nothing else${alone}:`;
  return ok({
    json: {
      ...jsonOf(made.value),
      namespace: found.value.namespace,
      role,
      uses,
      ...networksIn(life),
      ...brief,
    },
    text: await linkTextOf(deps, call, made.value, head),
  });
}

interface Fleet {
  readonly namespace: string;
  readonly role: Role;
  readonly uses: number;
  readonly namePrefix: string | undefined;
}

function networksIn({ networks }: { readonly networks?: readonly string[] }): object {
  return networks === undefined ? {} : { networks };
}

function fleetOf(call: Call): Result<Fleet, Trouble> {
  const namespace = call.text("namespace");
  if (namespace === undefined) {
    return fail(misuse("--ci needs a namespace", "tidemark device add --ci --namespace NAME"));
  }
  const wanted = call.text("role") ?? "writer";
  const role = roles.find((one) => one === wanted);
  if (role !== "reader" && role !== "writer") {
    return fail(misuse(`a machine cannot be ${safeText(wanted)}`, "give --role reader or writer"));
  }
  const uses = call.count("uses") ?? usesPreset;
  if (uses > usesMax) return fail(misuse("too many uses", `give --uses 1 to ${usesMax}`));
  const namePrefix = call.text("name");
  if (namePrefix !== undefined && !isNamePrefix(namePrefix)) {
    const hint = "give at most 40 letters, digits, dots, hyphens and underscores";
    return fail(misuse("machines cannot be called that", hint));
  }
  return ok({ namespace, role, uses, namePrefix });
}

function networksOf(call: Call): Result<readonly string[], Trouble> {
  const networks = call.texts("from");
  const wrong = networks.find((network) => !networkSchema.safeParse(network).success);
  if (wrong !== undefined) {
    const hint = "give addresses or networks such as --from 10.0.0.0/8 --from 2001:db8::/32";
    return fail(misuse(`no network: ${safeText(wrong)}`, hint));
  }
  if (networks.length > linkNetworksMax) {
    return fail(misuse("too many networks", `give --from at most ${linkNetworksMax} times`));
  }
  return ok(networks);
}

function fleetError(error: AccessError): AccessError {
  if (error.code !== "forbidden") return error;
  const hint = "give --role reader, or ask an admin of the namespace for another role";
  return { ...error, message: "machines cannot have more than your own role", hint };
}

function jsonOf({
  link,
  id,
  expiresAtMs: expiresAt,
}: Pick<MadeLink, "link" | "id" | "expiresAtMs">): object {
  return { link, id, expiresAt };
}

async function linkTextOf(
  deps: CliDeps,
  call: Call,
  { link }: MadeLink,
  head: string,
): Promise<string> {
  const line = `${head}\n\n  tidemark pair '${link}'\n`;
  // `--no-qr` is the option `qr` switched off.
  if (call.isJson || !deps.io.isOutTty || !call.isOn("qr")) return line;
  const { qrText } = await import("../render/qr.ts");
  const drawn = qrText(link, deps.io);
  return drawn === "" ? line : `${line}\n${drawn}\n`;
}
