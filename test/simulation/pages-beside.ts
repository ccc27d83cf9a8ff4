import { sha256 } from "../../apps/client/src/platform/hash.ts";
import type { Network } from "../../apps/client/src/sync/http/network.ts";
import { responseOf } from "../../apps/client/src/wiring/page-thread/page-response.ts";
import { readPage } from "../../apps/client/src/wiring/page-thread/read-page.ts";

/** A network that gives pages as a device's other thread gives them, without a thread. */
export function givingPages(network: Network): Network {
  return {
    ...network,
    sendForLines: async ({ url, headers, signal }, { type, bytesMax, onHeard }) => {
      const watch = { signal, touch: onHeard };
      const reply = await readPage({ network, sha256 }, { url, headers, type, bytesMax }, watch);
      return responseOf(structuredClone(reply));
    },
  };
}
