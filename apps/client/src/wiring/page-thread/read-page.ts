/** One request for a page as the thread does it: sent, read to its end, prepared. */
import { nonceHeader, ok, type Sha256 } from "@tidemark/protocol";
import { columnsOf } from "../../store/prepared/page-columns.ts";
import { readLines, readText, type BodyWatch } from "../../sync/http/body.ts";
import { isGood } from "../../sync/http/media-type.ts";
import type { Network, NetworkResponse } from "../../sync/http/network.ts";
import { syncLimits } from "../../sync/sync-limits.ts";
import type { PageAsk, PageBody, PageHead } from "./thread-talk.ts";

/** What a reading needs. */
export interface PageReadDeps {
  readonly network: Network;
  readonly sha256: Sha256;
}

/** Who watches over the whole of it. */
export interface PageWatch extends BodyWatch {
  /** Told what the answer begins with, before anything of its body is read. */
  readonly onHead: (head: PageHead) => void;
}

/** All that a caller looks for in an answer. */
const headerNames = ["content-type", "date", "location", "retry-after", nonceHeader];

/** Asks for a page and reads what is answered. Rejects only where no answer came. */
export async function readPage(
  { network, sha256 }: PageReadDeps,
  { url, headers, type, bytesMax }: PageAsk,
  { onHead, ...watch }: PageWatch,
): Promise<PageBody> {
  const response = await network.send({ method: "GET", url, headers, signal: watch.signal });
  const hasLines = isGood(response, type);
  onHead({ status: response.status, headers: headersOf(response), hasLines });
  if (!hasLines) {
    const text = await readText(response, syncLimits.answerBytesMax, watch);
    return { kind: "text", text: text.ok ? text.value : "" };
  }
  const lines = await readLines(response, bytesMax, watch);
  return { kind: "lines", lines: lines.ok ? ok(columnsOf(sha256, lines.value)) : lines };
}

function headersOf({ headers }: NetworkResponse): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const name of headerNames) {
    const value = headers.get(name);
    if (value !== null) known.set(name, value);
  }
  return known;
}
