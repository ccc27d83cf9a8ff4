import type { DeviceId, ErrorCode } from "@tidemark/protocol";
import type { Context } from "hono";
import type { DeviceRow } from "../store/accounts-port.ts";
import type { OnLines } from "./body-content.ts";
import type { PushedOps } from "./middleware/observe.ts";
import type { RouteName } from "./route-table.ts";

/** What a request carries through the application. */
export interface AppEnv {
  Bindings: {
    /** Node's request; absent where the application is called without a socket. */
    readonly incoming?: { readonly socket?: { readonly remoteAddress?: string | undefined } };
  };
  Variables: {
    requestId: string;
    /** What is told of the answer, once it is known; see `Answered`. */
    route?: RouteName;
    code?: ErrorCode;
    device?: DeviceId;
    ops?: PushedOps;
  };
}

/** A request that passed the checks of its route. */
export interface Call {
  readonly c: Context<AppEnv>;
  /** Its text; empty where the route takes none, or lines. */
  readonly body: string;
  /** The lines of a newline-delimited body. */
  readonly lines: readonly string[];
  readonly device: DeviceRow | undefined;
}

/** A request whose device is known and active. */
export interface DeviceCall extends Call {
  readonly device: DeviceRow;
}

/** A request whose device is known, and of whose body nothing may have come yet. */
export type Opening = Pick<DeviceCall, "c" | "device">;

/**
 * Takes a request's lines while they come. Only with the call is it known that all have come and are
 * those that the proof was signed for (AU18): until then nothing may come of them.
 */
export interface Intake {
  readonly onLines?: OnLines | undefined;
  /** Instead of the answer, where the rest does not come or is not what was signed. */
  readonly drop?: (() => void) | undefined;
  readonly answer: (call: DeviceCall) => Response | Promise<Response>;
}
