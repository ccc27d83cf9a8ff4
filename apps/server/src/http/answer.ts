import { bodyOfLines, ndjsonType } from "@tidemark/protocol/wire";
import type { Gzip } from "./app-deps.ts";
import type { Call } from "./app-env.ts";

/** Shorter answers are not worth compressing; of a text its characters count. */
const gzipBytesMin = 1_024;

/** Answers with one JSON document. */
export async function answerJson(
  deps: { readonly gzip: Gzip },
  call: Call,
  value: object,
  status: 200 | 201 = 200,
): Promise<Response> {
  return await answerContent(deps, call, {
    content: JSON.stringify(value),
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
  return await answerContent(deps, call, {
    content: bodyOfLines([...answer.lines, JSON.stringify(answer.tail)]),
    type: ndjsonType,
    status: 200,
  });
}

/** Answers with what is ready to go out. */
export async function answerContent(
  deps: { readonly gzip: Gzip },
  { c }: Call,
  answer: {
    readonly content: string | Uint8Array<ArrayBuffer>;
    readonly type: string;
    readonly status: 200 | 201;
  },
): Promise<Response> {
  const { content, type, status } = answer;
  c.header("Content-Type", type);
  c.header("Vary", "Accept-Encoding");
  if (content.length < gzipBytesMin || !takesGzip(c.req.header("accept-encoding"))) {
    return c.newResponse(content, { status });
  }
  c.header("Content-Encoding", "gzip");
  return c.newResponse(new Uint8Array(await deps.gzip.compress(content)), { status });
}

function takesGzip(accepted: string | undefined): boolean {
  return /(?:^|[\s,])gzip(?:\s*;\s*q=(?:0\.\d*[1-9]|1))?\s*(?:,|$)/i.test(accepted ?? "");
}
