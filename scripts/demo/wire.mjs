import { createServer, request as sendRequest } from "node:http";
import { gunzipSync } from "node:zlib";

/** Largest bodies the recorder keeps; the demo stays far below. */
const bodyBytesMax = 64 * 1024 * 1024;

/**
 * A recording HTTP proxy on the loopback address. Devices know it as the server's public address,
 * so each byte between them and the server passes here and can be searched afterwards. While it is
 * cut, connections are refused, as on a laptop without a network.
 */
export async function createWire() {
  const exchanges = [];
  const sockets = new Set();
  let port = 0;
  let upstream;
  let server;

  async function open() {
    server = createServer((incoming, outgoing) => {
      forward({ incoming, outgoing, upstream, exchanges });
    });
    server.on("connection", (socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    });
    await new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
    port = server.address().port;
  }

  async function cut() {
    if (server === undefined) return;
    const closing = server;
    server = undefined;
    await new Promise((resolve) => {
      closing.close(resolve);
      for (const socket of sockets) socket.destroy();
    });
  }

  await open();
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    exchanges,
    /** Names the port of the real server. */
    connectTo: (serverPort) => {
      upstream = serverPort;
    },
    cut,
    mend: open,
    /** Everything that passed, in clear, in both directions. */
    recording: () => exchanges.flatMap(readable),
    close: cut,
  };
}

function forward({ incoming, outgoing, upstream, exchanges }) {
  const exchange = {
    head: `${incoming.method} ${incoming.url}\n${incoming.rawHeaders.join("\n")}`,
    requestEncoding: incoming.headers["content-encoding"],
    requestBody: [],
    answerHead: "",
    answerEncoding: undefined,
    answerBody: [],
  };
  exchanges.push(exchange);
  if (upstream === undefined) {
    outgoing.writeHead(503).end();
    return;
  }
  const outward = sendRequest(
    {
      host: "127.0.0.1",
      port: upstream,
      method: incoming.method,
      path: incoming.url,
      headers: incoming.headers,
    },
    (answer) => {
      exchange.answerHead = `${answer.statusCode}\n${answer.rawHeaders.join("\n")}`;
      exchange.answerEncoding = answer.headers["content-encoding"];
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.on("data", (chunk) => exchange.answerBody.push(chunk));
      answer.pipe(outgoing);
      answer.on("error", () => outgoing.destroy());
    },
  );
  outward.on("error", () => {
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  });
  incoming.on("data", (chunk) => exchange.requestBody.push(chunk));
  incoming.pipe(outward);
  outgoing.on("close", () => outward.destroy());
}

function readable(exchange) {
  const name = exchange.head.split("\n")[0];
  return [
    { name: `${name} (headers)`, bytes: Buffer.from(`${exchange.head}\n${exchange.answerHead}`) },
    { name: `${name} (request)`, bytes: decoded(exchange.requestBody, exchange.requestEncoding) },
    { name: `${name} (answer)`, bytes: decoded(exchange.answerBody, exchange.answerEncoding) },
  ];
}

function decoded(chunks, encoding) {
  const bytes = Buffer.concat(chunks);
  if (encoding === undefined || encoding === "identity" || bytes.length === 0) return bytes;
  if (encoding !== "gzip") throw new Error(`a body on the wire is ${encoding}, which is not read`);
  return gunzipSync(bytes, { maxOutputLength: bodyBytesMax });
}
