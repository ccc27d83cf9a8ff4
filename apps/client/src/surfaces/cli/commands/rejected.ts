import { fail, ok, type RejectCode, type Result } from "@tidemark/protocol";
import { explain } from "../../../memory/explain.ts";
import type { ChangeError, RejectedOpView } from "../../../store/local-store.ts";
import type { Memory } from "../../../wiring/memory.ts";
import { isSure, stopped } from "../ask.ts";
import type { Call, Command, Output } from "../command.ts";
import { namesOf } from "../names.ts";
import { columns, counted } from "../render/text.ts";
import { failed } from "../shown.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";
import { walkRefused } from "./walk-refused.ts";

const limitDefault = 50;

/** Why the server refused a change, and what helps, by code. */
const reasons: Readonly<Record<string, string>> = {
  invalid: "the server cannot read or keep it",
  "too-large":
    "it is too large, alone or with what its record holds already: shorten the record, then send it again",
  forbidden: "your role does not allow it: ask an admin of the namespace",
  immutable: "a conflict is resolved, never edited",
  "collection-mismatch": "the record is of another kind",
  quota:
    "the namespace is full, or this device has sent all that it may in a day: forget what nobody needs, send it again tomorrow, or have the server's quota raised",
  "unknown-record": "the server does not know the record",
  depends: "it builds on a refused change",
  "plain-value": "it came in clear to a namespace whose values are sealed",
  "sealed-value": "it looks like a sealed value, which this namespace does not take",
  "secret-detected":
    "the server found a secret in it, and what this device allows does not count there: update Tidemark, or drop it",
  "not-kept": "the server said that it took it, and does not have it",
  "no-key": "its key is not on this device: it goes by itself once that is back",
} satisfies Record<RejectCode | "not-kept" | "no-key", string>;

/** Why a change was refused, and what helps; the code itself where a later version made it. */
export function reasonOf(code: string): string {
  return Object.hasOwn(reasons, code) ? (reasons[code] ?? code) : code;
}

/** Lists changes that the server refused for good. */
export const rejected: Command = {
  options: [
    { flags: "--limit <n>", help: "at most so many", isCount: true },
    { flags: "-a, --all", help: "no limit" },
  ],
  notes: "A refused change stays on this device until you send it again or give it up.",
  run: (deps, call) => {
    const { reads, replicas } = deps.memory().store;
    const total = replicas.replicas().reduce((sum, one) => sum + one.rejected, 0);
    const limit = call.count("limit") ?? (call.isOn("all") ? total : limitDefault);
    // What is refused comes first of all that waits.
    const items = reads
      .waiting(Math.min(limit, total))
      .map(({ namespace, record, writer, n, op, code }) => ({
        namespace,
        record,
        writer,
        n,
        op,
        code,
      }));
    const names = namesOf(deps);
    const rows = items.map((item) => [
      item.record,
      names.namespace(item.namespace),
      item.op,
      reasonOf(item.code ?? "invalid"),
    ]);
    const left = total - items.length;
    const lines = [
      columns(rows),
      ...(left > 0 ? [`… ${counted(left, "more change")}: --limit or --all`] : []),
      "tidemark rejected retry <record>, or tidemark rejected drop <record>",
    ];
    const text = rows.length === 0 ? "no rejected changes" : lines.join("\n");
    return ok({ json: { items, total }, text });
  },
};

const argumentsOfOps = [{ syntax: "[record]", help: "id of the record, or the beginning of one" }];
const allOption = { flags: "-a, --all", help: "all of them" };

/** A change that cannot be sent again, and why. */
interface Stuck {
  readonly record: string;
  readonly error: ChangeError;
}

/** Sends refused changes again, as new ones. */
export const retry: Command = {
  arguments: argumentsOfOps,
  options: [allOption],
  run: async (deps, call) => {
    const memory = deps.memory();
    const wanted = wantedOps(memory, call);
    if (!wanted.ok) return wanted;
    const { reads } = memory.store;
    const isAll = call.isOn("all");
    let [retried, waiting, overtaken] = [0, 0, 0];
    const stuck: Stuck[] = [];
    const walk = { ops: wanted.value, doing: "sending again" };
    const ended = await walkRefused(deps, call, walk, (op) => {
      const done = memory.store.changes.retryRejected(op, deps.clock.nowMs());
      // What waits for a key goes by itself, and keeps nothing else back (EE30).
      if (done.ok && !done.value.some(({ changed }) => changed)) overtaken += 1;
      else if (done.ok) retried += 1;
      else if (isAll && done.error.kind === "closed") waiting += 1;
      // It went along with one that it builds on, or another shell was faster.
      else if (reads.isRejected(op)) stuck.push({ record: op.record, error: done.error });
    });
    return retriedAnswer({ retried, waiting, overtaken, stuck, ended });
  },
};

interface Retried {
  readonly retried: number;
  readonly waiting: number;
  /** Had nothing to send any more: overtaken here since (OP25, OP27), or there already (OP30). */
  readonly overtaken: number;
  readonly stuck: readonly Stuck[];
  /** Who stopped it before it was done. */
  readonly ended: Trouble | undefined;
}

function retriedAnswer(told: Retried): Result<Output, Trouble> {
  const { retried, waiting, overtaken, stuck, ended } = told;
  const [first] = stuck;
  const isNothing = retried + overtaken === 0;
  if (first !== undefined && isNothing && ended === undefined) return failed(first.error);
  const left = waiting === 0 ? "" : `; ${waiting} ${waiting === 1 ? "waits" : "wait"} for a key`;
  const over =
    overtaken === 0
      ? ""
      : `; done with, written over or forgotten here since, or there already: ${overtaken}`;
  const text = `sent again with the next sync: ${counted(retried, "change")}${left}${over}`;
  const json = {
    retried,
    ...(waiting > 0 ? { waiting } : {}),
    ...(overtaken > 0 ? { overtaken } : {}),
  };
  if (first === undefined) return ok({ json, text, trouble: ended });
  const records = stuck.map(({ record }) => record);
  return ok({
    json: { ...json, stuck: records },
    text,
    trouble: ended ?? stuckTrouble(first, stuck.length),
  });
}

/** One change that cannot be sent again keeps no other one back. */
function stuckTrouble({ record, error }: Stuck, count: number): Trouble {
  const why = explain(error);
  return trouble({
    code: why.code,
    message: `${counted(count, "change")} cannot be sent again: ${why.message}`,
    hint: `tidemark outbox drop ${record}`,
  });
}

/** Gives refused changes up. */
export const drop: Command = {
  arguments: argumentsOfOps,
  options: [allOption, { flags: "-y, --yes", help: "do not ask" }],
  run: async (deps, call) => {
    const memory = deps.memory();
    const wanted = wantedOps(memory, call);
    if (!wanted.ok) return wanted;
    const question = `Give up ${counted(wanted.value.length, "change")} for good?`;
    if (!(await isSure(deps, call, question))) return stopped;
    // What builds on a change goes with it, and is no more there in its own turn.
    let dropped = 0;
    const walk = { ops: wanted.value, doing: "giving up" };
    const ended = await walkRefused(deps, call, walk, (op) => {
      dropped += memory.store.changes.dropRejected(op);
    });
    const text = `given up: ${counted(dropped, "change")}`;
    return ok({ json: { dropped }, text, trouble: ended });
  },
};

function wantedOps(memory: Memory, call: Call): Result<readonly RejectedOpView[], Trouble> {
  const [record = ""] = call.args;
  const all = memory.store.reads.rejected();
  if (call.isOn("all") && record === "") return ok(all);
  if (record === "") {
    return fail(misuse("which change is not said", "give a record's id, or --all"));
  }
  const ops = all.filter((op) => op.record.startsWith(record));
  const records = new Set(ops.map((op) => op.record));
  if (records.size === 1) return ok(ops);
  const message =
    records.size === 0 ? `no rejected change of ${record}` : `${record} fits several records`;
  return fail(trouble({ code: "unknown-op", message, hint: "`tidemark rejected` lists them" }));
}
