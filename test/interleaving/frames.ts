/** One message of PostgreSQL's protocol; `type` is empty for a start-up message, which has none. */
export interface Frame {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Cuts a byte stream into messages, however the chunks fall. A client's stream begins untyped. */
export function frameReader(from: "client" | "server"): (chunk: Buffer) => readonly Frame[] {
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = from === "server";
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const frames: Frame[] = [];
    for (;;) {
      const typeBytes = isStarted ? 1 : 0;
      if (rest.length < typeBytes + 4) return frames;
      const length = typeBytes + rest.readUInt32BE(typeBytes);
      if (rest.length < length) return frames;
      const bytes = rest.subarray(0, length);
      frames.push({ type: isStarted ? String.fromCodePoint(bytes[0] ?? 0) : "", bytes });
      isStarted = true;
      rest = rest.subarray(length);
    }
  };
}

/** What a `Parse` names and says. */
export interface Parsed {
  readonly name: string;
  readonly sql: string;
  /** The types of its parameters, as they stand in the message. */
  readonly types: Buffer;
}

/** Reads a `Parse` message. */
export function readParse({ bytes }: Frame): Parsed {
  const name = textAt(bytes, 5);
  const sql = textAt(bytes, name.end);
  return { name: name.text, sql: sql.text, types: bytes.subarray(sql.end) };
}

/** Writes a `Parse` message. */
export function parseFrame({ name, sql, types }: Parsed): Frame {
  return frameOf("P", Buffer.concat([Buffer.from(`${name}\0${sql}\0`), types]));
}

/** The SQL of a simple `Query` message. */
export function readQuery({ bytes }: Frame): string {
  return textAt(bytes, 5).text;
}

/** Writes a simple `Query` message. */
export function queryFrame(sql: string): Frame {
  return frameOf("Q", Buffer.from(`${sql}\0`));
}

/** The name of the statement that a `Bind` message uses. */
export function statementOfBind({ bytes }: Frame): string {
  return textAt(bytes, textAt(bytes, 5).end).text;
}

/** The process of a connection, from `BackendKeyData`. */
export function pidOf({ bytes }: Frame): number {
  return bytes.readUInt32BE(5);
}

/** The SQLSTATE of an `ErrorResponse`. */
export function sqlStateOf({ bytes }: Frame): string {
  for (let at = 5; at < bytes.length && bytes[at] !== 0;) {
    const field = textAt(bytes, at + 1);
    if (bytes[at] === "C".codePointAt(0)) return field.text;
    at = field.end;
  }
  return "";
}

function frameOf(type: string, body: Buffer): Frame {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(body.length + 4, 1);
  return { type, bytes: Buffer.concat([head, body]) };
}

function textAt(bytes: Buffer, from: number): { readonly text: string; readonly end: number } {
  const end = bytes.indexOf(0, from);
  return { text: bytes.toString("utf8", from, end), end: end + 1 };
}
