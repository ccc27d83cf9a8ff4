import type { PageLine } from "../../store/prepared/page-columns.ts";
import type { Answer } from "../transport.ts";

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
  /** The body's lines, where {@link Network.sendForLines} reads them; there is no body then. */
  readonly lines?: Promise<Answer<readonly PageLine[]>> | undefined;
}

/** How an answer of lines is to be read. */
export interface LineReading {
  /** Media type of a good answer; the lines of another are not read. */
  readonly type: string;
  /** How large a good answer may be. */
  readonly bytesMax: number;
  /** About how many lines are still to come: for a few, nothing is worth being set up. */
  readonly rest: number;
  /** Called whenever something of the answer came. */
  readonly onHeard: () => void;
}

/** The network. Rejects only where no answer came; redirects are not followed. */
export interface Network {
  send(request: NetworkRequest): Promise<NetworkResponse>;
  /**
   * Sends all but the last bytes of the body, which leave once `end` resolves: nobody can take what
   * came before for the whole of it. Absent where a network cannot.
   */
  sendHeld?(request: NetworkRequest, end: Promise<void>): Promise<NetworkResponse>;
  /**
   * Sends a request without a body; may read a good answer to its end beside what this process does
   * meanwhile. Absent where a network cannot.
   */
  sendForLines?(request: NetworkRequest, reading: LineReading): Promise<NetworkResponse>;
}

/** Packs bodies. */
export interface Gzip {
  compress(content: string | Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
}
