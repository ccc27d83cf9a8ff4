import { features, protocolVersion } from "../../packages/protocol/src/index.ts";

/** A JSON object of an answer. */
export type Json = Record<string, unknown>;

/** What a later version may add to anything. */
export const later = { later: { b: [1, null], a: "ü" }, laterList: [] } as const;

/** What a server `ahead` versions later says of itself, and that it still speaks this one. */
export function laterHello(ahead: number): Json {
  return {
    protocol: { version: protocolVersion + ahead, oldest: 1, later: true },
    features: [...features, "time-travel"],
    limits: { recordsMax: 10, pushOpsMax: 500 },
  };
}

/** The text of an answer as a later server writes it: more members in each object of it. */
export function laterText(
  contentType: string,
  text: string,
  change: (body: Json) => Json = (body) => body,
): string {
  if (text === "") return text;
  const grown = (line: string): string =>
    JSON.stringify(change({ ...(JSON.parse(line) as Json), ...later }));
  if (!contentType.includes("ndjson")) return grown(text);
  return `${text.trimEnd().split("\n").map(grown).join("\n")}\n`;
}

/** Events as a later server sends them: more members, and events of a kind of its own between. */
export function laterEvents(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  return new TransformStream({
    transform: (chunk, controller) => {
      const text = decoder.decode(chunk, { stream: true });
      controller.enqueue(encoder.encode(laterEventText(text)));
    },
  });
}

/** One piece of such a stream. */
export function laterEventText(text: string): string {
  const grown = text.replaceAll("data: {", 'data: {"later":[1],');
  return `event: later\ndata: {"x":1}\nid: 7\n\n${grown}`;
}
