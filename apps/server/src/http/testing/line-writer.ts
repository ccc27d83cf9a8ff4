import {
  chainStart,
  type NamespaceId,
  type OpResult,
  type Position,
  type WriterId,
} from "@tidemark/protocol";
import { ndjsonType, type PushAnswer } from "@tidemark/protocol/wire";
import { sha256 } from "../../platform/hash.ts";
import { bodyText } from "./harness.ts";
import type { TestClient } from "./client.ts";

/** A writer that pushes whatever lines it is given, at the place where the server says it stands. */
export interface LineWriter {
  /** Pushes lines as they are and gives what became of those that were not plainly applied. */
  push(lines: readonly string[]): Promise<readonly OpResult[]>;
  /** The place of its next line. */
  next(): number;
}

/** Makes a writer of lines for a namespace. */
export function createLineWriter(
  client: TestClient,
  namespace: NamespaceId,
  name: string,
): LineWriter {
  const writer = name as WriterId;
  let position: Pick<Position, "acked" | "chain"> = {
    acked: 0,
    chain: chainStart(sha256, writer),
  };
  return {
    next: () => position.acked + 1,
    push: async (lines) => {
      const { acked: after, chain } = position;
      const response = await client.send(`/v1/namespaces/${namespace}/ops`, {
        method: "POST",
        body: `${[JSON.stringify({ writer, after, chain }), ...lines].join("\n")}\n`,
        headers: { "content-type": ndjsonType },
      });
      const text = await bodyText(response);
      if (response.status !== 200) throw new Error(text);
      const answer = JSON.parse(text) as PushAnswer;
      ({ position } = answer);
      return answer.results;
    },
  };
}

/** The text of a put; `fields` is JSON text, so that it may be any. */
export function putLine(n: number, fields: string, change: Readonly<Record<string, string>> = {}) {
  const members = {
    n: String(n),
    record: `"record_${n}"`,
    collection: '"observation"',
    lamport: String(n),
    at: "1790000000000",
    op: '"put"',
    fields,
    ...change,
  };
  const texts = Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${texts.join(",")}}`;
}
