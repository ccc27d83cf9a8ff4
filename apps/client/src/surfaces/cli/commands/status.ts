import { localNamespace, ok } from "@tidemark/protocol";
import type { WaitingPlace } from "@tidemark/protocol/wire";
import type { Identity } from "../../../platform/identity.ts";
import { keyPlaceText, readKeyPlace, type KeyPlace } from "../../../platform/key-file.ts";
import { safeText } from "../../../platform/terminal.ts";
import { lastFailureName, readLastFailure, type LastFailure } from "../../../sync/last-failure.ts";
import { countedMax, shortStatus } from "../../../sync/short-status.ts";
import { namespaceStatuses, type NamespaceStatus } from "../../../sync/status.ts";
import type { Sealing } from "../../../store/replica-store.ts";
import type { Store } from "../../../store/store.ts";
import { reportLines, type RepairReport } from "../../../store/repair/report.ts";
import { shownRepair } from "../../../wiring/repair-note.ts";
import { embedLines, embedState, type EmbedState } from "../../../wiring/embed-state.ts";
import { unvouchedDevices, unvouchedText } from "../../../wiring/link-note.ts";
import { knownNews, knownWaiting, takeUntoldNews } from "../../../wiring/news-note.ts";
import { parkedBinding } from "../../../wiring/parked-binding.ts";
import { summaryLines, summaryState, type SummaryState } from "../../../wiring/summary-state.ts";
import type { Command, Output } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { newsLines } from "../render/news.ts";
import { closedNote, sealingTrouble, type ShownSealing } from "../render/sealing.ts";
import { pullNote } from "../render/pull-note.ts";
import { ageOf, counted } from "../render/text.ts";

/** Says who this device is and what is synced, without asking the server. */
export const status: Command = {
  options: [{ flags: "--short", help: "one short line, for a prompt or a status bar" }],
  notes:
    "`synced` means: everything sent, seen again in a pull with equal digests, nothing refused.\n" +
    "It is what this device knows; `tidemark sync` asks the server. What happened to your devices is\n" +
    "told once; `tidemark device log` tells it again.",
  run: (deps, call) => {
    if (call.isOn("short")) return ok(shortOutput(deps));
    const output = statusOutput(deps);
    // What a script reads, no person was shown.
    const news = call.isJson ? [] : takeUntoldNews(deps.memory().store, deps.home());
    const lines = newsLines(news, deps.clock.nowMs()).map((line) => `warning: ${line}`);
    return ok({ ...output, text: [...lines, output.text].join("\n") });
  },
};

function shortOutput(deps: CliDeps): Output {
  const { store } = deps.memory();
  const project = deps.home().projectAt();
  const isPaired = deps.home().identity() !== undefined;
  const lastFailure = readLastFailure(store.upkeep.meta(lastFailureName));
  const line = shortStatus({
    observations: store.reads.count({ project }, countedMax + 1),
    replicas: store.replicas.replicas(),
    lastFailure: isPaired ? lastFailure : undefined,
    isPaired,
    isSpooled: deps.memory().hasSpooled(),
    nowMs: deps.clock.nowMs(),
  });
  return { json: { line }, text: line };
}

/** What `status` prints; `pair` ends with the same. */
export function statusOutput(deps: CliDeps): Output {
  const { store } = deps.memory();
  const repair = shownRepair(deps.memory());
  const identity = deps.home().identity();
  const lastFailure = readLastFailure(store.upkeep.meta(lastFailureName));
  const spooled = deps.memory().hasSpooled();
  const namespaces = namespaceStatuses(store.replicas.replicas(), lastFailure).map((one) => {
    const { observations, conflicts } = store.reads.counts(one.id);
    const quarantined = store.reads.suspects(one.id).length;
    const sealing = sealingOf(store, store.replicas.sealing(one.id));
    const synced = one.synced && !spooled;
    return { ...one, synced, observations, conflicts, quarantined, ...sealing };
  });
  const json = {
    ...whoOf(identity),
    repair: repair ?? null,
    lastFailure: identity === undefined ? null : (lastFailure ?? null),
    news: knownNews(store, deps.home()),
    waiting: knownWaiting(store, deps.home()),
    unvouched: unvouchedDevices(store, deps.home()),
    spooled,
    namespaces,
    local: { observations: store.reads.counts(localNamespace).observations },
    deviceKey: readKeyPlace(deps.home().paths.deviceKey) ?? null,
    project: deps.home().projectAt(),
    projectNamespace: store.bindings.namespaceOf(deps.home().projectAt()),
    summariser: summaryState(deps.home(), deps.memory()) ?? null,
    vectors: embedState(deps.home(), deps.memory()) ?? null,
  };
  return { json, text: textOf(deps, json) };
}

/** What is told of an encrypted namespace's keys. */
function sealingOf(
  { reads }: Store,
  known: Sealing | undefined,
): { readonly sealing?: ShownSealing } {
  if (known === undefined) return {};
  const { namespace, epoch, hasKey, trouble } = known;
  const { missing, count: closed } = reads.closedRecords(namespace);
  return { sealing: { epoch, hasKey, missing, closed, trouble: trouble ?? null } };
}

function whoOf(identity: Identity | undefined) {
  return {
    device: identity?.device ?? null,
    user: identity?.user ?? null,
    server: identity?.server.url ?? null,
    serverId: identity?.server.id ?? null,
  };
}

interface Shown {
  readonly device: { readonly name: string } | null;
  readonly user: { readonly name: string } | null;
  readonly server: string | null;
  readonly repair: RepairReport | null;
  readonly lastFailure: LastFailure | null;
  readonly spooled: boolean;
  readonly namespaces: readonly (NamespaceStatus & {
    readonly observations: number;
    readonly conflicts: number;
    readonly quarantined: number;
    readonly sealing?: ShownSealing;
  })[];
  readonly waiting: readonly WaitingPlace[];
  readonly unvouched: readonly { readonly device: string; readonly name: string }[];
  readonly local: { readonly observations: number };
  readonly deviceKey: KeyPlace | null;
  readonly project: string;
  readonly projectNamespace: string;
  readonly summariser: SummaryState | null;
  readonly vectors: EmbedState | null;
}

function textOf(deps: CliDeps, shown: Shown): string {
  const { device, user, server } = shown;
  const who =
    device === null || user === null || server === null
      ? ["not paired: everything is kept on this device alone", "hint: tidemark pair <link>"]
      : [`${safeText(user.name)} on ${safeText(device.name)}, paired with ${safeText(server)}`];
  const nowMs = deps.clock.nowMs();
  if (shown.lastFailure !== null) {
    const { message, at } = shown.lastFailure;
    who.push(`the last sync failed ${ageOf(nowMs, at)} ago: ${safeText(message)}`);
  }
  const lines = shown.namespaces.flatMap((one) => {
    const mark = one.id === shown.projectNamespace ? " (this project)" : "";
    const role = one.role === null ? "" : `, ${one.role}`;
    const head = `${safeText(one.name)}${role}${mark}: ${counted(one.observations, "observation")}, ${stateOf(one, nowMs, shown)}`;
    return [head, ...notesOf(one, nowMs)];
  });
  const local = `local: ${counted(shown.local.observations, "observation")}, never leaves this device`;
  return [
    ...who,
    ...lines,
    ...shown.waiting.map(waitingLine),
    local,
    ...keyNote(shown),
    ...summaryLines(shown.summariser),
    ...embedLines(shown.vectors),
    ...parkedNote(shown),
    ...unvouchedNote(shown),
    ...repairNote(shown),
  ].join("\n");
}

function waitingLine({ name, role }: WaitingPlace): string {
  return `${safeText(name)}: waits for an admin of ${safeText(name)} to let you in as ${role}; it begins by itself then`;
}

/** Said of a device that has a server: before that, nothing depends on the key. */
function keyNote({ device, deviceKey }: Shown): readonly string[] {
  if (device === null || deviceKey === null) return [];
  return [`device key: ${keyPlaceText(deviceKey)}`];
}

function repairNote({ repair }: Shown): readonly string[] {
  if (repair === null) return [];
  const [what = "", ...rest] = reportLines(repair);
  return [`warning: ${safeText(what)}`, ...rest.map((line) => `  ${safeText(line)}`)];
}

function parkedNote({ namespaces, project, projectNamespace }: Shown): readonly string[] {
  const parked = namespaces.find(
    ({ id, status }) => id === projectNamespace && status === "parked",
  );
  if (parked === undefined) return [];
  const { message, fix } = parkedBinding(project, parked.name);
  return [`warning: ${safeText(message)}`, `hint: ${fix}`];
}

function unvouchedNote({ unvouched }: Shown): readonly string[] {
  return unvouched.flatMap(({ device, name }) => [
    `warning: ${safeText(unvouchedText(name))}`,
    `hint: if that is no device of yours: tidemark device revoke ${device}`,
  ]);
}

function stateOf(one: NamespaceStatus, nowMs: number, { device, spooled }: Shown): string {
  if (one.status === "parked") return `no longer a member${neverSent(one)}`;
  if (one.status === "unpaired") {
    const first = device === null ? "not paired" : "the first sync is due (tidemark sync)";
    return `not synced: ${first}`;
  }
  if (one.synced) return `synced ${ageOf(nowMs, one.syncedAt ?? nowMs)} ago`;
  const waiting = one.outbox + one.unverified;
  if (waiting > 0) return `not synced: ${counted(waiting, "change")} waiting`;
  if (one.rejected > 0)
    return `not synced: ${counted(one.rejected, "change")} refused (tidemark rejected)`;
  // Nobody knows before they are taken in whose they are.
  if (spooled) return "not synced: captures wait in the spool (tidemark sync)";
  return "not synced: a pull is due";
}

function neverSent({ outbox }: NamespaceStatus): string {
  if (outbox === 0) return "";
  return `, ${counted(outbox, "change")} never sent`;
}

/** Whether {@link stateOf} tells of the refused changes already. */
function isRefusalSaid({ status, outbox, unverified }: NamespaceStatus): boolean {
  return status === "active" && outbox + unverified === 0;
}

function sealingNotes({ id, sealing }: Shown["namespaces"][number]): readonly string[] {
  if (sealing === undefined) return [];
  const lines = sealingTrouble(id, sealing);
  const shown =
    lines.length > 0
      ? lines
      : [`encrypted, ${counted(sealing.epoch, "key")} so far`, ...closedNote(id, sealing)];
  return shown.map((line) => `  ${line}`);
}

function notesOf(one: Shown["namespaces"][number], nowMs: number): readonly string[] {
  const pull = pullNote(one, nowMs);
  return [
    pull === "" ? "" : `  ${pull}`,
    one.rejected > 0 && !isRefusalSaid(one)
      ? `  ${counted(one.rejected, "change")} refused: tidemark rejected`
      : "",
    one.conflicts > 0 ? `  ${counted(one.conflicts, "conflict")}: tidemark conflicts` : "",
    one.quarantined > 0
      ? `  ${counted(one.quarantined, "device")} in quarantine: tidemark quarantine`
      : "",
    one.notice === null ? "" : `  ${safeText(one.notice)}`,
    ...sealingNotes(one),
  ].filter((line) => line !== "");
}
