interface Piece {
  readonly done: boolean;
  readonly value: Uint8Array<ArrayBuffer> | undefined;
}

/** As much of a stream as a reader of a body asks of one. */
export interface WholeBody {
  getReader(): { read(): Promise<Piece>; cancel(): Promise<void> };
  cancel(): Promise<void>;
}

/** A body that is there at once and read in one piece, at a part of a stream's cost. */
export function wholeBody(bytes: Uint8Array<ArrayBuffer>): WholeBody {
  let isRead = bytes.length === 0;
  const cancel = async (): Promise<void> => {
    isRead = true;
  };
  const read = async (): Promise<Piece> => {
    const value = isRead ? undefined : bytes;
    isRead = true;
    return { done: value === undefined, value };
  };
  return { getReader: () => ({ read, cancel }), cancel };
}

type Bytes = Uint8Array<ArrayBuffer>;

/** A body that is read piece by piece, each when it is there. */
export function piecesBody(pieces: readonly (Bytes | Promise<Bytes>)[]): WholeBody {
  const left = [...pieces];
  const cancel = async (): Promise<void> => {
    left.length = 0;
  };
  const read = async (): Promise<Piece> => {
    const value = await left.shift();
    return { done: value === undefined, value };
  };
  return { getReader: () => ({ read, cancel }), cancel };
}
