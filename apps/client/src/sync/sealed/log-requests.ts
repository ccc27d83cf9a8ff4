import { logEntriesMax, wrapsMax, type KeysRequest } from "@tidemark/protocol/wire";

/** Requests in the order in which they are sent. */
export interface Requests {
  readonly first: readonly KeysRequest[];
  readonly last: KeysRequest;
}

/**
 * What goes on from a log, in as few requests as it fits into: mostly one, of which all or nothing is
 * taken. Of more, entries go before keys, which are for who is in at the end. What is cut off between
 * two leaves a log that goes on as well: an epoch that is due is begun by the next sync of an admin's
 * device (EE15), and keys that are missing are handed out by it (EE20).
 */
export function requestsFor({ after, entries, wraps }: KeysRequest): Requests {
  const first: KeysRequest[] = [];
  let last: KeysRequest = { after, entries: entries.slice(0, logEntriesMax), wraps: [] };
  const end = after + entries.length;
  for (let at = logEntriesMax; at < entries.length; at += logEntriesMax) {
    first.push(last);
    const part = entries.slice(at, at + logEntriesMax);
    last = { after: after + at, entries: part, wraps: [] };
  }
  last = { ...last, wraps: wraps.slice(0, wrapsMax) };
  for (let at = wrapsMax; at < wraps.length; at += wrapsMax) {
    first.push(last);
    last = { after: end, entries: [], wraps: wraps.slice(at, at + wrapsMax) };
  }
  return { first, last };
}
