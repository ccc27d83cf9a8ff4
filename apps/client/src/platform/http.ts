/** One HTTP request; the answer's body may be streamed. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
}

/** The network, passed in so that tests and the simulator own it. */
export interface HttpClient {
  /** Rejects only where no answer came. A redirect is a failure: proofs are bound to one host. */
  send(request: HttpRequest): Promise<Response>;
}

/** Node's fetch. */
export const systemHttp: HttpClient = {
  send: ({ method, url, headers, body, signal }) =>
    fetch(url, {
      method,
      headers: { ...headers },
      redirect: "error",
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    }),
};
