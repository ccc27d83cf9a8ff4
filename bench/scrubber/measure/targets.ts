import { type Quality, shareOf, type Share } from "./quality.ts";

/** A measure beside what it has to reach. */
export interface Result {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Absent where there is nothing to reach. */
  readonly target?: { readonly atLeast: number } | { readonly atMost: number };
  readonly note?: string;
}

/** Whether a result reaches its target; undefined where there is none. */
export function isMet({ value, target }: Result): boolean | undefined {
  if (target === undefined) return undefined;
  return "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
}

/** A share in per cent. */
export function percent({ good, all }: Share): number {
  return all === 0 ? 100 : (100 * good) / all;
}

/** The measures of quality beside their targets. */
export function qualityResults(quality: Quality): readonly Result[] {
  const { positives, negatives, personalNegatives } = quality;
  const secrets = positives.filter(({ of }) => of.priority !== "P3");
  const removed = (list: typeof positives): Share => shareOf(list, ({ isRemoved }) => isRemoved);
  const urls = secrets.filter(({ of }) => of.text.includes("://"));
  const all = [...positives, ...negatives];
  const json = all.filter(({ isJsonKept }) => isJsonKept !== undefined);
  const harmed = (list: typeof negatives): Share => shareOf(list, ({ isKept }) => !isKept);
  return [
    result("secrets removed", removed(secrets), { atLeast: 98 }),
    ...(["P0", "P1", "P2"] as const).map((priority) =>
      result(
        `  ${priority}`,
        removed(secrets.filter(({ of }) => of.priority === priority)),
        priority === "P0" ? { atLeast: 100 } : undefined,
      ),
    ),
    result("  every P0 kind", wholeKinds(quality), { atLeast: 100 }),
    result("  with a shape", removed(secrets.filter(({ of }) => !of.isNamed))),
    result("  by their name alone", removed(secrets.filter(({ of }) => of.isNamed))),
    result(
      "personal data with a checksum removed",
      removed(positives.filter(({ of }) => of.hasChecksum)),
      { atLeast: 97 },
    ),
    result(
      "personal data without one removed",
      removed(positives.filter(({ of }) => of.priority === "P3" && !of.hasChecksum)),
    ),
    result("harmless look-alikes destroyed", harmed(negatives), { atMost: 0.3 }),
    result("  where personal data is asked for too", harmed(personalNegatives), { atMost: 0.3 }),
    result("text around secrets destroyed", destroyed(quality), { atMost: 0.2 }),
    result(
      "context of URLs kept (scheme, host, user, path)",
      shareOf(urls, ({ isContextKept }) => isContextKept),
      { atLeast: 98 },
    ),
    result(
      "context kept everywhere (names, hosts, users)",
      shareOf(secrets, ({ isContextKept }) => isContextKept),
    ),
    result(
      "JSON still parses",
      shareOf(json, ({ isJsonKept }) => isJsonKept === true),
      { atLeast: 100 },
    ),
    result(
      "scrubbing again changes nothing",
      shareOf(positives, ({ isIdempotent }) => isIdempotent),
      { atLeast: 100 },
    ),
    result("same secret, same placeholder", quality.same, { atLeast: 100 }),
    result("different secrets, different placeholders", quality.different, { atLeast: 100 }),
  ];
}

function result(name: string, share: Share, target?: Result["target"]): Result {
  const note = share.all === 0 ? "not measured" : `${share.good} of ${share.all}`;
  const about = { name, value: percent(share), unit: "%", note };
  return target === undefined ? about : { ...about, target };
}

function wholeKinds({ positives }: Quality): Share {
  const kinds = shares(
    positives.filter(({ of }) => of.priority === "P0"),
    ({ of }) => of.kind,
  );
  return shareOf(kinds, ({ share }) => share.good === share.all);
}

function destroyed({ positives }: Quality): Share {
  return positives
    .filter(({ of }) => of.priority !== "P3")
    .reduce((sum, each) => ({ good: sum.good + each.destroyed, all: sum.all + each.chars }), {
      good: 0,
      all: 0,
    });
}

/** A group of cases and how many of them are free of their secrets. */
export interface Group {
  readonly name: string;
  readonly share: Share;
}

type Verdict = Quality["positives"][number];

/** Recall by a property of the cases, the worst first. */
export function shares(
  positives: readonly Verdict[],
  groupOf: (verdict: Verdict) => string,
): readonly Group[] {
  const groups = new Map<string, Verdict[]>();
  for (const verdict of positives) {
    const name = groupOf(verdict);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [verdict]);
    else group.push(verdict);
  }
  return [...groups]
    .map(([name, list]) => ({ name, share: shareOf(list, ({ isRemoved }) => isRemoved) }))
    .toSorted(
      (left, right) =>
        percent(left.share) - percent(right.share) || right.share.all - left.share.all,
    );
}
