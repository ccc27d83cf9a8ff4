import type { DifferingRecord } from "../../../../memory/import-differences.ts";
import type { ImportOptions, ImportReport } from "../../../../memory/import.ts";
import { safeText } from "../../../../platform/terminal.ts";
import { counted } from "../../render/text.ts";
import { trouble, type Trouble } from "../../trouble.ts";
import { shownMax } from "./taken.ts";

/** Records that are named; beyond them they are counted alone. */
const namedMax = 1_000;

/** What a file says otherwise than this device, over all of its lines. */
export interface Differences {
  add(report: Pick<ImportReport, "differing" | "alive">): void;
  json(): Readonly<Record<string, unknown>>;
  /** Lines for people that name the first records. */
  notes(): readonly string[];
  trouble(wanted: Pick<ImportOptions, "differing" | "forgets">): Trouble | undefined;
}

/** Collects what differs, and says what to run for it (IM13). */
export function createDifferences(): Differences {
  const differing: DifferingRecord[] = [];
  const alive: ImportReport["alive"][number][] = [];
  const totals = { differing: 0, newer: 0, alive: 0 };
  return {
    add: (report) => {
      totals.differing += report.differing.length;
      totals.newer += report.differing.filter(hasNewer).length;
      totals.alive += report.alive.length;
      differing.push(...report.differing.slice(0, namedMax - differing.length));
      alive.push(...report.alive.slice(0, namedMax - alive.length));
    },
    json: () => ({
      differing: {
        total: totals.differing,
        items: differing.map(({ id, namespace, fields }) => ({
          id,
          namespace,
          fields: fields.map(({ field }) => field),
          newer: fields.filter(({ isNewer }) => isNewer).map(({ field }) => field),
        })),
      },
      alive: { total: totals.alive, items: alive },
    }),
    notes: () => [
      ...differing.slice(0, shownMax).map(differingNote),
      ...moreNote(totals.differing, "differ"),
      ...alive.slice(0, shownMax).map(({ id }) => `${id}: forgotten in the file, here it stands`),
      ...moreNote(totals.alive, "forgotten in the file"),
    ],
    trouble: (wanted) => differingTrouble(totals, wanted),
  };
}

function hasNewer({ fields }: DifferingRecord): boolean {
  return fields.some(({ isNewer }) => isNewer);
}

function differingNote({ id, fields }: DifferingRecord): string {
  const newer = fields.filter(({ isNewer }) => isNewer).map(({ field }) => field);
  const others = fields.filter(({ isNewer }) => !isNewer).map(({ field }) => field);
  const parts = [
    ...(newer.length > 0 ? [`newer in the file: ${newer.join(", ")}`] : []),
    ...(others.length > 0 ? [`other in the file: ${others.join(", ")}`] : []),
  ];
  return safeText(`${id}: ${parts.join("; ")}`, 160);
}

function moreNote(total: number, what: string): readonly string[] {
  return total > shownMax ? [`… ${total - shownMax} more ${what}; --json names them`] : [];
}

interface Totals {
  readonly differing: number;
  /** Of these, such that the file has something newer of. */
  readonly newer: number;
  readonly alive: number;
}

type Wanted = Pick<ImportOptions, "differing" | "forgets">;

function differingTrouble(totals: Totals, wanted: Wanted): Trouble | undefined {
  const { differing, alive } = totals;
  const parts = [
    ...(differing > 0 ? [{ message: otherwise(differing), hint: hintToTake(totals, wanted) }] : []),
    ...(alive > 0 ? [{ message: stillHere(alive), hint: hintToForget(wanted) }] : []),
  ];
  if (parts.length === 0) return undefined;
  const message = parts.map((part) => part.message).join("; ");
  return trouble({ code: "differs", message, hint: parts.map(({ hint }) => hint).join("; ") });
}

function otherwise(count: number): string {
  return `the file says something else of ${counted(count, "record")} here, and what is here stays`;
}

function stillHere(count: number): string {
  return `${counted(count, "record")} here ${count === 1 ? "is" : "are"} forgotten in the file`;
}

const elsewhere = "say where they are: --namespace NAME";

function hintToTake({ newer }: Totals, { differing: mode }: Wanted): string {
  if (mode === "file") return elsewhere;
  const all =
    "import FILE --differing file takes all that differs, and `tidemark history` keeps what it replaces";
  return mode === "newer" || newer === 0
    ? `tidemark ${all}`
    : `tidemark import FILE --differing newer takes what is newer in it; ${all}`;
}

function hintToForget({ forgets }: Wanted): string {
  return forgets === true ? elsewhere : "tidemark import FILE --forget forgets here what it did";
}
