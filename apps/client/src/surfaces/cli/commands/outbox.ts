import { ok } from "@tidemark/protocol";
import { safeText } from "../../../platform/terminal.ts";
import type { WaitingOpView } from "../../../store/local-store.ts";
import { lastFailureName, readLastFailure } from "../../../sync/last-failure.ts";
import { namespaceStatuses, type NamespaceStatus } from "../../../sync/status.ts";
import type { Command } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { namesOf } from "../names.ts";
import { ageOf, columns, counted } from "../render/text.ts";
import { reasonOf } from "./rejected.ts";

const limitDefault = 50;

/** Lists everything that this device holds and the server does not, with what helps. */
export const list: Command = {
  options: [
    { flags: "--limit <n>", help: "at most so many", isCount: true },
    { flags: "-a, --all", help: "no limit" },
  ],
  notes:
    "unsent: made here, not sent yet. not verified: sent, not seen again in a pull with equal\n" +
    "digests. refused: the server will not take it; send it again or give it up. Nothing leaves\n" +
    "this list unless it is verified, or you give it up.",
  run: (deps, call) => {
    const { store } = deps.memory();
    const limit = call.count("limit") ?? (call.isOn("all") ? undefined : limitDefault);
    const failure = readLastFailure(store.upkeep.meta(lastFailureName));
    const statuses = namespaceStatuses(store.replicas.replicas(), failure);
    const items = store.reads.waiting(limit).map((op) => ({
      ...op,
      reason: op.code === null ? null : reasonOf(op.code),
    }));
    const namespaces = statuses.map(({ id, name, status, outbox, unverified, rejected }) => {
      return { id, name, status, unsent: outbox, unverified, rejected };
    });
    const total = statuses.reduce((sum, one) => sum + waitingIn(one), 0);
    const lastFailure = deps.home().identity() === undefined ? null : (failure ?? null);
    return ok({
      json: { namespaces, items, total, lastFailure },
      text: textOf(deps, statuses, items, total),
    });
  },
};

type Item = WaitingOpView & { readonly reason: string | null };

function textOf(
  deps: CliDeps,
  statuses: readonly NamespaceStatus[],
  items: readonly Item[],
  total: number,
): string {
  if (total === 0) return "nothing waits: every change was sent and verified";
  const names = namesOf(deps);
  const { store } = deps.memory();
  const rows = items.map((item) => [
    item.record,
    names.namespace(item.namespace),
    item.op,
    item.reason === null ? wordByState[item.state] : `refused: ${item.reason}`,
    store.reads.observation(item.namespace, item.record)?.title ?? "",
  ]);
  const left = total - items.length;
  return [
    ...statuses.filter((one) => waitingIn(one) > 0).map((one) => countsOf(one, names.namespace)),
    columns(rows),
    ...(left > 0 ? [`… ${counted(left, "more change")}: --limit or --all`] : []),
    ...hintsOf(deps, statuses),
  ].join("\n");
}

const wordByState = {
  unsent: "unsent",
  unverified: "not verified",
  rejected: "refused",
} as const satisfies Record<WaitingOpView["state"], string>;

function waitingIn({ outbox, unverified, rejected }: NamespaceStatus): number {
  return outbox + unverified + rejected;
}

function countsOf(one: NamespaceStatus, nameOf: (id: NamespaceStatus["id"]) => string): string {
  const counts = [
    one.outbox > 0 ? `${String(one.outbox)} unsent` : "",
    one.unverified > 0 ? `${String(one.unverified)} not verified` : "",
    one.rejected > 0 ? `${String(one.rejected)} refused` : "",
  ].filter((part) => part !== "");
  return `${safeText(nameOf(one.id))}: ${counts.join(", ")}`;
}

/** What helps, for each kind of waiting that there is. */
function hintsOf(deps: CliDeps, statuses: readonly NamespaceStatus[]): readonly string[] {
  const isWaiting = (status: NamespaceStatus["status"]): boolean =>
    statuses.some((one) => one.status === status && one.outbox + one.unverified > 0);
  const failure = readLastFailure(deps.memory().store.upkeep.meta(lastFailureName));
  const isPaired = deps.home().identity() !== undefined;
  const failed =
    failure === undefined || !isPaired
      ? []
      : [
          `the last sync failed ${ageOf(deps.clock.nowMs(), failure.at)} ago: ${safeText(failure.message)}`,
        ];
  return [
    ...failed,
    ...(isWaiting("active") || (isPaired && isWaiting("unpaired")) ? ["hint: tidemark sync"] : []),
    ...(!isPaired && isWaiting("unpaired") ? ["hint: tidemark pair <link>"] : []),
    ...(isWaiting("parked")
      ? [
          "hint: you left a namespace; its changes go out when you are invited again, and `tidemark export --namespace NAME` takes them along",
        ]
      : []),
    ...(statuses.some(({ rejected }) => rejected > 0)
      ? ["hint: tidemark outbox retry <record>, or tidemark outbox drop <record>"]
      : []),
  ];
}
