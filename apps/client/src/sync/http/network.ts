/** One HTTP request as it goes out. */
export interface NetworkRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
}

/** The network. Rejects only where no answer came; redirects are not followed. */
export interface Network {
  send(request: NetworkRequest): Promise<Response>;
}

/** Packs bodies. */
export interface Gzip {
  compress(text: string): Promise<Uint8Array<ArrayBuffer>>;
}
