import { serverLimits } from "../limits.ts";

const { answerBytesMax, answerMsMax } = serverLimits.issuers;

/** What is asked of an issuer. */
interface Asked {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Gets what an issuer of tokens publishes. No redirect is followed, for the address was checked and
 * another one was not; no more is read than such a document can have.
 */
export async function fetchFromIssuer(
  url: string,
  signal?: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { accept: "application/json" };
  const { status, text } = await ask(url, { method: "GET", headers, signal });
  return { status, text };
}

/** Asks a provider of OpenID Connect, within the same bounds. */
export async function fetchFromProvider(url: string, asked: Asked): Promise<Response> {
  const { status, text, type } = await ask(url, asked);
  return new Response(text, { status, headers: { "content-type": type } });
}

async function ask(
  url: string,
  { method, headers, body, signal }: Asked,
): Promise<{ readonly status: number; readonly text: string; readonly type: string }> {
  const inTime = AbortSignal.timeout(answerMsMax);
  const response = await fetch(url, {
    method,
    headers: { ...headers, "user-agent": "tidemark-server" },
    signal: signal === undefined ? inTime : AbortSignal.any([signal, inTime]),
    redirect: "error",
    ...(body === undefined ? {} : { body }),
  });
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) throw new Error("the issuer's answer is too long");
    text += decoder.decode(chunk, { stream: true });
  }
  const type = response.headers.get("content-type") ?? "";
  return { status: response.status, text: text + decoder.decode(), type };
}
