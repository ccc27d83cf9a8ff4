import { fail, ok, type Result } from "@tidemark/protocol";
import { ndjsonType } from "@tidemark/protocol/wire";
import type { Context } from "hono";
import type { z } from "zod";
import type { Expanded, Expander, Gzip } from "./app-deps.ts";
import type { AppEnv } from "./app-env.ts";
import {
  createLinesReader,
  createTextReader,
  type Content,
  type ContentReader,
  type OnLines,
} from "./body-content.ts";
import { repeatsMember } from "./repeated-member.ts";

/** What a route takes as its body. */
export interface BodyRule {
  readonly media: "json" | "ndjson" | "form";
  /** Bytes before and, for gzip, after expansion. */
  readonly bytesMax: number;
}

/** A body that was read. */
export interface ReadBody extends Content {
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
 *
 * @param onLines is told lines of a newline-delimited body before the rest of it has come (PS34)
 */
export async function readBody(
  deps: { readonly gzip: Gzip },
  c: Context<AppEnv>,
  rule: BodyRule,
  onLines?: OnLines,
): Promise<Result<ReadBody, BodyError>> {
  const encoding = encodingOf(c, rule);
  if (!encoding.ok) return encoding;
  const expander =
    encoding.value === "identity" ? identity : deps.gzip.createExpander(rule.bytesMax);
  const content = rule.media === "ndjson" ? createLinesReader(onLines) : createTextReader();
  const unpacked = unpackInto(content, expander);
  try {
    const sent = await readBytes(c.req.raw.body, rule.bytesMax, onLines && unpacked.add);
    if (!sent.ok) return sent;
    if (onLines === undefined) await unpacked.add(sent.value);
    const read = await unpacked.end();
    return read.ok ? ok({ ...read.value, sent: sent.value }) : read;
  } finally {
    expander.close();
  }
}

/** How a body is packed, where its head says nothing that is not taken. */
function encodingOf(c: Context<AppEnv>, rule: BodyRule): Result<"identity" | "gzip", BodyError> {
  if (headerText(c, "content-type").split(";")[0]?.trim() !== mediaTypes[rule.media]) {
    return fail("unsupported-media-type");
  }
  const encoding = headerText(c, "content-encoding") || "identity";
  if (encoding !== "identity" && encoding !== "gzip") return fail("unsupported-media-type");
  if (Number(headerText(c, "content-length")) > rule.bytesMax) return fail("too-large");
  return ok(encoding);
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

const identity: Expander = {
  add: (bytes) => Promise.resolve([bytes]),
  end: () => Promise.resolve([]),
  close: () => undefined,
};

interface Unpacked {
  readonly add: (bytes: Uint8Array) => Promise<void>;
  readonly end: () => Promise<Result<Content, BodyError>>;
}

/** So many bytes are worth the way to the thread that expands them. */
const gatheredBytes = 2_048;

/** Of a body that is ill nothing more is unpacked; why is told at its end. */
function unpackInto(content: ContentReader, expander: Expander): Unpacked {
  let error: BodyError | undefined;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const take = (expanded: Expanded): void => {
    if (expanded === "too-large") error = "too-large";
    else if (expanded === "malformed" || !expanded.every((piece) => content.add(piece))) {
      error = "invalid";
    }
  };
  const expand = async (): Promise<void> => {
    const bytes = joined(waiting, waitingBytes);
    waiting = [];
    waitingBytes = 0;
    if (error === undefined) take(await expander.add(bytes));
  };
  return {
    add: async (bytes) => {
      waiting.push(bytes);
      waitingBytes += bytes.byteLength;
      if (waitingBytes >= gatheredBytes) await expand();
    },
    end: async () => {
      if (waitingBytes > 0) await expand();
      if (error === undefined) take(await expander.end());
      const read = error === undefined ? content.end() : undefined;
      return read === undefined ? fail(error ?? "invalid") : ok(read);
    },
  };
}

/** Tells each chunk while it comes; of too many bytes no more are read. */
async function readBytes(
  stream: ReadableStream<Uint8Array> | null,
  bytesMax: number,
  onChunk?: (chunk: Uint8Array) => Promise<void>,
): Promise<Result<Uint8Array, BodyError>> {
  const reader = stream?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const next = await readNext(reader);
    if (!next.ok) return next;
    if (next.value === undefined) break;
    size += next.value.byteLength;
    if (size > bytesMax) {
      await reader?.cancel();
      return fail("too-large");
    }
    chunks.push(next.value);
    await onChunk?.(next.value);
  }
  return ok(joined(chunks, size));
}

/** One piece is not copied. */
function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const [only = new Uint8Array()] = pieces;
  return pieces.length > 1 ? Buffer.concat(pieces, size) : only;
}

/**
 * The next chunk, where there is one. Whoever goes away in the middle of a body, as clients do that
 * give up a push of which they have kept the end back (PS33), makes the server fail in nothing.
 */
async function readNext(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
): Promise<Result<Uint8Array | undefined, "invalid">> {
  try {
    const next = await reader?.read();
    return ok(next?.value);
  } catch {
    return fail("invalid");
  }
}
