/** What a transaction fails with whose database says nothing any more. */
export class ConnectionSilent extends Error {
  readonly code = "CONNECTION_SILENT";
}

/** Beats of a watch without a word, after which a connection counts as silent. */
export const beatsOfSilence = 5;

/** What the watch is told of one transaction, and tells about it. */
export interface Heard {
  /** Rejects with {@link ConnectionSilent} where nothing is heard; else it never settles. */
  readonly silent: Promise<never>;
  /** Something was asked or answered on its connection. */
  readonly heard: () => void;
  /** It is not waited for any more. */
  over(): void;
}

/** Notices that a database says nothing any more. */
export interface SilenceWatch {
  /** A transaction is sent on its way. */
  listen(): Heard;
  /** To be called in even spaces of time, of which one less than {@link beatsOfSilence} are too long for any answer. */
  beat(): void;
  /** Gives up all that are still waited for. */
  end(): void;
}

interface Listener {
  readonly giveUp: () => void;
  /** Beats since it heard something. */
  beats: number;
}

/**
 * TCP tells of a peer that vanished without a word, as behind a firewall that forgot a connection or
 * after a machine lost its power, after a quarter of an hour (Linux' `tcp_retries2`). So a
 * transaction is given up where its connection is silent. Beats are counted, not time: a process
 * that was stopped for a while has missed nothing.
 */
export function createSilenceWatch(): SilenceWatch {
  const listeners = new Set<Listener>();
  return {
    listen: () => {
      let giveUp = (): void => undefined;
      const silent = new Promise<never>((_resolve, reject) => {
        giveUp = () => {
          reject(new ConnectionSilent("the database has fallen silent"));
        };
      });
      // Who has stopped waiting hears nothing of it.
      silent.catch(() => undefined);
      const own: Listener = { giveUp, beats: 0 };
      listeners.add(own);
      return {
        silent,
        heard: () => {
          own.beats = 0;
        },
        over: () => {
          listeners.delete(own);
        },
      };
    },
    beat: () => {
      for (const listener of listeners) {
        listener.beats += 1;
        if (listener.beats >= beatsOfSilence) listener.giveUp();
      }
    },
    end: () => {
      for (const listener of listeners) listener.giveUp();
    },
  };
}
