import { gzipSync } from "node:zlib";
import { createServer, request } from "node:http";
import { expect, test } from "vitest";
import { foundIn, needlesOf } from "./byte-search.mjs";
import { createSecrets, partsOf } from "./secrets.mjs";
import { createWire } from "./wire.mjs";

/** What the search looks for, for all the secrets of one run. */
const secrets: Readonly<Record<string, string>> = createSecrets();

function needlesFor(secret: string): readonly string[] {
  return partsOf(secret).flatMap((line: string) => needlesOf(line));
}

test.each(Object.keys(secrets))(
  "the search finds a leaked %s, whole, upper-cased or cut",
  (name) => {
    const secret = secrets[name] ?? "";
    const needles = needlesFor(secret);
    const longest = partsOf(secret).flatMap((line: string) => line.match(/[A-Za-z0-9]+/g) ?? []);
    const word = longest.toSorted((a: string, b: string) => b.length - a.length)[0] ?? "";
    for (const leak of [secret, secret.toUpperCase(), word.slice(-14)]) {
      const bytes = Buffer.concat([
        Buffer.from([0, 255, 128]),
        Buffer.from(`x${leak}`),
        Buffer.from([0]),
      ]);
      expect(foundIn(bytes, needles).length).toBeGreaterThan(0);
    }
  },
);

test("the search finds nothing in text that holds no secret", () => {
  const needles = Object.values(secrets).flatMap(needlesFor);
  const text =
    "postgres://spotter:__SECRET_credential_abcdefghijkl__@db.internal:5432/spotter".repeat(50);
  expect(foundIn(Buffer.from(text), needles)).toEqual([]);
});

test("the wire records what passed in both directions, in clear, and refuses while it is cut", async () => {
  const upstream = createServer((incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("the answer's words"));
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const wire = await createWire();
  const address = upstream.address();
  wire.connectTo(typeof address === "object" ? address?.port : undefined);
  try {
    await send(`${wire.url}/path`, gzipSync("the request's words"));
    const text = wire
      .recording()
      .map(({ bytes }: { bytes: Buffer }) => bytes.toString())
      .join("\n");
    for (const words of ["POST /path", "the request's words", "the answer's words"]) {
      expect(text).toContain(words);
    }
    await wire.cut();
    await expect(send(`${wire.url}/path`, Buffer.from(""))).rejects.toMatchObject({
      code: "ECONNREFUSED",
    });
    await wire.mend();
    await expect(send(`${wire.url}/path`, gzipSync(""))).resolves.toBe(200);
  } finally {
    await wire.close();
    upstream.close();
  }
});

function send(url: string, body: Buffer): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { "content-encoding": "gzip", "content-length": body.length };
    const outgoing = request(url, { method: "POST", headers, agent: false }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
