/** A thread that asks for pages and reads them, beside the one that writes them into the store. */
import { parentPort } from "node:worker_threads";
import { sha256 } from "../../platform/hash.ts";
import { systemHttp } from "../../platform/http.ts";
import { readPage } from "./read-page.ts";
import type { FromThread, PageAsk, PageHead, ToThread } from "./thread-talk.ts";

const deps = { network: systemHttp, sha256 };
const asked = new Map<number, AbortController>();

parentPort?.on("message", (message: ToThread) => {
  if (message.kind === "ask") void answer(message.id, message.ask);
  else asked.get(message.id)?.abort();
});

say({ kind: "ready" });

async function answer(id: number, ask: PageAsk): Promise<void> {
  const giveUp = new AbortController();
  asked.set(id, giveUp);
  const watch = {
    signal: giveUp.signal,
    touch: () => say({ kind: "heard", id }),
    onHead: (head: PageHead) => say({ kind: "head", id, head }),
  };
  try {
    say({ kind: "body", id, body: await readPage(deps, ask, watch) });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    say({ kind: "none", id, code });
  }
  asked.delete(id);
}

function say(message: FromThread): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(message);
}
