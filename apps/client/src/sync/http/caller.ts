/** One request to the server: address, proof, version, packing, time limit, and a typed answer. */
import { fail, nonceHeader, ok, protocolVersion, versionHeader } from "@tidemark/protocol";
import type { z } from "zod";
import type { Credentials, ProofHeaders } from "../access/auth.ts";
import type { PageLine } from "../../store/prepared/page-columns.ts";
import { untilAborted, type Timers } from "../ports.ts";
import { syncLimits } from "../sync-limits.ts";
import { cancelled, type Answer, type PackedBody } from "../transport.ts";
import { readLines, readText } from "./body.ts";
import { garbled, notTidemark, parseJson, refusalOf, unreachable } from "./failures.ts";
import { isGood } from "./media-type.ts";
import type { Gzip, Network, NetworkRequest, NetworkResponse } from "./network.ts";
import { unansweredBy } from "./unanswered.ts";
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
  /** Its text or bytes, or what {@link Caller.pack} made of them. */
  readonly body?: { readonly type: string; readonly content: Content | PackedBody };
  readonly headers?: Readonly<Record<string, string>>;
  /** Media type of a good answer. */
  readonly accept: string;
  readonly bytesMax?: number;
  /** Without credentials, although there are some. */
  readonly isOpen?: boolean;
  /** The end of the body leaves once this resolves, where the network can hold it. */
  readonly end?: Promise<void> | undefined;
  /** About how many lines are still to come, where this process does something else meanwhile. */
  readonly restAhead?: number | undefined;
  /** Told when the request goes to the network; a second time where it goes again. */
  readonly onSent?: (() => void) | undefined;
  /** Told the nonce that the answer brought. */
  readonly onNonce?: ((nonce: string) => void) | undefined;
}

type Content = string | Uint8Array<ArrayBuffer>;

/** Calls a server. */
export interface Caller {
  readonly serverUrl: string;
  /** Whether {@link Call.end} is waited for. */
  readonly canHoldEnds?: boolean;
  /** Packs a body before its turn; undefined where it goes out as it is. */
  pack(content: Content): PackedBody | undefined;
  /** The text of a good answer of the media type asked for. */
  text(call: Call, signal: AbortSignal): Promise<Answer<string>>;
  /** The lines of a good answer of the media type asked for; the last is whole. */
  lines(call: Call, signal: AbortSignal): Promise<Answer<readonly PageLine[]>>;
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
  const read = async <T>(
    call: Call,
    signal: AbortSignal,
    readBody: BodyReader<T>,
  ): Promise<Answer<T>> => {
    const { requestSilenceMsMax: silenceMs, requestMsMax: lifeMs } = syncLimits;
    const watchdog = createWatchdog(deps.timers, signal, { silenceMs, lifeMs });
    const answer = await readWatched(deps, call, watchdog, readBody);
    if (signal.aborted) return fail(cancelled);
    // What credentials take for a caller that gave up is this call's own watchdog (WR34).
    return !answer.ok && answer.error.code === cancelled.code ? fail(unreachable) : answer;
  };
  return {
    serverUrl: deps.serverUrl,
    canHoldEnds: deps.network.sendHeld !== undefined,
    pack: (content) => {
      const packed = packedContent(deps, content);
      // Whoever sends it is told of a failure; there may be nobody.
      packed?.catch(() => undefined);
      return packed;
    },
    open,
    text: (call, signal) => read(call, signal, readText),
    lines: (call, signal) => read(call, signal, readOnce),
    json: async (call, schema, signal) => {
      const answer = await read({ ...call, accept: "application/json" }, signal, readText);
      if (!answer.ok) return answer;
      const parsed = schema.safeParse(parseJson(answer.value));
      return parsed.success ? ok(parsed.data) : fail(garbled);
    },
  };
}

/** Whatever becomes of it, nothing watches on: a timer would keep the program for a minute (EN29). */
async function readWatched<T>(
  deps: CallerDeps,
  call: Call,
  watchdog: Watchdog,
  readBody: BodyReader<T>,
): Promise<Answer<T>> {
  try {
    const response = await openCall(deps, call, watchdog);
    if (!response.ok) return response;
    return await readBody(response.value, call.bytesMax ?? syncLimits.answerBytesMax, watchdog);
  } finally {
    watchdog.release();
  }
}

/** The lines of a body, unless the network reads them. */
const readOnce: BodyReader<readonly PageLine[]> = async (response, bytesMax, watchdog) => {
  const { lines } = response;
  if (lines === undefined) return await readLines(response, bytesMax, watchdog);
  return (await untilAborted(lines, watchdog.signal)) ?? fail(garbled);
};

type BodyReader<T> = (
  response: NetworkResponse,
  bytesMax: number,
  watchdog: Watchdog,
) => Promise<Answer<T>>;

/** Sends; where the server does not take the token, once more with a new one (AU52, AU61). */
async function openCall(
  deps: CallerDeps,
  call: Call,
  watchdog: Watchdog,
): Promise<Answer<NetworkResponse>> {
  const { credentials } = deps;
  const body = await bodyOf(deps, call);
  if (credentials === undefined || call.isOpen === true) {
    return await sendCall(deps, call, { proof: {}, body, watchdog });
  }
  const way = { credentials, body, watchdog };
  const { answer, shown } = await sendProven(deps, call, way);
  if (answer.ok || shown === undefined || answer.error.code !== "invalid-token") return answer;
  const renewed = await credentials.renew(shown, watchdog.signal);
  return renewed.ok ? (await sendProven(deps, call, way)).answer : renewed;
}

interface ProvenWay {
  readonly credentials: Credentials;
  readonly body: OwnBody | undefined;
  readonly watchdog: Watchdog;
}

interface ProvenAnswer {
  readonly answer: Answer<NetworkResponse>;
  /** The token that was shown; undefined where none was to be had and nothing was sent. */
  readonly shown: string | undefined;
}

/** Sends with a proof; where only a nonce is missing, once more with the one that came (AU61). */
async function sendProven(
  deps: CallerDeps,
  call: Call,
  { credentials, body, watchdog }: ProvenWay,
): Promise<ProvenAnswer> {
  const url = `${deps.serverUrl}${call.path}`;
  const subject = { method: call.method, url, query: queryOf(call), body: body?.content };
  const send = async (): Promise<ProvenAnswer> => {
    const proof = await credentials.headers(subject, watchdog.signal);
    if (!proof.ok) return { answer: proof, shown: undefined };
    const answer = await sendCall(deps, call, { proof: proof.value, body, watchdog });
    return { answer, shown: proof.value.authorization };
  };
  const first = await send();
  const isStale = !first.answer.ok && first.answer.error.code === "use-dpop-nonce";
  return isStale ? await send() : first;
}

/** A body as it goes out. */
interface OwnBody {
  readonly content: Content;
  readonly headers: Readonly<Record<string, string>>;
}

interface Way {
  readonly proof: Readonly<Record<string, string>> | ProofHeaders;
  readonly body: OwnBody | undefined;
  readonly watchdog: Watchdog;
}

async function sendCall(
  deps: CallerDeps,
  call: Call,
  { proof, body, watchdog }: Way,
): Promise<Answer<NetworkResponse>> {
  const headers: Record<string, string> = {
    ...call.headers,
    ...proof,
    ...body?.headers,
    accept: call.accept,
    [versionHeader]: String(protocolVersion),
  };
  const query = queryOf(call);
  const request: NetworkRequest = {
    method: call.method,
    url: `${deps.serverUrl}${call.path}${query === "" ? "" : `?${query}`}`,
    headers,
    ...(body === undefined ? {} : { body: body.content }),
    signal: watchdog.signal,
  };
  const onHeard = (): void => {
    watchdog.touch();
  };
  const sending = sendRequest(deps.network, request, { call, onHeard });
  call.onSent?.();
  const sent = await sending;
  if (!sent.ok) return sent;
  const response = sent.value;
  watchdog.touch();
  const nonce = response.headers.get(nonceHeader);
  if (nonce !== null) {
    call.onNonce?.(nonce);
    deps.credentials?.keepNonce(nonce);
  }
  return await judge(response, call, watchdog);
}

/** The query as it goes out, and as the proof names it; empty where there is none. */
function queryOf({ query = {} }: Call): string {
  return new URLSearchParams(query).toString();
}

async function judge(
  response: NetworkResponse,
  call: Call,
  watchdog: Watchdog,
): Promise<Answer<NetworkResponse>> {
  if (response.status === 204) return ok(response);
  if (isGood(response, call.accept)) return ok(response);
  if (response.status >= 200 && response.status < 300) {
    // Not waited for: a body that never ends may never let itself be given up either.
    response.body?.cancel().catch(() => undefined);
    return fail(notTidemark);
  }
  const body = await readText(response, syncLimits.answerBytesMax, watchdog);
  return fail(refusalOf(response, body.ok ? body.value : ""));
}

interface Sending {
  readonly call: Call;
  readonly onHeard: () => void;
}

async function sendRequest(
  network: Network,
  request: NetworkRequest,
  sending: Sending,
): Promise<Answer<NetworkResponse>> {
  try {
    if (request.signal.aborted) return fail(unreachable);
    const answer = answerTo(network, request, sending);
    const response = answer && (await untilAborted(answer, request.signal));
    return response === undefined ? fail(unreachable) : ok(response);
  } catch (cause) {
    return fail(unansweredBy(cause));
  }
}

function answerTo(
  network: Network,
  request: NetworkRequest,
  { call, onHeard }: Sending,
): Promise<NetworkResponse> | undefined {
  const { end, restAhead: rest, accept: type, bytesMax = syncLimits.answerBytesMax } = call;
  if (end !== undefined) return network.sendHeld?.(request, end);
  if (rest === undefined || network.sendForLines === undefined) return network.send(request);
  return network.sendForLines(request, { type, bytesMax, rest, onHeard });
}

async function bodyOf(deps: CallerDeps, { body }: Call): Promise<OwnBody | undefined> {
  if (body === undefined) return undefined;
  const { type, content } = body;
  const packed = content instanceof Promise ? content : packedContent(deps, content);
  if (packed === undefined) {
    return { content: await content, headers: { "content-type": type } };
  }
  const headers = { "content-type": type, "content-encoding": "gzip" };
  return { content: await packed, headers };
}

function packedContent({ gzip }: CallerDeps, content: Content): PackedBody | undefined {
  return content.length < syncLimits.gzipBytesMin ? undefined : gzip?.compress(content);
}
