import type { NamespaceProgress } from "../../sync/outcome.ts";
import type { CliDeps } from "./deps.ts";
import { startProgress } from "./progress.ts";
import { counted } from "./render/text.ts";

const numbers = new Intl.NumberFormat("en");

/** Tells how far a sync is: what is fetched, healed or sent, of the first namespace that is not done. */
export function startSyncProgress(
  deps: Pick<CliDeps, "io" | "clock">,
  isRead: boolean,
): { readonly show: (look: () => readonly NamespaceProgress[]) => void; readonly end: () => void } {
  const progress = startProgress(deps, { isRead });
  const most = new Map<string, number>();
  return {
    show: (look) => {
      // What was there in the beginning is what a bar is measured by; else nobody would see it.
      if (most.size > 0 && !progress.isDue()) return;
      const all = look();
      const current = all.find(({ isDone }) => !isDone);
      if (current === undefined) return;
      const left = current.unsent + current.unverified;
      const before = Math.max(left, most.get(current.namespace) ?? 0);
      most.set(current.namespace, before);
      const place = all.indexOf(current) + 1;
      const which = all.length === 1 ? current.name : `${current.name} (${place} of ${all.length})`;
      const { how, share } = stepOf(current, left, before);
      progress.tell(`${which}: ${how}`, share);
    },
    end: () => {
      progress.end();
    },
  };
}

function stepOf(
  { work }: NamespaceProgress,
  left: number,
  before: number,
): { readonly how: string; readonly share?: number } {
  if (work !== undefined && work.done < work.total) {
    const [done, total] = [work.done, work.total].map((each) => numbers.format(each));
    const share = work.done / work.total;
    if (work.kind === "pull") return { how: `fetching, ${done} of ${total}`, share };
    return { how: `comparing with the server, part ${done} of ${total}`, share };
  }
  if (left === 0) return { how: "checking" };
  return { how: `sending, ${counted(left, "change")} left`, share: 1 - left / before };
}
