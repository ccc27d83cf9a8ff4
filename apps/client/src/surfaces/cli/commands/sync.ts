import { ok } from "@tidemark/protocol";
import { safeText } from "../../../platform/terminal.ts";
import { storeHintOf } from "../../../sync/engine-failure.ts";
import { wayHintOf } from "../../../sync/http/way-trouble.ts";
import type { NamespaceOutcome, SyncOutcome } from "../../../sync/outcome.ts";
import { takeUntoldNews } from "../../../wiring/news-note.ts";
import type { Call, Command, Output } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { newsLines } from "../render/news.ts";
import { askForKey, sealingTrouble, wayFromOtherLog } from "../render/sealing.ts";
import { counted } from "../render/text.ts";
import { takeAllSpooled } from "../spooled.ts";
import { noProgress, startProgress } from "../progress.ts";
import { startSyncProgress } from "../sync-progress.ts";
import { interrupted, trouble, type Trouble } from "../trouble.ts";

/** How long this waits for another process's sync to end, in milliseconds. */
const turnMsMax = 30_000;
/** A bounded sync stops where it is after this many milliseconds. */
const boundedMsMax = 30_000;

/** Sends and fetches everything once. */
export const sync: Command = {
  options: [
    { flags: "-q, --quiet", help: "print nothing but errors" },
    {
      flags: "--bounded",
      help: "stop after half a minute, and leave it to another process that syncs",
    },
  ],
  notes:
    "Exits with 0 only if nothing is left to do: a change that the server refused is left to you\n" +
    "(`tidemark rejected`), and counts where nothing bounds the sync.",
  run: async (deps, call) => {
    const isBounded = call.isOn("bounded");
    const runner = await deps.sync({ isBackground: isBounded });
    const isMute = call.isOn("quiet") || isBounded;
    const taking = isMute ? noProgress : startProgress(deps, { isRead: call.isJson });
    const spooled = isBounded ? undefined : await takeAllSpooled(deps, taking);
    const progress = isMute ? undefined : startSyncProgress(deps, call.isJson);
    const outcome = await runner.run({
      signal: deps.signal,
      waitMs: isBounded ? 0 : turnMsMax,
      ...(isBounded ? { budgetMs: boundedMsMax } : {}),
      ...(progress === undefined ? {} : { onProgress: progress.show }),
    });
    progress?.end();
    if (outcome.kind === "held") return ok(heldOutput(call, outcome.pid));
    const nextSteps = new Map(outcome.sync.namespaces.flatMap((one) => stepOf(deps, one)));
    const stopped = stoppedSync(deps, outcome.sync);
    const ended = withKeys(
      deps,
      call,
      endedOutput(call, outcome.sync, { stopped, spooled, nextSteps }),
    );
    return ok(withNews(deps, call, ended));
  },
};

/** A copy that cannot be opened is up to date too, and says nothing to anybody. */
function withKeys(deps: CliDeps, call: Call, output: Output): Output {
  if (call.isJson || output.text === undefined || output.text === "") return output;
  const { replicas } = deps.memory().store;
  const lines = replicas.replicas().flatMap(({ namespace, name, status }) => {
    const known = status === "active" ? replicas.sealing(namespace) : undefined;
    if (known === undefined) return [];
    const shown = { ...known, trouble: known.trouble ?? null };
    return sealingTrouble(namespace, shown).map((line) => `${safeText(name)}: ${line}`);
  });
  return { ...output, text: [output.text, ...lines].join("\n") };
}

/** New devices and the like are told once, where a person reads (AD5). */
function withNews(deps: CliDeps, call: Call, output: Output): Output {
  if (call.isJson || call.isOn("quiet") || call.isOn("bounded")) return output;
  const news = takeUntoldNews(deps.memory().store, deps.home());
  const lines = newsLines(news, deps.clock.nowMs()).map((line) => `warning: ${line}`);
  const text = output.text === undefined || output.text === "" ? [] : [output.text];
  return { ...output, text: [...text, ...lines].join("\n") };
}

function heldOutput(call: Call, pid: number | undefined): Output {
  return {
    json: { done: false, held: true },
    text: call.isOn("quiet") ? "" : "another process is syncing",
    trouble: call.isOn("bounded") ? undefined : held(pid),
  };
}

/** What a namespace waits for that no further sync brings by itself (EE29, IM18). */
function stepOf(
  deps: CliDeps,
  { namespace, state }: NamespaceOutcome,
): readonly (readonly [namespace: string, step: string])[] {
  if (state === "parked") return [[namespace, wayFromLeft(namespace)]];
  const known = deps.memory().store.replicas.sealing(namespace);
  if (known?.trouble !== undefined) return [[namespace, wayFromOtherLog(namespace)]];
  return known?.hasKey === false ? [[namespace, askForKey(namespace)]] : [];
}

function wayFromLeft(namespace: string): string {
  return (
    "what waits there goes out when you are invited again; to take it along: " +
    `tidemark export --namespace ${namespace} --output FILE, tidemark import FILE --namespace personal`
  );
}

function endedOutput(
  call: Call,
  sync: SyncOutcome,
  {
    stopped,
    spooled,
    nextSteps,
  }: {
    readonly stopped: Trouble | undefined;
    readonly spooled: Trouble | undefined;
    readonly nextSteps: ReadonlyMap<string, string>;
  },
): Output {
  // Where nothing could be asked, what the copies look like says nothing of the server's.
  const isMute = call.isOn("quiet") || sync.failure !== undefined;
  // Refused changes wait for a person, and nobody reads what a bounded sync ends with.
  const left = call.isOn("bounded") ? undefined : refused(sync);
  return {
    json: jsonOf(sync, spooled === undefined),
    text: isMute ? "" : sync.namespaces.map(lineOf).join("\n"),
    trouble: stopped ?? troubleOf(sync, nextSteps) ?? spooled ?? left,
  };
}

function jsonOf({ isDone, failure, namespaces }: SyncOutcome, isAll: boolean): unknown {
  return {
    done: isDone && isAll && rejectedIn(namespaces) === 0,
    error: failure === undefined ? null : { code: failure.code, message: failure.title },
    namespaces: namespaces.map(({ namespace, isDone: done, unsent, failure: why, ...rest }) => ({
      id: namespace,
      ...rest,
      outbox: unsent,
      done: done && rest.rejected === 0,
      error: why === undefined ? null : { code: why.code, message: why.title },
    })),
  };
}

function lineOf(outcome: NamespaceOutcome): string {
  const name = safeText(outcome.name, 64);
  const refused = outcome.rejected === 0 ? "" : `, ${counted(outcome.rejected, "change")} refused`;
  if (outcome.state === "parked") {
    const kept = outcome.unsent === 0 ? "" : `, ${counted(outcome.unsent, "change")} kept here`;
    return `${name}: you are no longer a member, or it was deleted; nothing is sent${kept}`;
  }
  if (outcome.isDone && outcome.rejected > 0) return `${name}: sent and pulled${refused}`;
  if (outcome.isDone) return `${name}: up to date`;
  const why = outcome.failure === undefined ? "" : `: ${safeText(outcome.failure.title)}`;
  const unsent = outcome.unsent + outcome.unverified;
  const left = unsent === 0 ? "not all is fetched" : `${counted(unsent, "change")} left`;
  return `${name}: ${left}${why}${refused}`;
}

/** Where a person ended it, nothing else is wrong (CL65); undefined where it was done by then. */
export function stoppedSync({ signal }: CliDeps, { isDone }: SyncOutcome): Trouble | undefined {
  if (isDone || !signal.aborted) return undefined;
  return interrupted(
    "stopped before the sync was done",
    "what came in or went out stays, and `tidemark sync` goes on from there",
  );
}

function troubleOf(
  { isDone, failure, namespaces }: SyncOutcome,
  nextSteps: ReadonlyMap<string, string>,
): Trouble | undefined {
  if (isDone) return undefined;
  const open = namespaces.filter((outcome) => !outcome.isDone);
  const why = whyUnfinished({ failure, namespaces: open });
  if (why === undefined) {
    const names = open.map(({ name }) => name).join(", ");
    return trouble({
      code: "unfinished",
      message: `the sync is not finished: ${names}`,
      hint: stepFor(open, nextSteps) ?? "run `tidemark sync` again",
    });
  }
  return why;
}

/** Why a sync is not done, as a request or the store said; undefined where none did. */
export function whyUnfinished({
  failure,
  namespaces,
}: Pick<SyncOutcome, "failure" | "namespaces">): Trouble | undefined {
  const why = failure ?? namespaces.find((outcome) => outcome.failure !== undefined)?.failure;
  if (why === undefined) return undefined;
  return trouble({ code: why.code, message: sentence(why.title), hint: hintOf(why.code) });
}

/** Undefined where one of them may go on by a further sync. */
function stepFor(
  open: readonly NamespaceOutcome[],
  nextSteps: ReadonlyMap<string, string>,
): string | undefined {
  const steps = open.map(({ namespace }) => nextSteps.get(namespace));
  return steps.includes(undefined) ? undefined : steps[0];
}

/** What is left to a person where a sync has done all that it can. */
function refused({ namespaces }: SyncOutcome): Trouble | undefined {
  const count = rejectedIn(namespaces);
  if (count === 0) return undefined;
  const message = `${counted(count, "change")} ${count === 1 ? "was" : "were"} refused`;
  return trouble({ code: "refused", message, hint: "tidemark rejected" });
}

function rejectedIn(namespaces: readonly NamespaceOutcome[]): number {
  return namespaces.reduce((sum, { rejected }) => sum + rejected, 0);
}

function hintOf(code: string): string {
  if (code === "unreachable")
    return "check the network; nothing is lost, and `tidemark sync` goes on later";
  if (code === "redirected")
    return "on a guest network, sign in to it first; else ask who runs the server for its address";
  if (code === "device-revoked")
    return "pair this device again with a new link; what it holds is kept";
  if (code === "invalid-token")
    return "pair it again: `tidemark pair <link>`, with a link for a device of yours or, where the server does not know you either, an invite; what it holds is kept. A machine works from the networks of its link alone";
  if (code === "setup-required")
    return "it has lost its data: restore its backup; what this device holds is kept";
  if (code === "upgrade-client") return "update tidemark on this device";
  return (
    wayHintOf(code) ??
    storeHintOf(code) ??
    "`tidemark status` says what waits; run `tidemark sync` again"
  );
}

function sentence(title: string): string {
  const text = title.replace(/\.$/u, "");
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function held(pid: number | undefined): Trouble {
  const who = pid === undefined ? "another process" : `the process ${pid}`;
  return trouble({
    code: "sync-held",
    message: `${who} is syncing and did not let go`,
    hint: "wait a moment and run `tidemark sync` again",
  });
}
