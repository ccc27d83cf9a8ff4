/** A request that two programs may read as two different ones. */
export interface Smuggled {
  readonly name: string;
  readonly bytes: string;
}

const host = "Host: tidemark.example.com";
const json = "Content-Type: application/json";
/** What the next caller on the connection would be answered to, had it come through. */
const inner = "GET /v1/smuggled HTTP/1.1\r\nHost: tidemark.example.com\r\nX-Rest: ";

function posted(fields: readonly string[], body: string): string {
  return ["POST /v1/join HTTP/1.1", host, json, ...fields, "", body].join("\r\n");
}

function chunked(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
}

const close = "Connection: close";
const ended = `0\r\n\r\n${inner}`;
const lengthOf = (text: string): string => `Content-Length: ${String(text.length)}`;

/** The known ways to have two programs differ on where a request ends (abuse 137). */
export const smuggled: readonly Smuggled[] = [
  {
    name: "CL.TE: a length over all of it, and chunks that end before",
    bytes: posted([lengthOf(ended), "Transfer-Encoding: chunked", close], ended),
  },
  {
    name: "TE.CL: chunks over all of it, and a length that ends before",
    bytes: posted(["Content-Length: 4", "Transfer-Encoding: chunked", close], chunked(inner)),
  },
  {
    name: "TE.TE: a second coding that one of the two does not know",
    bytes: posted(
      [lengthOf(ended), "Transfer-Encoding: chunked", "Transfer-Encoding: x", close],
      ended,
    ),
  },
  {
    name: "TE with a tab before its value, beside a length",
    bytes: posted([lengthOf(ended), "Transfer-Encoding:\tchunked", close], ended),
  },
  {
    name: "two lengths",
    bytes: posted(["Content-Length: 0", lengthOf(ended), close], ended),
  },
  {
    name: "a length with a sign",
    bytes: posted([`Content-Length: +${String(ended.length)}`, close], ended),
  },
  {
    name: "obs-fold: a field that goes on in the next line",
    bytes: posted(["X-Long: a", " Transfer-Encoding: chunked", lengthOf("{}"), close], "{}"),
  },
  {
    name: "obs-fold of the coding",
    bytes: posted([lengthOf(ended), "Transfer-Encoding:", " chunked", close], ended),
  },
  {
    name: "a space before the colon",
    bytes: posted([lengthOf(ended), "Transfer-Encoding : chunked", close], ended),
  },
  {
    name: "bare LF between the fields",
    bytes:
      posted([lengthOf(ended), "Transfer-Encoding: chunked", close], "").replaceAll("\r\n", "\n") +
      ended,
  },
  {
    name: "a bare LF that hides a field in another one",
    bytes: posted([`X-Long: a\nTransfer-Encoding: chunked`, lengthOf(ended), close], ended),
  },
  {
    name: "a chunk's size with more behind it",
    bytes: posted(["Transfer-Encoding: chunked", close], `0;${"a".repeat(9)}\n\r\n${inner}`),
  },
  {
    name: "a chunk's size as no number is written",
    bytes: posted(["Transfer-Encoding: chunked", close], `0x2\r\n{}\r\n${ended}`),
  },
];
