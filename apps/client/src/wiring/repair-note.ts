import { systemClock } from "../platform/clock.ts";
import { fileMark } from "../platform/file-mark.ts";
import { readReport, repairName, reportLines, type RepairReport } from "../store/repair/report.ts";
import type { Memory } from "./memory.ts";

/** Name under which the store keeps of which repair a person was told. */
const toldName = "repair.told";
/** How long a repair that left no file behind is shown, in milliseconds: a week. */
const shownMs = 604_800_000;

/**
 * What `status` and `doctor` say of a repair (CL42): as long as the damaged database is kept, for
 * that is how long something may still be got out of it.
 */
export function shownRepair({ store }: Pick<Memory, "store">): RepairReport | undefined {
  const report = readReport(store.upkeep.meta(repairName));
  if (report === undefined) return undefined;
  const { aside, at } = report;
  const isShown =
    aside === null ? systemClock.nowMs() - at < shownMs : fileMark(aside) !== undefined;
  return isShown ? report : undefined;
}

/**
 * Lines on a repair that nobody was told of: what this start has repaired, and at a terminal what
 * another program has, once.
 */
export function untoldRepair(memory: Memory, isTerminal: boolean): readonly string[] {
  const { store, repair } = memory;
  const report = repair ?? (isTerminal ? shownRepair(memory) : undefined);
  if (report === undefined) return [];
  const mark = String(report.at);
  if (repair === undefined && store.upkeep.meta(toldName) === mark) return [];
  if (isTerminal) store.upkeep.setMeta(toldName, mark);
  return reportLines(report);
}
