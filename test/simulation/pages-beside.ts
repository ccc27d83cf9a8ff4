import { sha256 } from "../../apps/client/src/platform/hash.ts";
import type { Network } from "../../apps/client/src/sync/http/network.ts";
import { responseOf } from "../../apps/client/src/wiring/page-thread/page-response.ts";
import { readPage } from "../../apps/client/src/wiring/page-thread/read-page.ts";
import type { PageBody, PageHead } from "../../apps/client/src/wiring/page-thread/thread-talk.ts";

/** A network that gives pages as a device's other thread gives them, without a thread. */
export function givingPages(network: Network): Network {
  return {
    ...network,
    sendForLines: ({ url, headers, signal }, { type, bytesMax, onHeard }) =>
      new Promise((resolve, reject) => {
        const given = new AbortController();
        const giveUp = (): void => given.abort();
        if (signal.aborted) giveUp();
        signal.addEventListener("abort", giveUp, { once: true });
        const onHead = (head: PageHead): void => {
          resolve(responseOf(structuredClone(head), body, giveUp));
        };
        const watch = { signal: given.signal, touch: onHeard, onHead };
        const ask = { url, headers, type, bytesMax };
        const body = readPage({ network, sha256 }, ask, watch).then(structuredClone<PageBody>);
        body.catch(reject);
      }),
  };
}
