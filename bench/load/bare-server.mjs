// The least that a server can do, for bench/load.ts: `node:http` alone, which reads what it is sent
// and answers the bytes that it was told beforehand, and holds streams of events.
//
//   POST /answer/push, /answer/pull   what to answer from then on
//   POST|GET /push, /pull             that answer
//   GET /pokes                        a stream; POST /poke writes the body to each
import { createServer } from "node:http";

const answers = new Map();
const streams = new Set();

const server = createServer((request, response) => {
  const path = request.url ?? "";
  if (path === "/pokes") {
    response.writeHead(200, { "content-type": "text/event-stream", "x-accel-buffering": "no" });
    response.write(": pokes\n\n");
    streams.add(response);
    response.once("close", () => streams.delete(response));
    return;
  }
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.once("end", () => {
    const body = Buffer.concat(parts);
    if (path.startsWith("/answer/")) answers.set(path.slice("/answer".length), body);
    if (path === "/poke") for (const stream of streams) stream.write(body);
    response.end(answers.get(path) ?? "ok");
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
