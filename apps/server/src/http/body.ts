import { fail, ok, type Result } from "@tidemark/protocol";
import { linesOfBody, ndjsonType } from "@tidemark/protocol/wire";
import type { Context } from "hono";
import type { z } from "zod";
import type { Gzip } from "./app-deps.ts";
import type { AppEnv } from "./app-env.ts";
import { repeatsMember } from "./repeated-member.ts";

/** What a route takes as its body. */
export interface BodyRule {
  readonly media: "json" | "ndjson" | "form";
  /** Bytes before and, for gzip, after expansion. */
  readonly bytesMax: number;
}

/** A body that was read: its lines where it is newline-delimited, else its text; the other is empty. */
export interface ReadBody {
  readonly text: string;
  readonly lines: readonly string[];
  /** Its bytes as they came, before they were expanded; proofs are about them (AU18). */
  readonly sent: Uint8Array;
}

/** Why a body is not taken; each is an error code. */
export type BodyError = "too-large" | "unsupported-media-type" | "invalid";

const mediaTypes = {
  json: "application/json",
  ndjson: ndjsonType,
  form: "application/x-www-form-urlencoded",
} as const;

/**
 * Reads a body (WR12): the media type of the route, identity or gzip and nothing that
 * packs tighter, never more bytes than allowed on either side, and only well-formed UTF-8.
 */
export async function readBody(
  deps: { readonly gzip: Gzip },
  c: Context<AppEnv>,
  rule: BodyRule,
): Promise<Result<ReadBody, BodyError>> {
  if (headerText(c, "content-type").split(";")[0]?.trim() !== mediaTypes[rule.media]) {
    return fail("unsupported-media-type");
  }
  const encoding = headerText(c, "content-encoding") || "identity";
  if (encoding !== "identity" && encoding !== "gzip") return fail("unsupported-media-type");
  if (Number(headerText(c, "content-length")) > rule.bytesMax) return fail("too-large");
  const sent = await readBytes(c.req.raw.body, rule.bytesMax);
  if (!sent.ok) return sent;
  const bytes =
    encoding === "identity" ? sent.value : await deps.gzip.expand(sent.value, rule.bytesMax);
  if (bytes === "too-large") return fail("too-large");
  const content = bytes === "malformed" ? undefined : contentOf(bytes, rule.media);
  return content === undefined ? fail("invalid") : ok({ ...content, sent: sent.value });
}

/**
 * Reads JSON text by a schema; whatever is wrong with it, the answer is the same. A member that
 * stands twice is wrong (WR22): what looked at the text before may have seen the other one.
 */
export function parseJson<T>(schema: z.ZodType<T>, text: string): Result<T, "invalid"> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail("invalid");
  }
  if (repeatsMember(text)) return fail("invalid");
  const parsed = schema.safeParse(value);
  return parsed.success ? ok(parsed.data) : fail("invalid");
}

function headerText(c: Context<AppEnv>, name: string): string {
  return (c.req.header(name) ?? "").trim().toLowerCase();
}

async function readBytes(
  stream: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<Result<Uint8Array, BodyError>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (stream === null) return ok(new Uint8Array());
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > bytesMax) {
      await reader.cancel();
      return fail("too-large");
    }
    chunks.push(value);
  }
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return ok(only);
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return ok(bytes);
}

/** Undefined where the bytes are no UTF-8. */
function contentOf(
  bytes: Uint8Array,
  media: BodyRule["media"],
): Pick<ReadBody, "text" | "lines"> | undefined {
  if (media === "ndjson") {
    const lines = linesOfBody(bytes);
    return lines && { text: "", lines };
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, lines: [] };
  } catch {
    return undefined;
  }
}
