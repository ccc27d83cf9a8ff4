/** A stream of server-sent events, as text. */
export interface EventReader {
  /** Reads on until the text holds this, or the stream ends; gives all that came. */
  until(part: string): Promise<string>;
  /** Forgets what came so far. */
  skip(): void;
  cancel(): Promise<void>;
}

/** Reads a stream of server-sent events, a piece at a time. */
export function createEventReader(response: Response): EventReader {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  return {
    until: async (part: string): Promise<string> => {
      while (!text.includes(part)) {
        const piece = await reader?.read();
        if (piece === undefined || piece.done) return `${text}<end>`;
        text += decoder.decode(piece.value);
      }
      return text;
    },
    skip: () => {
      text = "";
    },
    cancel: async () => {
      await reader?.cancel();
    },
  };
}
