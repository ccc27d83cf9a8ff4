import { fail, ok } from "@tidemark/protocol";
import { linesOfColumns } from "../../store/prepared/page-columns.ts";
import { garbled } from "../../sync/http/failures.ts";
import type { NetworkResponse } from "../../sync/http/network.ts";
import type { PageBody, PageHead } from "./thread-talk.ts";

/** What became of a body whose end nobody read. */
export const lostBody: PageBody = { kind: "lines", lines: fail(garbled) };

/**
 * A thread's answer as one that came by the network.
 *
 * @param giveUp called where nobody wants a body that is none of lines
 */
export function responseOf(
  { status, headers, hasLines }: PageHead,
  body: Promise<PageBody>,
  giveUp: () => void,
): NetworkResponse {
  const head = { status, headers: { get: (name: string) => headers.get(name) ?? null } };
  return hasLines
    ? { ...head, body: null, lines: linesOf(body) }
    : { ...head, body: streamOf(body, giveUp) };
}

async function linesOf(body: Promise<PageBody>): NonNullable<NetworkResponse["lines"]> {
  const read = await body;
  if (read.kind === "text") return fail(garbled);
  return read.lines.ok ? ok(linesOfColumns(read.lines.value)) : read.lines;
}

function streamOf(body: Promise<PageBody>, giveUp: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (stream) => {
      const read = await body;
      if (read.kind === "lines") stream.error(new Error("the body broke off"));
      else {
        stream.enqueue(new TextEncoder().encode(read.text));
        stream.close();
      }
    },
    cancel: giveUp,
  });
}
