/** What a body says, read while it comes. */
import { createLineReader } from "@tidemark/protocol/wire";

/** Is told lines of a body as soon as they are there, before the rest of it has come. */
export type OnLines = (lines: readonly string[]) => void;

/** What was read: its lines where it is newline-delimited, else its text; the other is empty. */
export interface Content {
  readonly text: string;
  readonly lines: readonly string[];
}

/** Reads a body piece by piece. */
export interface ContentReader {
  /** False once it is no well-formed UTF-8. */
  add(bytes: Uint8Array): boolean;
  /** Undefined where it is no well-formed UTF-8. */
  end(): Content | undefined;
}

/** Makes a reader of text. */
export function createTextReader(): ContentReader {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  const decode = (bytes?: Uint8Array): boolean => {
    try {
      text += decoder.decode(bytes, { stream: bytes !== undefined });
      return true;
    } catch {
      return false;
    }
  };
  return { add: decode, end: () => (decode() ? { text, lines: [] } : undefined) };
}

/** Makes a reader of lines, which tells each as soon as it is there. */
export function createLinesReader(onLines: OnLines = () => undefined): ContentReader {
  const reader = createLineReader();
  const all: string[] = [];
  const take = (lines: readonly string[] | undefined): boolean => {
    if (lines === undefined) return false;
    for (const line of lines) all.push(line);
    if (lines.length > 0) onLines(lines);
    return true;
  };
  return {
    add: (bytes) => take(reader.add(bytes)),
    end: () => (take(reader.end()) ? { text: "", lines: all } : undefined),
  };
}
