/** One request for a page as the thread does it: sent, read to its end, prepared. */
import { nonceHeader, ok, type Sha256 } from "@tidemark/protocol";
import { columnsOf } from "../../store/prepared/page-columns.ts";
import { readLines, readText, type BodyWatch } from "../../sync/http/body.ts";
import { isGood } from "../../sync/http/media-type.ts";
import type { Network, NetworkResponse } from "../../sync/http/network.ts";
import { syncLimits } from "../../sync/sync-limits.ts";
import type { PageAsk, PageReply } from "./thread-talk.ts";

/** What a reading needs. */
export interface PageReadDeps {
  readonly network: Network;
  readonly sha256: Sha256;
}

/** All that a caller looks for in an answer. */
const headerNames = ["content-type", "date", "location", "retry-after", nonceHeader];

/** Asks for a page and reads what is answered. Rejects only where no answer came. */
export async function readPage(
  { network, sha256 }: PageReadDeps,
  { url, headers, type, bytesMax }: PageAsk,
  watch: BodyWatch,
): Promise<PageReply> {
  const { signal } = watch;
  const response = await network.send({ method: "GET", url, headers, signal });
  watch.touch();
  const head = { status: response.status, headers: headersOf(response) };
  if (!isGood(response, type)) {
    const body = await readText(response, syncLimits.answerBytesMax, watch);
    return { ...head, lines: undefined, body: body.ok ? body.value : "" };
  }
  const lines = await readLines(response, bytesMax, watch);
  return { ...head, lines: lines.ok ? ok(columnsOf(sha256, lines.value)) : lines, body: "" };
}

function headersOf({ headers }: NetworkResponse): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const name of headerNames) {
    const value = headers.get(name);
    if (value !== null) known.set(name, value);
  }
  return known;
}
