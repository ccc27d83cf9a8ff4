/** One HTTP request as it goes out. */
export interface NetworkRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
}

/** The part of a `Response` that is read of an answer. */
export interface NetworkResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array> | null;
}

/** The network. Rejects only where no answer came; redirects are not followed. */
export interface Network {
  send(request: NetworkRequest): Promise<NetworkResponse>;
  /**
   * Sends all but the last bytes of the body, which leave once `end` resolves: nobody can take what
   * came before for the whole of it. Absent where a network cannot.
   */
  sendHeld?(request: NetworkRequest, end: Promise<void>): Promise<NetworkResponse>;
}

/** Packs bodies. */
export interface Gzip {
  compress(content: string | Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
}
