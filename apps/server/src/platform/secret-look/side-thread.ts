import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { SharedLook } from "./line-look.ts";

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
 */
export function builtSideThread(): SideThread | undefined {
  const program = new URL("secret-look.js", import.meta.url);
  return availableParallelism() > 1 && existsSync(program) ? createSideThread(program) : undefined;
}

/**
 * Makes the thread of a program, which starts when it is first needed. It is only a help: whoever asks
 * does what it has not done, so one that dies is not mourned, nor started again.
 */
export function createSideThread(program: URL): SideThread {
  let running: Running | undefined;
  let hasFailed = false;
  const onEnd = (isFailure: boolean): void => {
    running = undefined;
    hasFailed ||= isFailure;
  };
  return {
    join: async (look) => {
      if (hasFailed) return;
      try {
        running ??= start(program, onEnd);
      } catch {
        // There is no room for one more thread.
        hasFailed = true;
        return;
      }
      await running.join(look);
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
