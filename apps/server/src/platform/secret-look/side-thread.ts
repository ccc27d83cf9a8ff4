import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { SharedLook } from "./line-look.ts";
import { isBuilt, threadProgram } from "./thread-program.ts";

/** A thread that takes part in looking through lines. */
export interface SideThread {
  /** Lets it take part; resolves when it has no line of this left, or is gone. */
  join(look: SharedLook): Promise<void>;
}

/** A thread that nothing was asked of for so long gives its memory back, in milliseconds. */
const idleMsMax = 60_000;

/**
 * The thread that lies beside the built program. Run from its sources, or on one core, the server looks
 * by itself.
 *
 * @param onOther is told once where the program beside this one is of another build, or gone
 */
export function builtSideThread(onOther: () => void): SideThread | undefined {
  if (availableParallelism() < 2 || !isBuilt()) return undefined;
  return createSideThread(() => threadProgram(import.meta.url), onOther);
}

/**
 * Makes a thread, which starts when it is first needed. It is only a help: whoever asks does what it
 * has not done, so one that dies is not mourned, nor started again.
 *
 * @param program gives what it runs, at each start; undefined where that would not fit (OPS110)
 */
export function createSideThread(
  program: () => URL | undefined,
  onOther: () => void = () => undefined,
): SideThread {
  let running: Running | undefined;
  let isOff = false;
  const begin = (): void => {
    const path = program();
    isOff = path === undefined;
    if (path === undefined) {
      onOther();
      return;
    }
    try {
      running = start(path, (isFailure) => {
        running = undefined;
        isOff ||= isFailure;
      });
    } catch {
      // There is no room for one more thread.
      isOff = true;
    }
  };
  return {
    join: async (look) => {
      if (!isOff && running === undefined) begin();
      await running?.join(look);
    },
  };
}

interface Running {
  join(look: SharedLook): Promise<void>;
}

function start(program: URL, onEnd: (isFailure: boolean) => void): Running {
  const worker = new Worker(program);
  const waiting: (() => void)[] = [];
  let idle: NodeJS.Timeout | undefined;
  let isOver = false;
  const end = (isFailure: boolean): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(idle);
    onEnd(isFailure);
    for (const resolve of waiting.splice(0)) resolve();
  };
  worker.on("message", () => {
    waiting.shift()?.();
    if (waiting.length > 0) return;
    idle = setTimeout(() => {
      end(false);
      void worker.terminate();
    }, idleMsMax).unref();
  });
  worker.on("error", () => {
    end(true);
  });
  worker.on("exit", () => {
    end(true);
  });
  // It must not keep a program that has nothing else to do. Listening to it for messages would take
  // this back.
  worker.unref();
  return {
    join: (look) =>
      new Promise((resolve) => {
        clearTimeout(idle);
        waiting.push(resolve);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        worker.postMessage(look);
      }),
  };
}
