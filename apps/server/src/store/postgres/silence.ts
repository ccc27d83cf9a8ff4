/** What a transaction fails with whose database says nothing any more. */
export class ConnectionSilent extends Error {
  readonly code = "CONNECTION_SILENT";
}

/** Beats of a watch without a word, after which a database counts as silent. */
export const beatsOfSilence = 4;

/** What the watch is told of one transaction, and tells about it. */
export interface Heard {
  /** Rejects with {@link ConnectionSilent} where nothing is heard; else it never settles. */
  readonly silent: Promise<never>;
  /** Its connection is there and in a transaction. */
  begun(): void;
  /** Something was asked or answered on its connection. */
  readonly heard: () => void;
  /** It is not waited for any more. */
  over(): void;
}

/** Notices that a database says nothing any more. */
export interface SilenceWatch {
  /** A transaction is asked for. */
  listen(): Heard;
  /** To be called in even spaces of time, of which {@link beatsOfSilence} are too long for any answer. */
  beat(): void;
}

interface Listener {
  /** Its place among all that were asked for. */
  readonly place: number;
  readonly giveUp: (cause: ConnectionSilent) => void;
  hasBegun: boolean;
  /** Beats since it heard something. */
  beats: number;
}

/**
 * TCP tells of a peer that vanished without a word, as behind a firewall that forgot a connection or
 * after a machine lost its power, after a quarter of an hour (Linux' `tcp_retries2`). So a
 * transaction is given up where its connection is silent. One that has not begun may be waiting for
 * its turn, which is no silence: not as long as others hear something, unless such as were asked
 * for later have begun before it. Beats are counted, not time: a process that was stopped for a
 * while has missed nothing.
 */
export function createSilenceWatch(): SilenceWatch {
  const listeners = new Set<Listener>();
  let asked = 0;
  let lastBegun = 0;
  let beatsOfAll = 0;
  const isWaiting = ({ hasBegun, place }: Listener): boolean =>
    !hasBegun && place > lastBegun && beatsOfAll < beatsOfSilence;
  return {
    listen: () => {
      asked += 1;
      const { promise, reject } = withReject();
      const own: Listener = { place: asked, giveUp: reject, hasBegun: false, beats: 0 };
      listeners.add(own);
      const heard = (): void => {
        own.beats = 0;
        beatsOfAll = 0;
      };
      return {
        silent: promise,
        begun: () => {
          own.hasBegun = true;
          lastBegun = Math.max(lastBegun, own.place);
          heard();
        },
        heard,
        over: () => {
          listeners.delete(own);
        },
      };
    },
    beat: () => {
      beatsOfAll += 1;
      for (const listener of listeners) {
        listener.beats += 1;
        if (listener.beats >= beatsOfSilence && !isWaiting(listener)) {
          listener.giveUp(new ConnectionSilent("the database has fallen silent"));
        }
      }
    },
  };
}

function withReject(): { promise: Promise<never>; reject: (cause: ConnectionSilent) => void } {
  let reject: (cause: ConnectionSilent) => void = () => undefined;
  const promise = new Promise<never>((_resolve, no) => {
    reject = no;
  });
  // Who has stopped waiting hears nothing of it.
  promise.catch(() => undefined);
  return { promise, reject };
}
