import { fail, ok, type NamespaceId, type Result } from "@tidemark/protocol";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import {
  dueLifecycle,
  runLifecycle,
  type LifecycleDone,
  type Step,
} from "../../../memory/lifecycle/run.ts";
import type { LifecyclePlan } from "../../../memory/lifecycle/plan.ts";
import { lifecyclesOf } from "../../../wiring/lifecycle.ts";
import type { Call, Command, Output } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { progressOfPart, startProgress } from "../progress.ts";
import { columns, counted } from "../render/text.ts";
import { findNamespace } from "../scope.ts";
import { createStopLook } from "../stop-look.ts";
import { interrupted, type Trouble } from "../trouble.ts";

/** Lines of what is due that a dry run shows. */
const shownMax = 20;

/** Folds what old sessions did into digests, and archives what is over its namespace's age. */
export const lifecycle: Command = {
  options: [
    { flags: "--dry-run", help: "say what is due, and change nothing" },
    {
      flags: "--compact-after <days>",
      help: "age of a session that is folded; 90 unless set",
      isCount: true,
    },
    {
      flags: "--archive-after <days>",
      help: "age at which all that is not pinned is archived; never unless set",
      isCount: true,
    },
    {
      flags: "-n, --namespace <name>",
      help: "in this namespace alone (name or id)",
      isRepeatable: true,
    },
  ],
  notes:
    "Of a session in which nothing is younger than that, changes, commands, failures and requests become\n" +
    "one digest, and are archived: recall leaves them out, `tidemark list --all` and `tidemark show`\n" +
    "still have them. Decisions, fixes and notes stay; pinned ones never age; nothing is forgotten.\n" +
    "Every device makes the same of the same memory. With `lifecycle` on in config.json the daemon does\n" +
    "it once a day; `archiveAfter` there keeps an age for each namespace.",
  run: async (deps, call) => {
    const places = namespacesOf(deps, call);
    if (!places.ok) return places;
    const plan = await planOf(deps, call, places.value);
    if (plan === undefined) return fail(stoppedLook);
    return ok(call.isOn("dryRun") ? dueOutput(plan) : await done(deps, call, plan));
  },
};

/** All that is due; undefined where somebody stopped the look for it (CL65). */
async function planOf(
  deps: CliDeps,
  call: Call,
  namespaces: readonly NamespaceId[],
): Promise<LifecyclePlan | undefined> {
  const compactDays = call.count("compactAfter");
  const archiveDays = call.count("archiveAfter");
  const memory = deps.memory();
  const found = lifecyclesOf(deps.home(), memory, {
    ...(compactDays === undefined ? {} : { compactDays }),
    ...(archiveDays === undefined ? {} : { archiveDays }),
    ...(namespaces.length === 0 ? {} : { namespaces }),
  });
  const progress = startProgress(deps, { isRead: call.isJson });
  const plans: LifecyclePlan[] = [];
  for (const [part, each] of found.entries()) {
    const { tell } = progressOfPart(progress, part, found.length);
    const plan = await through(deps, dueLifecycle(memory, each), ({ done: at, all }) => {
      tell(`looking for what is old: ${at} of ${counted(all, "observation")}`, at / all);
    });
    if (plan === undefined) break;
    plans.push(plan);
  }
  progress.end();
  if (plans.length < found.length) return undefined;
  return {
    digests: plans.flatMap(({ digests }) => digests),
    archives: plans.flatMap(({ archives }) => archives),
  };
}

/** Goes through steps, each of which is told; undefined where somebody stops it between two of them. */
async function through<Each extends Step, Result>(
  deps: CliDeps,
  steps: Generator<Each, Result>,
  tell: (step: Each) => void,
): Promise<Result | undefined> {
  const isStopped = createStopLook(deps);
  for (;;) {
    const { done: isDone, value } = steps.next();
    if (isDone === true) return value;
    tell(value);
    if (await isStopped()) return undefined;
  }
}

const stoppedLook = interrupted(
  "stopped before all was looked at: nothing was changed",
  "run the same `tidemark lifecycle` again",
);

const stoppedAging = interrupted(
  "stopped before all that is due was done",
  "what was done stays, and the same `tidemark lifecycle` goes on",
);

function namespacesOf(deps: CliDeps, call: Call): Result<readonly NamespaceId[], Trouble> {
  const ids: NamespaceId[] = [];
  for (const name of call.texts("namespace")) {
    const found = findNamespace(deps.memory(), name);
    if (!found.ok) return found;
    ids.push(found.value.namespace);
  }
  return ok(ids);
}

async function done(deps: CliDeps, call: Call, plan: LifecyclePlan): Promise<Output> {
  const progress = startProgress(deps, { isRead: call.isJson });
  let told: LifecycleDone = { digests: 0, archived: 0, refused: 0 };
  const ended = await through(deps, runLifecycle(deps.memory(), plan), (step) => {
    ({ told } = step);
    progress.tell(`aging memory: ${step.done} of ${step.all}`, step.done / step.all);
  });
  progress.end();
  const { digests, archived, refused } = told;
  const lines =
    digests + archived === 0
      ? ["nothing has come of age"]
      : [
          `folded ${counted(digests, "session")} into digests, archived ${counted(archived, "observation")}; nothing is forgotten`,
          "hint: tidemark list --all shows archived ones too; tidemark unarchive ID brings one back",
        ];
  const left = refused === 0 ? [] : [`left as they are: ${counted(refused, "digest")} that somebody forgot, or that this device may not write`]; // prettier-ignore
  const stopped = ended === undefined ? stoppedAging : undefined;
  return { json: told, text: [...lines, ...left].join("\n"), trouble: stopped };
}

function dueOutput({ digests, archives }: LifecyclePlan): Output {
  const folded = digests.reduce((sum, { fresh }) => sum + fresh.length, 0);
  const json = {
    digests: digests.map(({ id, namespace, content, fresh }) => ({
      id,
      namespace,
      title: content.title,
      createdAt: content.createdAt,
      sources: fresh,
    })),
    archives: archives.map(({ id, namespace, title, createdAt }) => ({
      id,
      namespace,
      title,
      createdAt,
    })),
  };
  if (digests.length + archives.length === 0) return { json, text: "nothing has come of age" };
  const rows = [
    ...digests.map(({ content, fresh }) => [
      "fold",
      dateText(content.createdAt),
      `${fresh.length} into one`,
      safeText(content.title, 60),
    ]),
    ...archives.map(({ title, kind, createdAt }) => [
      "archive",
      dateText(createdAt),
      kind,
      safeText(title, 60),
    ]),
  ];
  const more = rows.length > shownMax ? [`and ${rows.length - shownMax} more: --json has all`] : [];
  const head = `due: ${counted(digests.length, "session")} (${counted(folded, "observation")}) to fold, ${counted(archives.length, "observation")} to archive`;
  return { json, text: [head, columns(rows.slice(0, shownMax)), ...more].join("\n") };
}
