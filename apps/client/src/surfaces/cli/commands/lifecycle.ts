import { ok, type NamespaceId, type Result } from "@tidemark/protocol";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import { dueLifecycle, runLifecycle } from "../../../memory/lifecycle/run.ts";
import type { LifecyclePlan } from "../../../memory/lifecycle/plan.ts";
import { lifecyclesOf } from "../../../wiring/lifecycle.ts";
import type { Call, Command, Output } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { progressOfPart, startProgress } from "../progress.ts";
import { columns, counted } from "../render/text.ts";
import { findNamespace } from "../scope.ts";
import type { Trouble } from "../trouble.ts";

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
  run: (deps, call) => {
    const places = namespacesOf(deps, call);
    if (!places.ok) return places;
    const compactDays = call.count("compactAfter");
    const archiveDays = call.count("archiveAfter");
    const memory = deps.memory();
    const found = lifecyclesOf(deps.home(), memory, {
      ...(compactDays === undefined ? {} : { compactDays }),
      ...(archiveDays === undefined ? {} : { archiveDays }),
      ...(places.value.length === 0 ? {} : { namespaces: places.value }),
    });
    const progress = startProgress(deps, { isRead: call.isJson });
    const plans = found.map((each, part) => {
      const { tell } = progressOfPart(progress, part, found.length);
      return dueLifecycle(memory, each, (at, all) => {
        tell(`looking for what is old: ${at} of ${counted(all, "observation")}`, at / all);
      });
    });
    progress.end();
    const plan: LifecyclePlan = {
      digests: plans.flatMap(({ digests }) => digests),
      archives: plans.flatMap(({ archives }) => archives),
    };
    return ok(call.isOn("dryRun") ? dueOutput(plan) : done(deps, call, plan));
  },
};

function namespacesOf(deps: CliDeps, call: Call): Result<readonly NamespaceId[], Trouble> {
  const ids: NamespaceId[] = [];
  for (const name of call.texts("namespace")) {
    const found = findNamespace(deps.memory(), name);
    if (!found.ok) return found;
    ids.push(found.value.namespace);
  }
  return ok(ids);
}

function done(deps: CliDeps, call: Call, plan: LifecyclePlan): Output {
  const progress = startProgress(deps, { isRead: call.isJson });
  const told = runLifecycle(deps.memory(), plan, (at, all) => {
    progress.tell(`aging memory: ${at} of ${all}`, at / all);
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
  return { json: told, text: [...lines, ...left].join("\n") };
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
