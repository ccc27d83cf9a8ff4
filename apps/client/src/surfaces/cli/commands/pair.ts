import { ok, type Result } from "@tidemark/protocol";
import { fileReasons, readKeyPlace } from "../../../platform/key-file.ts";
import { safeText } from "../../../platform/terminal.ts";
import { isServerAddress } from "../../../sync/access/server-address.ts";
import type { SyncOutcome } from "../../../sync/outcome.ts";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { isByLink } from "../../../wiring/link-note.ts";
import { startSyncProgress } from "../sync-progress.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";
import { pairByCode } from "./pair-by-code.ts";
import { statusOutput } from "./status.ts";
import { stoppedSync, whyUnfinished } from "./sync.ts";

/** Longest first sync, in milliseconds; what is left goes with the next one. */
const firstSyncMsMax = 30_000;

/** Joins a server, by a one-time link or by a code that it shows. */
export const pair: Command = {
  arguments: [{ syntax: "<link>", help: "the whole link, in quotes, or the address of a server" }],
  options: [
    { flags: "--name <name>", help: "name of this device; the machine's unless given" },
    {
      flags: "--user <name>",
      help: "your name, where the server does not know you yet; with an address, the name or id of the person whose device this is to be",
    },
    { flags: "--allow-http", help: "trust plain http to a machine of your own network" },
    {
      flags: "--new-key",
      help: "where the keychain does not give this device's key, or an earlier try left it with the server: pair as a new device",
    },
    { flags: "--oidc", help: "with an address, in a CI job: pair by the job's own token" },
    { flags: "--token-file <file>", help: "with --oidc: the token, where the job was given one" },
    {
      flags: "--link <id>",
      help: "with --oidc: the rule to come in by, where several take the job",
    },
    { flags: "-y, --yes", help: "with an address: send what is here to whoever approves" },
  ],
  notes:
    "Links are printed by the server at its first start, by `tidemark device add` on a device that is\n" +
    "paired, and by `tidemark namespace invite`. Each works once; those for machines several times.\n" +
    "`tidemark pair -` reads it from standard input: there no list of processes and no shell keeps it.\n" +
    "With the bare address of a server this device shows a code for five minutes and waits for\n" +
    "`tidemark approve CODE` on a paired device. Before anything is sent it says who has let it in,\n" +
    "and asks; without a terminal, --user has to name that person, or --yes to take anybody.\n" +
    "A job of GitHub Actions or GitLab CI needs no secret: with --oidc it shows the token that the\n" +
    "service has signed for it (`permissions: id-token: write`, or `id_tokens:` with the name\n" +
    "TIDEMARK_ID_TOKEN), and comes in by a rule of `tidemark device add --ci --oidc`.",
  run: async (deps, call) => {
    const [given = ""] = call.args;
    const target = given === "-" ? (await deps.io.stdinText()).trim() : given;
    const paired = await pairWith(deps, call, target);
    if (!paired.ok) return paired;
    const runner = await deps.sync();
    const progress = startSyncProgress(deps, call.isJson);
    const first = await runner.run({
      signal: deps.signal,
      onProgress: progress.show,
      waitMs: 5_000,
      budgetMs: firstSyncMsMax,
    });
    progress.end();
    tellKeyPlace(deps);
    const sync = first.kind === "ended" ? first.sync : undefined;
    const stopped = sync && stoppedSync(deps, sync);
    const { json, text = "" } = statusOutput(deps);
    const isDone = sync?.isDone === true;
    const note = isDone ? "" : unfinishedNote(stopped === undefined ? sync : undefined);
    const shown = `${text}${note}${machineHint(deps)}${keysHint(deps)}`;
    return ok({ json, text: shown, trouble: stopped });
  },
};

/** The device is paired all the same; what stands in the way of the rest is told. */
function unfinishedNote(sync: SyncOutcome | undefined): string {
  const why = sync && whyUnfinished(sync);
  const rest = "the first sync is not finished";
  if (why === undefined) return `\n${rest}: tidemark sync`;
  return `\n${rest}: ${safeText(why.message)}\nhint: ${why.hint}`;
}

async function pairWith(deps: CliDeps, call: Call, target: string): Promise<Outcome> {
  const isJob = call.isOn("oidc");
  if (!isJob && (call.text("tokenFile") ?? call.text("link")) !== undefined) {
    return { ok: false, error: misuse("--token-file and --link are for --oidc alone", jobUsage) };
  }
  if (!isServerAddress(target)) {
    if (!isJob) return await pairByLink(deps, call, target);
    return { ok: false, error: misuse("--oidc needs the address of a server", jobUsage) };
  }
  return isJob ? await pairAsJob(deps, call, target) : await pairByCode(deps, call, target);
}

const jobUsage = "tidemark pair https://tidemark.example --oidc";

async function pairAsJob(deps: CliDeps, call: Call, address: string): Promise<Outcome> {
  const token = await tokenIn(deps, call.text("tokenFile"));
  if (!token.ok) return token;
  const pairing = await deps.pairing();
  const [name, link] = [call.text("name"), call.text("link")];
  const options = {
    allowPlainLan: call.isOn("allowHttp"),
    ...(name === undefined ? {} : { deviceName: name }),
    ...(link === undefined ? {} : { link }),
    ...(token.value === undefined ? {} : { token: token.value }),
  };
  const paired = await pairing.joinAsJob(address, options, deps.signal);
  if (!paired.ok) return { ok: false, error: trouble(paired.error) };
  return ok({ json: undefined, text: undefined });
}

/** A file rather than an argument: there no list of processes has it. */
async function tokenIn(
  { files }: CliDeps,
  path: string | undefined,
): Promise<Result<string | undefined, Trouble>> {
  if (path === undefined) return ok(undefined);
  const lines = files.lines(path);
  if (!lines.ok) return { ok: false, error: trouble(lines.error) };
  for await (const line of lines.value) return ok(line);
  return ok("");
}

/** Where a keychain was asked and did not take the key, a person should know (OPS48). */
function tellKeyPlace(deps: CliDeps): void {
  const { reason = null } = readKeyPlace(deps.home().paths.deviceKey) ?? {};
  if (reason !== "no-answer" && reason !== "refused" && reason !== "garbled") return;
  const where = "this device's key is kept in a file, open to you alone";
  const fix = "`tidemark device key --to keychain` moves it";
  deps.io.err(`warning: ${fileReasons[reason]}: ${where}; ${fix}\n`);
}

/** A machine has no personal namespace: what names none would stay on it for good. */
function machineHint(deps: CliDeps): string {
  const { replicas } = deps.memory().store;
  const [only, second] = replicas
    .replicas()
    .filter(({ status, kind }) => status === "active" && kind === "team");
  const hasPersonal = replicas
    .replicas()
    .some(({ status, kind }) => status === "active" && kind === "personal");
  if (hasPersonal || only === undefined || second !== undefined) return "";
  const name = safeText(only.name);
  return `\nhint: this device has ${name} alone: set TIDEMARK_NAMESPACE to it, or what names no namespace stays here`;
}

/** Who came in by a short link need not compare anything: the keys are on their way. */
function keysHint(deps: CliDeps): string {
  const { store } = deps.memory();
  const lacks = store.replicas
    .replicas()
    .some(({ namespace }) => store.replicas.sealing(namespace)?.hasKey === false);
  if (!lacks || !isByLink(store, deps.home())) return "";
  return "\nhint: the keys come by themselves where the link was a short one: `tidemark sync` on the device that made it, then here";
}

async function pairByLink(deps: CliDeps, call: Call, link: string): Promise<Outcome> {
  const pairing = await deps.pairing();
  const name = call.text("name");
  const user = call.text("user");
  const paired = await pairing.open(
    link,
    {
      allowPlainLan: call.isOn("allowHttp"),
      ...(call.isOn("newKey") ? { isKeyGivenUp: true } : {}),
      ...(name === undefined ? {} : { deviceName: name }),
      ...(user === undefined ? {} : { userName: user }),
    },
    deps.signal,
  );
  if (!paired.ok) return { ok: false, error: trouble(paired.error) };
  return ok({ json: undefined, text: undefined });
}
