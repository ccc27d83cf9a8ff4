import { errorKinds, type ErrorCode } from "../../packages/protocol/src/index.ts";

/** What a server answers that refuses a request. */
export function refusalOf(code: ErrorCode): Response {
  const { status, family, title } = errorKinds[code];
  const type = `urn:tidemark:problem:${code}`;
  const body = JSON.stringify({ type, title, status, code, family });
  return new Response(body, { status, headers: { "content-type": "application/problem+json" } });
}
