import { createServer } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import { connect, type AddressInfo, type Socket } from "node:net";

/** What a proxy is told before a tunnel is opened. */
export interface TunnelAsked {
  readonly path: string | undefined;
  readonly host: string | undefined;
  readonly authorization: string | undefined;
}

/** A proxy on this machine that leads all tunnels to one port, whatever name they are asked for. */
export interface TestProxy {
  readonly url: string;
  readonly asked: readonly TunnelAsked[];
  /** The status it answers with from now on, or what it does in its place. */
  answer: number | "nothing" | "broken off" | "no HTTP";
  /** Connections of devices that are open. */
  open(): number;
  close(): Promise<void>;
}

/** Starts one; with a key and its certificate it speaks TLS. */
export async function startTestProxy(port: number, secrets?: ServerOptions): Promise<TestProxy> {
  const asked: TunnelAsked[] = [];
  const open = new Set<Socket>();
  const server = secrets === undefined ? createServer() : createTlsServer(secrets);
  const proxy: TestProxy = {
    url: "",
    asked,
    answer: 200,
    open: () => open.size,
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket)).on("error", () => undefined);
  });
  server.on("connect", ({ url, headers }, socket: Socket) => {
    const { host, "proxy-authorization": authorization } = headers;
    asked.push({ path: url, host, authorization });
    const { answer } = proxy;
    // Whoever leaves is seen by what is read, and has to be let go.
    if (answer !== 200) socket.resume().once("end", () => socket.end());
    if (answer === "nothing") return;
    if (answer === "broken off") socket.destroy();
    else if (answer === "no HTTP") socket.end("220 mail.example ESMTP\r\n\r\n");
    else if (answer === 200) lead(socket, port);
    else socket.write(`HTTP/1.1 ${answer} No\r\nlocation: /\r\ncontent-length: 2\r\n\r\nno`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as AddressInfo;
  return Object.assign(proxy, {
    url: `${secrets === undefined ? "http" : "https"}://127.0.0.1:${own}`,
  });
}

function lead(from: Socket, port: number): void {
  const to = connect(port, "127.0.0.1", () => {
    from.write("HTTP/1.1 200 Connection established\r\n\r\n");
    from.pipe(to).pipe(from);
  });
  to.on("error", () => from.destroy()).once("close", () => from.destroy());
  from.once("close", () => to.destroy());
}
