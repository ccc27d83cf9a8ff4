import { ndjsonType } from "@tidemark/protocol/wire";
import type { Gzip } from "./app-deps.ts";
import type { Call } from "./app-env.ts";

/** Shorter answers are not worth compressing, in characters. */
const gzipCharsMin = 1_024;

/** Answers with one JSON document. */
export async function answerJson(
  deps: { readonly gzip: Gzip },
  call: Call,
  value: object,
  status: 200 | 201 = 200,
): Promise<Response> {
  return await answerText(deps, call, {
    text: JSON.stringify(value),
    type: "application/json",
    status,
  });
}

/** Answers with ready lines and a last one. */
export async function answerLines(
  deps: { readonly gzip: Gzip },
  call: Call,
  answer: { readonly lines: readonly string[]; readonly tail: object },
): Promise<Response> {
  const tail = JSON.stringify(answer.tail);
  const states = answer.lines.length === 0 ? "" : `${answer.lines.join("\n")}\n`;
  return await answerText(deps, call, {
    text: `${states}${tail}\n`,
    type: ndjsonType,
    status: 200,
  });
}

/** Answers with a ready text. */
export async function answerText(
  deps: { readonly gzip: Gzip },
  { c }: Call,
  answer: { readonly text: string; readonly type: string; readonly status: 200 | 201 },
): Promise<Response> {
  const { text, type, status } = answer;
  c.header("Content-Type", type);
  c.header("Vary", "Accept-Encoding");
  if (text.length < gzipCharsMin || !takesGzip(c.req.header("accept-encoding"))) {
    return c.newResponse(text, { status });
  }
  c.header("Content-Encoding", "gzip");
  return c.newResponse(new Uint8Array(await deps.gzip.compress(text)), { status });
}

function takesGzip(accepted: string | undefined): boolean {
  return /(?:^|[\s,])gzip(?:\s*;\s*q=(?:0\.\d*[1-9]|1))?\s*(?:,|$)/i.test(accepted ?? "");
}
