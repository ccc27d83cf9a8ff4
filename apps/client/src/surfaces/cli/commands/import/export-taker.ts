import { isEncryptedId, isObject, localNamespace, type NamespaceId } from "@tidemark/protocol";
import { importLines, type ImportReport } from "../../../../memory/import.ts";
import { counted } from "../../render/text.ts";
import { trouble, type Trouble } from "../../trouble.ts";
import { createDifferences } from "./differences.ts";
import { parseLine } from "./parsed-line.ts";
import type { ImportRun } from "./run.ts";
import { addedHeadline, type LineTaker } from "./taken.ts";

type NumberedLine = readonly [number, string];

/** Takes in what `tidemark export` wrote. */
export function exportTaker(run: ImportRun): LineTaker {
  const { memory, into, isDry, wanted } = run;
  const counts = Object.fromEntries(countNames.map((name) => [name, 0])) as Counts;
  let lineNumber = 0;
  const unreadable: number[] = [];
  /** Records that would be new here, by the encrypted namespace that they are of. */
  const sealed = new Map<NamespaceId, number>();
  const differences = createDifferences();
  const target = into ?? memory.store.bindings.personal();
  const count = (
    namespace: NamespaceId,
    lines: readonly NumberedLine[],
    { isSealed = false }: { readonly isSealed?: boolean } = {},
  ): void => {
    const texts = lines.map(([, line]) => line);
    const options = isSealed
      ? { isDry: true, isLeftOut: true }
      : { ...wanted, isDry, isNamed: into !== undefined };
    const report = memory.store.transact(() => importLines(memory, namespace, texts, options));
    for (const each of countNames) {
      if (each !== "added" || !isSealed) counts[each] += report[each];
    }
    if (isSealed && report.added > 0) {
      sealed.set(namespace, (sealed.get(namespace) ?? 0) + report.added);
    }
    differences.add(report);
    unreadable.push(...report.unreadable.map((at) => lines[at - 1]?.[0] ?? 0));
  };
  return {
    take: (lines) => {
      const numbered = lines.map((line, index) => [lineNumber + index + 1, line] as const);
      lineNumber += lines.length;
      const byPlace = new Map<NamespaceId | undefined, NumberedLine[]>();
      for (const one of numbered) {
        const place = placeOf(one[1], into);
        const those = byPlace.get(place) ?? [];
        byPlace.set(place, those);
        those.push(one);
      }
      for (const [place, those] of byPlace) {
        count(place ?? target, those, { isSealed: place !== undefined && isEncryptedId(place) });
      }
    },
    kept: () => counts.added + counts.changed + counts.erased,
    end: () => {
      const skipped = unreadable.map((at) => ({ from: `line ${at}`, reason: "it is no record" }));
      const left = [...sealed.values()].reduce((sum, count) => sum + count, 0);
      const json = {
        kind: "export",
        ...counts,
        ...differences.json(),
        ...(left > 0 ? { encrypted: left } : {}),
        unreadable,
        ...(isDry ? { dryRun: true } : {}),
      };
      const headline = addedHeadline(counts, "record", isDry) + alsoOf(counts, isDry);
      const notes = differences.notes();
      const taken = { ...counts, kind: "export", headline, notes, skipped, json, titles: [] };
      const why =
        sealedTrouble(run, sealed, left) ??
        refusedTrouble(counts.refused) ??
        differences.trouble(wanted) ??
        unreadableTrouble(unreadable.length);
      return why === undefined ? taken : { ...taken, trouble: why };
    },
  };
}

const countNames = [
  "added",
  "known",
  "gone",
  "changed",
  "erased",
  "refused",
  "conflicts",
  "forgotten",
] as const satisfies readonly (keyof ImportReport)[];

type Counts = Record<(typeof countNames)[number], number>;

/** What else came of it, and what no import takes in, so that nobody looks for it afterwards. */
function alsoOf(counts: Counts, isDry: boolean): string {
  const { gone, changed, erased, conflicts, forgotten } = counts;
  const would = isDry ? " would be" : "";
  const left = [
    ...(conflicts > 0 ? [`${counted(conflicts, "value")} that lost a conflict`] : []),
    ...(forgotten > 0 ? [counted(forgotten, "forgotten record")] : []),
  ];
  return [
    gone > 0 ? ` (${gone} forgotten here)` : "",
    changed > 0 ? `, ${changed}${would} changed` : "",
    erased > 0 ? `, ${erased}${would} forgotten` : "",
    left.length > 0 ? `; left out: ${left.join(" and ")}` : "",
  ].join("");
}

function refusedTrouble(refused: number): Trouble | undefined {
  if (refused === 0) return undefined;
  return trouble({
    code: "refused",
    message: `${counted(refused, "record")} did not fit into the namespace`,
    hint: "import into another one: --namespace NAME",
  });
}

function unreadableTrouble(lines: number): Trouble | undefined {
  if (lines === 0) return undefined;
  return trouble({
    code: "unreadable",
    message: `${counted(lines, "line")} of the file ${lines === 1 ? "is" : "are"} no record; all else was taken in`,
    hint: "the file was cut or changed: export again where it was made, and import that; what is here counts as known",
  });
}

function sealedTrouble(
  { memory }: ImportRun,
  sealed: ReadonlyMap<NamespaceId, number>,
  left: number,
): Trouble | undefined {
  const [first] = sealed.keys();
  if (first === undefined) return undefined;
  const several = sealed.size === 1 ? "" : "; of several, export and import one after the other";
  const isHere = memory.store.replicas.replica(first) !== undefined;
  const hint = isHere
    ? `say where they go: tidemark import FILE --namespace ${first}${several}`
    : "theirs is not on this device: pair it where it is (tidemark pair), or name one that is here: tidemark import FILE --namespace NAME";
  return trouble({
    code: "encrypted",
    message: `${counted(left, "record")} of an encrypted namespace left out: elsewhere the server could read them`,
    hint,
  });
}

/**
 * Where a line stays that may not go along with the others. What was local stays local: an import must
 * not send what never left a device. What was sealed goes where a person says: elsewhere a server could
 * read it (IM12).
 */
function placeOf(line: string, into: NamespaceId | undefined): NamespaceId | undefined {
  if (into !== undefined) return undefined;
  const record = parseLine(line);
  const name = isObject(record) ? record["namespace"] : undefined;
  if (typeof name !== "string") return undefined;
  return name === localNamespace || isEncryptedId(name) ? (name as NamespaceId) : undefined;
}
