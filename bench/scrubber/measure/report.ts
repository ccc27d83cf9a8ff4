import type { Labelled } from "../corpus/marks.ts";
import type { Quality } from "./quality.ts";
import { type Group, isMet, percent, type Result, shares } from "./targets.ts";

/** How many of the worst kinds and contexts are shown. */
const worstShown = 40;

/** Results as a table: each beside its target, met or missed. */
export function resultTable(results: readonly Result[]): string {
  return results
    .map((each) => {
      const met = isMet(each);
      const verdict =
        met === undefined ? "" : each.note === "not measured" ? "–" : met ? "met" : "MISSED";
      return `${each.name.padEnd(50)} ${figure(each.value).padStart(8)} ${each.unit.padEnd(9)} ${targetText(each).padEnd(10)} ${verdict.padEnd(7)} ${each.note ?? ""}`.trimEnd();
    })
    .join("\n");
}

function targetText({ target }: Result): string {
  if (target === undefined) return "";
  return "atLeast" in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`;
}

function figure(value: number): string {
  return value.toFixed(value >= 1000 ? 0 : 2);
}

/** Recall by kind, form and layer, the worst first. */
export function worstTables({ positives, negatives, personalNegatives }: Quality): string {
  const secrets = positives.filter(({ of }) => of.priority !== "P3");
  const personal = positives.filter(({ of }) => of.priority === "P3");
  const kind = ({ of }: (typeof secrets)[number]): string => `${of.priority} ${of.kind}`;
  return [
    table(`The ${worstShown} worst kinds`, shares(secrets, kind)),
    table(`The ${worstShown} worst forms`, shares(secrets, ({ of }) => of.form)), // prettier-ignore
    table("Layers", shares(secrets, ({ of }) => of.layer)), // prettier-ignore
    table("Personal data", shares(personal, kind)),
    harmedTable("Families of look-alikes destroyed", negatives),
    harmedTable("The same where personal data is asked for too", personalNegatives),
  ].join("\n\n");
}

function harmedTable(title: string, negatives: Quality["negatives"]): string {
  const harmed = new Map<string, number>();
  for (const { of, isKept } of negatives) {
    if (!isKept) harmed.set(of.family, (harmed.get(of.family) ?? 0) + 1);
  }
  const rows = [...harmed]
    .toSorted(([, left], [, right]) => right - left)
    .map(([name, count]) => `  ${String(count).padStart(4)}  ${name}`);
  return [`${title}:`, ...rows].join("\n");
}

function table(title: string, groups: readonly Group[]): string {
  const failing = groups.filter(({ share }) => share.good < share.all);
  const rows = failing
    .slice(0, worstShown)
    .map(
      ({ name, share }) =>
        `  ${percent(share).toFixed(1).padStart(5)} %  ${`${share.good}/${share.all}`.padEnd(8)} ${name}`,
    );
  return [`${title} (${failing.length} of ${groups.length} below 100 %):`, ...rows].join("\n");
}

/** Every case that fails, by what it fails. */
export function missLines(quality: Quality): string {
  const { positives, negatives, personalNegatives, sameMisses, differentMisses } = quality;
  const harmed = (list: typeof negatives, what: string): string[] =>
    list
      .filter(({ isKept }) => !isKept)
      .map(({ of }) => `${what} ${of.id}  [${of.family}] in [${of.layer}]`);
  const lines = positives.flatMap(({ of, ...verdict }) => {
    const about = `${of.priority} ${of.id}  [${of.form}] in [${of.layer}]`;
    return [
      ...(verdict.isRemoved ? [] : [`missed      ${about}`]),
      ...(verdict.isContextKept ? [] : [`context     ${about}`]),
      ...(verdict.destroyed === 0 ? [] : [`destroyed ${String(verdict.destroyed)} ${about}`]),
      ...(verdict.isIdempotent ? [] : [`not stable  ${about}`]),
      ...(verdict.isJsonKept === false ? [`broken JSON ${about}`] : []),
    ];
  });
  return [
    ...lines,
    ...harmed(negatives, "harmless   "),
    ...harmed(personalNegatives, "harmless, personal data"),
    ...sameMisses.map((id) => `differs     ${id}`),
    ...differentMisses.map((id) => `coincides   ${id}`),
  ].join("\n");
}

/** One case: its text with the secrets between corners, and what became of it. */
export function caseText({ positives, negatives }: Quality, id: string): string {
  const found = positives.find(({ of }) => of.id === id);
  if (found !== undefined) {
    const { of, output, isRemoved, isContextKept, destroyed, chars } = found;
    return [
      `${of.priority} ${of.kind} [${of.form}] in [${of.layer}]`,
      cornered(of),
      "----",
      output,
      "----",
      `removed: ${String(isRemoved)}, context kept: ${String(isContextKept)}, destroyed around: ${destroyed} of ${chars}`,
    ].join("\n");
  }
  const harmless = negatives.find(({ of }) => of.id === id);
  if (harmless === undefined) return `no case ${id}`;
  return [harmless.of.text, "----", harmless.output].join("\n");
}

function cornered({ text, spans }: Labelled): string {
  const secrets = spans.filter(({ label }) => label === "secret");
  let out = "";
  let at = 0;
  for (const { start, end } of secrets.toSorted((left, right) => left.start - right.start)) {
    out += `${text.slice(at, start)}⟦${text.slice(start, end)}⟧`;
    at = end;
  }
  return out + text.slice(at);
}

/** All results, and recall by kind, form and layer, as JSON. */
export function asJson(about: object, { positives }: Quality): string {
  const recall = (groups: readonly Group[]): Record<string, number> =>
    Object.fromEntries(groups.map(({ name, share }) => [name, percent(share)]));
  const by = {
    kinds: recall(shares(positives, ({ of }) => of.kind)),
    forms: recall(shares(positives, ({ of }) => of.form)),
    layers: recall(shares(positives, ({ of }) => of.layer)),
  };
  return JSON.stringify({ ...about, recall: by }, undefined, 2);
}
