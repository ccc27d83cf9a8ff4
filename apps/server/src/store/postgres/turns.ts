/** What a turn fails with that was waited for when all was closed; as postgres.js names it. */
class TurnsEnded extends Error {
  readonly code = "CONNECTION_ENDED";
}

/** Lets so many work at once, in the order in which they asked. */
export interface Turns {
  /** Resolves when it is one's turn, with what ends it; throws once {@link Turns.end} was called. */
  take(): Promise<() => void>;
  /** Whoever waits, or comes later, is refused. */
  end(): void;
}

interface Waiting {
  readonly go: () => void;
  readonly refuse: (cause: TurnsEnded) => void;
}

/** So many turns at once. */
export function createTurns(count: number): Turns {
  const waiting: Waiting[] = [];
  let free = count;
  let isEnded = false;
  const give = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next.go();
  };
  const turn = (): (() => void) => {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      give();
    };
  };
  return {
    take: async () => {
      if (isEnded) throw new TurnsEnded("the store is closed");
      if (free > 0) free -= 1;
      else {
        await new Promise<void>((resolve, reject) => {
          waiting.push({ go: resolve, refuse: reject });
        });
      }
      return turn();
    },
    end: () => {
      isEnded = true;
      for (const { refuse } of waiting.splice(0)) refuse(new TurnsEnded("the store is closed"));
    },
  };
}
