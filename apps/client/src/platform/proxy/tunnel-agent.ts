import http, { type ClientRequest, type RequestOptions } from "node:http";
import https from "node:https";
import { isIPv6, type Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Why there is no way through a proxy; `code` tells it to whoever has no more of an error than that. */
export class ProxyError extends Error {
  readonly code: ProxyErrorCode;

  constructor(code: ProxyErrorCode) {
    super(`no way through the proxy: ${code}`);
    this.code = code;
  }
}

/** The proxy: what is named is none, not there, wants a password, forbids, reaches nobody. */
export type ProxyErrorCode =
  | "PROXY_UNUSABLE"
  | "PROXY_UNREACHABLE"
  | "PROXY_AUTHENTICATION"
  | "PROXY_REFUSED"
  | "PROXY_REACHES_NOBODY";

/** A request that goes through a tunnel says until when the tunnel is wanted. */
export interface TunnelOptions extends https.RequestOptions {
  readonly wanted?: AbortSignal | undefined;
}

/**
 * Connections to servers through tunnels of one proxy (`CONNECT`, RFC 9110 §9.3.6): TLS is with the
 * server, so the proxy learns its address and sees no request. They are kept open and used again as
 * any agent's are.
 */
export class TunnelAgent extends https.Agent {
  readonly #proxy: URL;

  constructor(proxy: URL, options: https.AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(
    options: TunnelOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const made = callback as (error: Error | null, stream?: Duplex | null) => void;
    const { ca } = this.options;
    askForTunnel({ proxy: this.#proxy, ca }, options, {
      onOpen: (socket) => {
        made(null, super.createConnection({ ...options, socket } as TunnelOptions));
      },
      onFailure: made,
    });
  }
}

/** A proxy, and who vouches for it where it speaks TLS itself; undefined: whom Node trusts. */
interface Door {
  readonly proxy: URL;
  readonly ca: https.AgentOptions["ca"];
}

interface TunnelCalls {
  /** Called with the connection behind which the server is. */
  readonly onOpen: (socket: Socket) => void;
  /** Called with a {@link ProxyError}, or with what says that nobody wants the tunnel any more. */
  readonly onFailure: (cause: Error) => void;
}

function askForTunnel(
  door: Door,
  { host, port, wanted }: TunnelOptions,
  { onOpen, onFailure }: TunnelCalls,
): void {
  const asked = connect(door, `${bracketed(host ?? "")}:${String(port ?? 443)}`, wanted);
  asked.once("connect", ({ statusCode = 0 }, socket: Socket) => {
    if (statusCode >= 200 && statusCode < 300) {
      onOpen(socket);
      return;
    }
    socket.destroy();
    onFailure(new ProxyError(refusalOf(statusCode)));
  });
  asked.on("error", (cause) => {
    onFailure(wanted?.aborted === true ? cause : new ProxyError("PROXY_UNREACHABLE"));
  });
  asked.end();
}

function connect(
  { proxy, ca }: Door,
  path: string,
  signal: AbortSignal | undefined,
): ClientRequest {
  const options: RequestOptions = {
    method: "CONNECT",
    path,
    headers: { host: path, ...credentialsOf(proxy) },
    agent: false,
    ...(signal === undefined ? {} : { signal }),
  };
  return proxy.protocol === "https:"
    ? https.request(proxy.origin, { ...options, ca })
    : http.request(proxy.origin, options);
}

function credentialsOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const words = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(words).toString("base64")}` };
}

function refusalOf(status: number): ProxyErrorCode {
  // Tinyproxy says 401 of a wrong password.
  if (status === 407 || status === 401) return "PROXY_AUTHENTICATION";
  return status >= 500 ? "PROXY_REACHES_NOBODY" : "PROXY_REFUSED";
}

function bracketed(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}
