import { collections, fail, ok, type Result } from "@tidemark/protocol";
import { accountSum, type SummaryDay } from "../../../memory/summary/account.ts";
import { dateText } from "../../../platform/date-text.ts";
import { heldWhenSaved } from "../../../recall/held.ts";
import type { RecordView } from "../../../store/store.ts";
import { summarise, summaryAccount, type Summarised } from "../../../wiring/summariser.ts";
import { costText } from "../../../wiring/summary-state.ts";
import { endedSessions, handedOf, type Handed } from "../../../wiring/summary-sources.ts";
import type { Call, Command, Outcome, Output } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { startProgress } from "../progress.ts";
import { heldLine } from "../render/held.ts";
import { columns } from "../render/text.ts";
import { failed } from "../shown.ts";
import { trouble, type Trouble } from "../trouble.ts";

const dayMs = 86_400_000;

/** Has the command that is set sum up one session. */
export const summariseSession: Command = {
  arguments: [
    { syntax: "[session]", help: "a session's id; the last one that ended unless given" },
  ],
  options: [
    { flags: "--dry-run", help: "print what would be handed over, and run nothing" },
    { flags: "--cost", help: "what the summariser took on each of the last 30 days" },
  ],
  notes:
    "Nothing is run unless `summariser` in config.json names a command, such as\n" +
    '"claude -p --output-format json". It reads on standard input what the session left, your own words\n' +
    "alone and scrubbed, and what it answers is scrubbed and saved as one digest of the session. The\n" +
    "daemon and the MCP server do it by themselves as sessions end; a session is summed up once.",
  run: async (deps, call) => {
    if (call.isOn("cost")) return ok(costOutput(summaryAccount(deps.memory()).days, deps));
    const session = sessionOf(deps, call.args[0]);
    if (!session.ok) return session;
    const handed = handedOf(deps.home(), deps.memory(), session.value);
    if (!handed.ok) return fail(trouble(handed.error));
    return call.isOn("dryRun") ? ok(dryOutput(handed.value)) : await run(deps, call, handed.value);
  },
};

function sessionOf(deps: CliDeps, asked: string | undefined): Result<RecordView, Trouble> {
  const memory = deps.memory();
  if (asked !== undefined && asked !== "") {
    const found = memory.store.reads.find(asked, { collection: collections.session });
    return found.ok ? found : failed(found.error);
  }
  const [last] = endedSessions(memory);
  if (last !== undefined) return ok(last);
  return fail(
    trouble({
      code: "no-ended-session",
      message: "no session of yours has ended yet",
      hint: "name one: tidemark summarise SESSION; tidemark list --json names the session of each observation", // prettier-ignore
    }),
  );
}

async function run(deps: CliDeps, call: Call, handed: Handed): Promise<Outcome> {
  const home = deps.home();
  const { summariserSeconds: seconds } = home.config;
  const progress = startProgress(deps, { isRead: call.isJson });
  const told = await summarise(home, deps.memory(), handed, {
    signal: deps.signal,
    onWait: (ms) => {
      const share = ms / (seconds * 1_000);
      progress.tell(`the summariser has run for ${Math.round(ms / 1_000)} of ${seconds} s`, share);
    },
  });
  progress.end();
  return told.ok ? ok(doneOutput(deps, handed, told.value)) : fail(trouble(told.error));
}

function doneOutput(deps: CliDeps, { session, sources }: Handed, told: Summarised): Output {
  const { id, isNew, ms, cost } = told;
  const { namespace } = session;
  const signals = heldWhenSaved(deps.memory().store.reads, { namespace, id });
  const held = signals === undefined ? [] : [heldLine(id, signals)];
  const spent = costText({ ...cost, runs: 1, failed: 0, ms });
  const line = isNew ? `saved ${id} (${spent})` : `this session was summed up before: ${id}`;
  const json = {
    id,
    session: session.id,
    namespace,
    isNew,
    ms,
    ...cost,
    ...(isNew ? { sources: sources.map(({ id }) => id) } : {}),
    ...(signals === undefined ? {} : { held: signals }),
  };
  return { json, text: [line, ...held].join("\n") };
}

function dryOutput({ session, text, sources }: Handed): Output {
  return {
    json: { session: session.id, sources: sources.map(({ id }) => id), text },
    text: text.trimEnd(),
  };
}

function costOutput(days: readonly SummaryDay[], deps: CliDeps): Output {
  const sum = accountSum(summaryAccount(deps.memory()));
  const dateOf = (day: number): string => dateText(day * dayMs).slice(0, 10);
  const json = { days: days.map(({ day, ...rest }) => ({ date: dateOf(day), ...rest })), sum };
  if (days.length === 0) return { json, text: "the summariser has not run in the last 30 days" };
  const row = (name: string, each: Omit<SummaryDay, "day">): readonly string[] => [
    name,
    costText(each),
    `${each.failed} failed`,
    `${each.inputTokens} tokens in, ${each.outputTokens} out`,
  ];
  const rows = [...days.map((each) => row(dateOf(each.day), each)), row("in all", sum)];
  return { json, text: columns(rows) };
}
