import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { systemTimers, type Timers } from "../../platform/timers.ts";
import type {
  LineReading,
  Network,
  NetworkRequest,
  NetworkResponse,
} from "../../sync/http/network.ts";
import { lostBody, responseOf } from "./page-response.ts";
import type { FromThread, PageBody, PageHead, ToThread } from "./thread-talk.ts";

/** A thread that nothing was asked of for so long gives its memory back, in milliseconds. */
const idleMsMax = 60_000;
/**
 * A thread compiles for itself all that it runs, which is half a second of processor time: for fewer
 * records it costs what it saves (docs/performance.md).
 */
const startRestMin = 20_000;

/**
 * A network that has the pages of a long pull read by the thread of a program. It starts with the
 * first of them, and until it is there the process reads them itself: also where there is no such
 * program, on one core, and once the thread has failed.
 *
 * @param program gives its path, which is looked for once a pull is long; undefined where it is none
 */
export function readingAhead(
  network: Network,
  program: () => string | undefined,
  timers: IdleTimers = systemTimers,
): Network {
  let running: PageThread | undefined;
  let isOff = false;
  const start = (): void => {
    const path = availableParallelism() < 2 ? undefined : program();
    isOff = path === undefined;
    if (path === undefined) return;
    try {
      running = startThread(path, timers, (isFailure) => {
        running = undefined;
        isOff ||= isFailure;
      });
    } catch {
      // There is no room for one more thread.
      isOff = true;
    }
  };
  return {
    ...network,
    sendForLines: (request, reading) => {
      if (!isOff && running === undefined && reading.rest >= startRestMin) start();
      return running?.isReady() === true ? running.ask(request, reading) : network.send(request);
    },
  };
}

type IdleTimers = Pick<Timers, "every">;

interface PageThread {
  readonly isReady: () => boolean;
  ask(request: NetworkRequest, reading: LineReading): Promise<NetworkResponse>;
}

/** A request whose answer has not ended yet. */
interface Waiting {
  readonly onHead: (head: PageHead) => void;
  readonly onHeard: () => void;
  readonly onBody: (body: PageBody) => void;
  /** It is not answered, or what has begun breaks off. */
  readonly onLost: (cause: Error) => void;
}

function startThread(
  program: string,
  timers: IdleTimers,
  onEnd: (isFailure: boolean) => void,
): PageThread {
  const worker = new Worker(program);
  const waiting = new Map<number, Waiting>();
  let stopIdle = (): void => undefined;
  let isReady = false;
  let isOver = false;
  let lastId = 0;
  const say = (message: ToThread): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(message);
  };
  const end = (isFailure: boolean): void => {
    if (isOver) return;
    isOver = true;
    stopIdle();
    onEnd(isFailure);
    for (const { onLost } of waiting.values()) onLost(new Error("the thread has ended"));
    waiting.clear();
  };
  const rest = (): void => {
    worker.unref();
    stopIdle = timers.every(idleMsMax, () => {
      end(false);
      void worker.terminate();
    });
  };
  const settle = (id: number): Waiting | undefined => {
    const request = waiting.get(id);
    if (waiting.delete(id) && waiting.size === 0) rest();
    return request;
  };
  worker.on("message", (message: FromThread) => {
    if (message.kind === "ready") {
      isReady = true;
      rest();
    } else if (message.kind === "head") waiting.get(message.id)?.onHead(message.head);
    else if (message.kind === "heard") waiting.get(message.id)?.onHeard();
    else if (message.kind === "body") settle(message.id)?.onBody(message.body);
    else settle(message.id)?.onLost(causeOf(message.code));
  });
  worker.on("error", () => {
    end(true);
  });
  worker.on("exit", () => {
    end(true);
  });
  // It keeps a program only while something is asked of it. Listening to it for messages would take
  // this back.
  worker.unref();
  return {
    isReady: () => isReady,
    ask: ({ url, headers, signal }, { type, bytesMax, onHeard }) =>
      new Promise((resolve, reject) => {
        stopIdle();
        worker.ref();
        const id = (lastId += 1);
        const giveUp = (): void => {
          if (!waiting.has(id)) return;
          say({ kind: "give-up", id });
          settle(id)?.onLost(new Error("the request was given up"));
        };
        waiting.set(id, createWaiting({ resolve, reject, onHeard, giveUp }));
        say({ kind: "ask", id, ask: { url, headers, type, bytesMax } });
        signal.addEventListener("abort", giveUp, { once: true });
      }),
  };
}

/** As the process's own network rejects. */
function causeOf(code: unknown): Error {
  return Object.assign(new Error("no answer came"), { code });
}

interface Told extends Pick<Waiting, "onHeard"> {
  readonly resolve: (response: NetworkResponse) => void;
  readonly reject: (cause: Error) => void;
  readonly giveUp: () => void;
}

function createWaiting({ resolve, reject, onHeard, giveUp }: Told): Waiting {
  let onBody = (_body: PageBody): void => undefined;
  const body = new Promise<PageBody>((give) => (onBody = give));
  return {
    onHead: (head) => {
      resolve(responseOf(head, body, giveUp));
    },
    onHeard,
    onBody,
    onLost: (cause) => {
      // Once the answer has begun the first of these tells nobody.
      reject(cause);
      onBody(lostBody);
    },
  };
}
