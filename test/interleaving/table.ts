import { systemTimers } from "../../apps/server/src/platform/timers.ts";
import type { Store } from "../../apps/server/src/store/port.ts";
import { createPostgresStore } from "../../apps/server/src/store/postgres/postgres-store.ts";
import {
  createTestStores,
  type TestStores,
} from "../../apps/server/src/store/postgres/testing/test-store.ts";
import { openWire, type Wire } from "./wire.ts";

/** A server's store whose every statement goes through a wire. */
export interface Seat {
  readonly wire: Wire;
  readonly store: Store;
}

/** One database of a test file, and seats at it. */
export interface Table {
  readonly stores: TestStores;
  /** A store that nothing comes between. */
  readonly direct: Store;
  seat(options?: SeatOptions): Promise<Seat>;
  close(): Promise<void>;
}

/** How a seat connects. */
export interface SeatOptions {
  /** Connections; one, so that a wire carries one transaction at a time. */
  readonly poolSize?: number;
  readonly rewrite?: (sql: string) => string;
}

/** Makes a database; call it in `beforeAll`, and `close` in `afterAll`. */
export async function openTable(): Promise<Table> {
  const stores = await createTestStores();
  const direct = await stores.open({ nowMs: () => 1 });
  const seats: Seat[] = [];
  return {
    stores,
    direct,
    seat: async ({ poolSize = 1, rewrite } = {}) => {
      const wire = await openWire(stores.appUrl);
      if (rewrite !== undefined) wire.policy = { rewrite };
      const store = createPostgresStore({
        url: wire.url,
        clock: { nowMs: () => 1 },
        random: { bytes: (count) => new Uint8Array(count) },
        timers: systemTimers,
        poolSize,
      });
      const seat = { wire, store };
      seats.push(seat);
      return seat;
    },
    close: async () => {
      await Promise.all(seats.map(({ store }) => store.close()));
      await Promise.all(seats.map(({ wire }) => wire.close()));
      await stores.drop();
    },
  };
}
