import { ok, type NamespaceId } from "@tidemark/protocol";
import { safeLines, safeText } from "../../../platform/terminal.ts";
import { buildContext, type Context } from "../../../recall/context.ts";
import type { Moment } from "../../../recall/moment.ts";
import { ownNamespaces, recallNamespaces } from "../../../recall/scope.ts";
import type { Call, Command } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { explainedText } from "../render/explained-context.ts";
import { heldText } from "../render/held.ts";
import { counted, styleOf } from "../render/text.ts";
import { findNamespace, projectOf } from "../scope.ts";

const charsMax = 9_000;

/** Shows what a session would be given now, and why; shows it, and gives it to nobody. */
export const context: Command = {
  options: [
    {
      flags: "-p, --project <project>",
      help: "of this project; the one of this folder unless given",
    },
    { flags: "-n, --namespace <name>", help: "from this namespace alone (name or id)" },
    { flags: "--prompt <text>", help: "what a prompt would bring back" },
    {
      flags: "--tokens <n>",
      help: "budget in tokens; the setting contextTokens unless given",
      isCount: true,
    },
    { flags: "--explain", help: "how each was ranked, and what got no room, in place of the text" },
  ],
  notes:
    "What is ranked by is told as it is computed: 10 for a pin, and the kind's weight x quality x how\n" +
    "recent it is (half after 14 days) x the match with a prompt, half as much again for what is about\n" +
    "the checked-out branch or for files that were changed since the last commit.",
  run: (deps, call) => {
    const memory = deps.memory();
    const home = deps.home();
    const name = call.text("namespace");
    const wanted = name === undefined ? undefined : findNamespace(memory, name);
    if (wanted?.ok === false) return wanted;
    const replicas = memory.store.replicas.replicas();
    const namespaces: readonly NamespaceId[] =
      wanted === undefined ? recallNamespaces(replicas) : [wanted.value.namespace];
    const project = projectOf(home, call.text("project")) ?? home.projectAt();
    const own = ownNamespaces(replicas);
    const work = project === home.projectAt() ? home.work() : undefined;
    const asked = momentOf(deps, call, { project, namespaces, ownNamespaces: own, work });
    const given = buildContext(
      {
        reads: memory.store.reads,
        sessions: memory.store.sessions,
        clock: deps.clock,
        random: memory.random,
        scrub: (text) => home.scrub.text(text),
      },
      asked,
    );
    const text = call.isOn("explain")
      ? explainedText(given, asked.tokensMax, styleOf(deps.io))
      : textOf(deps, given, asked);
    return ok({ json: jsonOf(given, project), text });
  },
};

function momentOf(
  deps: CliDeps,
  call: Call,
  place: Pick<Moment, "project" | "namespaces" | "ownNamespaces" | "work">,
): Moment {
  const prompt = call.text("prompt");
  return {
    ...place,
    charsMax,
    explains: true,
    tokensMax: call.count("tokens") ?? deps.home().config.contextTokens,
    ...(prompt === undefined ? {} : { prompt }),
  };
}

function jsonOf(given: Context, project: string): unknown {
  const items = given.items.map(({ observation, ...ranked }) => ({ ...observation, ...ranked }));
  const passed = given.passed.map(({ observation: { id, title }, ...ranked }) => ({
    id,
    title,
    ...ranked,
  }));
  const { text = null, left, unreviewed, tokens } = given;
  const held = given.held.map(({ observation, signals }) => ({ id: observation.id, signals }));
  return { project, text, items, left, passed, unreviewed, held, tokens };
}

function nothingText(given: Context, asked: Moment): string {
  if (given.left > 0) {
    return `nothing to give: the budget of ${counted(asked.tokensMax, "token")} is too small for any record`;
  }
  if (asked.prompt !== undefined) return "nothing to give: nothing in memory fits this prompt";
  if (given.held.length > 0) return "nothing to give: all that fits is held back";
  if (given.unreviewed > 0) return "nothing to give: what is remembered is not reviewed";
  return `nothing to give: nothing is remembered of ${safeText(asked.project ?? "")} yet`;
}

function textOf(deps: CliDeps, given: Context, asked: Moment): string {
  const style = styleOf(deps.io);
  const rows = given.items.map(
    ({ observation, why, tokens }) =>
      `${observation.id.slice(0, 10)}  ${safeText(observation.title, 80)}  ${style.dim(`${safeText(why)}, ${tokens} tokens`)}`,
  );
  const unreviewed =
    given.unreviewed === 0
      ? []
      : [
          `${counted(given.unreviewed, "observation")} left out: trust is below 2, so nobody is given them unasked`,
        ];
  const left =
    given.left === 0 ? [] : [`${counted(given.left, "more observation")} did not fit the budget`];
  const rest = [...heldRows(deps, given), ...unreviewed, ...left];
  if (given.text === undefined) return [nothingText(given, asked), ...rest].join("\n");
  return [safeLines(given.text), "", style.bold("why"), ...rows, ...rest].join("\n");
}

function heldRows(deps: CliDeps, { held }: Context): readonly string[] {
  if (held.length === 0) return [];
  const style = styleOf(deps.io);
  const rows = held.map(
    ({ observation, signals }) =>
      `${observation.id.slice(0, 10)}  ${safeText(observation.title, 80)}  ${style.dim(heldText(signals))}`,
  );
  const hint = "look with tidemark show <id>; tidemark pin <id> lets it be given";
  return ["", style.bold("held back: reads like an order to agents"), ...rows, style.dim(hint)];
}
