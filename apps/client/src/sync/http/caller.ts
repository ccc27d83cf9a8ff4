/** One request to the server: address, proof, version, packing, time limit, and a typed answer. */
import { fail, ok, protocolVersion, versionHeader } from "@tidemark/protocol";
import type { z } from "zod";
import type { Credentials, ProofHeaders } from "../access/auth.ts";
import { untilAborted, type Timers } from "../ports.ts";
import { syncLimits } from "../sync-limits.ts";
import { cancelled, type Answer, type PackedBody } from "../transport.ts";
import { readText } from "./body.ts";
import {
  garbled,
  mediaTypeOf,
  notTidemark,
  parseJson,
  refusalOf,
  unreachable,
} from "./failures.ts";
import type { Gzip, Network, NetworkRequest, NetworkResponse } from "./network.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

/** What calling a server needs. */
export interface CallerDeps {
  /** The origin in use, such as `https://tidemark.example`; proofs name it. */
  readonly serverUrl: string;
  readonly network: Network;
  readonly timers: Timers;
  /** Undefined: calls go out without credentials, as in pairing. */
  readonly credentials?: Credentials | undefined;
  readonly gzip?: Gzip | undefined;
}

/** A request. */
export interface Call {
  readonly method: NetworkRequest["method"];
  /** Without query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Its text, or what {@link Caller.pack} made of that. */
  readonly body?: { readonly type: string; readonly content: string | PackedBody };
  readonly headers?: Readonly<Record<string, string>>;
  /** Media type of a good answer. */
  readonly accept: string;
  readonly bytesMax?: number;
  /** Without credentials, although there are some. */
  readonly isOpen?: boolean;
  /** Told when the request goes to the network; a second time where it goes again. */
  readonly onSent?: (() => void) | undefined;
}

/** Calls a server. */
export interface Caller {
  readonly serverUrl: string;
  /** Packs a body before its turn; undefined where it goes out as it is. */
  pack(text: string): PackedBody | undefined;
  /** The text of a good answer of the media type asked for. */
  text(call: Call, signal: AbortSignal): Promise<Answer<string>>;
  /** The JSON of a good answer, checked. */
  json<T>(
    call: Omit<Call, "accept">,
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<Answer<T>>;
  /** A good answer whose body is read by the caller, under their own watchdog. */
  open(call: Call, watchdog: Watchdog): Promise<Answer<NetworkResponse>>;
}

/** Makes the caller of one server. */
export function createCaller(deps: CallerDeps): Caller {
  const open = (call: Call, watchdog: Watchdog): Promise<Answer<NetworkResponse>> =>
    openCall(deps, call, watchdog);
  const text = async (call: Call, signal: AbortSignal): Promise<Answer<string>> => {
    const { requestSilenceMsMax: silenceMs, requestMsMax: lifeMs } = syncLimits;
    const watchdog = createWatchdog(deps.timers, signal, { silenceMs, lifeMs });
    const response = await openCall(deps, call, watchdog);
    const answer = response.ok
      ? await readText(response.value, call.bytesMax ?? syncLimits.answerBytesMax, watchdog)
      : response;
    watchdog.release();
    return signal.aborted ? fail(cancelled) : answer;
  };
  return {
    serverUrl: deps.serverUrl,
    pack: (text) => {
      const packed = packedText(deps, text);
      // Whoever sends it is told of a failure; there may be nobody.
      packed?.catch(() => undefined);
      return packed;
    },
    open,
    text,
    json: async (call, schema, signal) => {
      const answer = await text({ ...call, accept: "application/json" }, signal);
      if (!answer.ok) return answer;
      const parsed = schema.safeParse(parseJson(answer.value));
      return parsed.success ? ok(parsed.data) : fail(garbled);
    },
  };
}

/** Sends; where the server does not take the token, once more with a new one (AU52). */
async function openCall(
  deps: CallerDeps,
  call: Call,
  watchdog: Watchdog,
): Promise<Answer<NetworkResponse>> {
  const { credentials } = deps;
  if (credentials === undefined || call.isOpen === true) {
    return await sendCall(deps, call, { proof: {}, watchdog });
  }
  const subject = { method: call.method, url: `${deps.serverUrl}${call.path}` };
  const proof = await credentials.headers(subject, watchdog.signal);
  if (!proof.ok) return proof;
  const first = await sendCall(deps, call, { proof: proof.value, watchdog });
  if (first.ok || first.error.code !== "invalid-token") return first;
  const renewed = await credentials.renew(proof.value.authorization, watchdog.signal);
  if (!renewed.ok) return renewed;
  const fresh = await credentials.headers(subject, watchdog.signal);
  return fresh.ok ? await sendCall(deps, call, { proof: fresh.value, watchdog }) : fresh;
}

interface Way {
  readonly proof: Readonly<Record<string, string>> | ProofHeaders;
  readonly watchdog: Watchdog;
}

async function sendCall(
  deps: CallerDeps,
  call: Call,
  { proof, watchdog }: Way,
): Promise<Answer<NetworkResponse>> {
  const headers: Record<string, string> = {
    ...call.headers,
    ...proof,
    accept: call.accept,
    [versionHeader]: String(protocolVersion),
  };
  const body = await bodyOf(deps, call, headers);
  const hasQuery = Object.keys(call.query ?? {}).length > 0;
  const query = hasQuery ? `?${new URLSearchParams(call.query).toString()}` : "";
  const sending = sendRequest(deps.network, {
    method: call.method,
    url: `${deps.serverUrl}${call.path}${query}`,
    headers,
    ...(body === undefined ? {} : { body }),
    signal: watchdog.signal,
  });
  call.onSent?.();
  const response = await sending;
  if (response === undefined) return fail(unreachable);
  watchdog.touch();
  return await judge(response, call, watchdog);
}

async function judge(
  response: NetworkResponse,
  call: Call,
  watchdog: Watchdog,
): Promise<Answer<NetworkResponse>> {
  if (response.status === 204) return ok(response);
  if (response.status >= 200 && response.status < 300) {
    if (mediaTypeOf(response) === call.accept) return ok(response);
    // Not waited for: a body that never ends may never let itself be given up either.
    response.body?.cancel().catch(() => undefined);
    return fail(notTidemark);
  }
  const body = await readText(response, syncLimits.answerBytesMax, watchdog);
  return fail(refusalOf(response, body.ok ? body.value : ""));
}

async function sendRequest(
  network: Network,
  request: NetworkRequest,
): Promise<NetworkResponse | undefined> {
  try {
    if (request.signal.aborted) return undefined;
    return await untilAborted(network.send(request), request.signal);
  } catch {
    // No answer came; why is the operating system's business and differs from one to the next.
    return undefined;
  }
}

async function bodyOf(
  deps: CallerDeps,
  { body }: Call,
  headers: Record<string, string>,
): Promise<NetworkRequest["body"]> {
  if (body === undefined) return undefined;
  headers["content-type"] = body.type;
  const { content } = body;
  const packed = typeof content === "string" ? packedText(deps, content) : content;
  if (packed === undefined) return await content;
  headers["content-encoding"] = "gzip";
  return await packed;
}

function packedText({ gzip }: CallerDeps, text: string): PackedBody | undefined {
  return text.length < syncLimits.gzipBytesMin ? undefined : gzip?.compress(text);
}
