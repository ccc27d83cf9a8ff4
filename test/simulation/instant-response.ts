import { wholeBody } from "./whole-body.ts";

/**
 * Responses whose body is a text and there at once. A real one makes a stream of it, and both ends
 * of a request make one: together that costs as much as answering. All that makes a response in this
 * process gets it, so nothing but a simulation may install it.
 */
export function installInstantResponses(): void {
  globalThis.Response = InstantResponse as unknown as typeof Response;
}

const RealResponse = globalThis.Response;
const encoder = new TextEncoder();

type Content = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;

/** As much of a response as the server makes and the client reads. */
class InstantResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly #content: Content;

  constructor(content: Content = null, { status = 200, headers }: ResponseInit = {}) {
    this.status = status;
    this.headers = new Headers(headers);
    if (typeof content === "string" && !this.headers.has("content-type")) {
      this.headers.set("content-type", "text/plain;charset=UTF-8");
    }
    this.#content = content;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get body(): unknown {
    const content = this.#content;
    if (content === null || content instanceof ReadableStream) return content;
    return wholeBody(typeof content === "string" ? encoder.encode(content) : content);
  }

  async text(): Promise<string> {
    const content = this.#content;
    if (typeof content === "string") return content;
    if (content instanceof ReadableStream) return await new RealResponse(content).text();
    return content === null ? "" : Buffer.from(content).toString("utf8");
  }
}
