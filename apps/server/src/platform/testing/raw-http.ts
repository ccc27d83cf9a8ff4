import { connect } from "node:net";

/** Sends bytes as they are and reads the answer until the server closes. */
export async function exchange(port: number, bytes: string | Uint8Array): Promise<string> {
  return await new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk.toString("utf8");
    });
    socket.on("error", (cause) => {
      // A server that has answered may reset what it did not read.
      if (answer === "") reject(cause);
    });
    socket.on("close", () => {
      resolve(answer);
    });
    socket.write(bytes);
  });
}

/** The status of each answer in what a connection gave. */
export function statuses(answer: string): readonly number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
