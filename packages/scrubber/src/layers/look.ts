import { layersMax } from "../limits.ts";
import { createScan, type Scan } from "../scan.ts";
import type { Span } from "../spans.ts";
import { findBroken } from "./broken-lines.ts";
import { findInCoded } from "./coded-text.ts";
import { findContinued } from "./continued-lines.ts";
import { findInRuns } from "./encoded-runs.ts";

/** How a text is looked at as it stands, without its layers. */
export interface Look {
  /** Notes what the rules find. */
  readonly find: (scan: Scan) => void;
  /** Gives the stretches to take out. */
  readonly choose: (scan: Scan) => readonly Span[];
}

/**
 * Finds what is to be taken out of a scan's text, in its layers of encoding as well: what is
 * decoded is looked at like a text of its own, {@link layersMax} layers deep at most. All that
 * this costs counts as work of the scan (SC4).
 */
export function lookThrough(scan: Scan, look: Look): readonly Span[] {
  look.find(scan);
  if (scan.depth < layersMax) {
    const lookInside = (decoded: string): readonly Span[] => {
      const inside = createScan(decoded, scan.shapesOnly, scan);
      const spans = lookThrough(inside, look);
      scan.work += inside.work;
      return spans;
    };
    findInRuns(scan, lookInside);
    findInCoded(scan, lookInside);
    findBroken(scan, lookInside);
    findContinued(scan);
  }
  return look.choose(scan);
}
