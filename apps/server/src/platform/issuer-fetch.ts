import { serverLimits } from "../limits.ts";

const { answerBytesMax, answerMsMax } = serverLimits.issuers;

/**
 * Gets what an issuer of tokens publishes. No redirect is followed, for the address was checked and
 * another one was not; no more is read than such a document can have.
 */
export async function fetchFromIssuer(
  url: string,
  signal?: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { accept: "application/json", "user-agent": "tidemark-server" };
  const inTime = AbortSignal.timeout(answerMsMax);
  const ends = signal === undefined ? inTime : AbortSignal.any([signal, inTime]);
  const response = await fetch(url, { headers, signal: ends, redirect: "error" });
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) throw new Error("the issuer's answer is too long");
    text += decoder.decode(chunk, { stream: true });
  }
  return { status: response.status, text: text + decoder.decode() };
}
