import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { connect } from "node:tls";
import { exampleHost, type Proxy } from "./proxies.ts";

/** From where a caller calls: any address of 127.0.0.0/8 is this machine's on Linux. */
interface Place {
  readonly localAddress?: string;
}

/** Sends a request to a proxy as a client does that knows the server by its public address. */
export async function fetchOverTls(
  proxy: Pick<Proxy, "port" | "ca">,
  request: Request,
  place: Place = {},
): Promise<Response> {
  const url = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  const headers: Record<string, string> = { host: exampleHost };
  for (const [name, value] of request.headers) headers[name] = value;
  if (body.length > 0) headers["content-length"] = String(body.length);
  return await new Promise((resolve, reject) => {
    const sent = httpsRequest(
      {
        host: "127.0.0.1",
        port: proxy.port,
        servername: exampleHost,
        ca: proxy.ca,
        method: request.method,
        path: url.pathname + url.search,
        headers,
        agent: false,
        ...place,
      },
      (incoming) => {
        const { statusCode = 0 } = incoming;
        const fields = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        const text = statusCode === 204 ? null : (Readable.toWeb(incoming) as ReadableStream);
        resolve(new Response(text, { status: statusCode, headers: fields }));
      },
    );
    sent.once("error", reject);
    sent.end(body);
  });
}

/** Sends bytes as they are, and gives all that was answered until the proxy closes. */
export async function exchangeOverTls(
  proxy: Pick<Proxy, "port" | "ca">,
  bytes: string,
): Promise<string> {
  return await new Promise((resolve, reject) => {
    const socket = connect({
      host: "127.0.0.1",
      port: proxy.port,
      servername: exampleHost,
      ca: proxy.ca,
    });
    let answer = "";
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString("latin1");
    });
    socket.once("error", (cause) => {
      if (answer === "") reject(cause);
    });
    socket.once("close", () => {
      resolve(answer);
    });
    socket.write(bytes, "latin1");
  });
}
