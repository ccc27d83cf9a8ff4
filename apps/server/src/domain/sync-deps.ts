import type { DeviceId, JsonObject, NamespaceId, Sha256 } from "@tidemark/protocol";
import type { Store } from "../store/port.ts";
import type { Quota } from "./quota.ts";

/** Places of the lines in which something may be a secret. */
export type Suspects = ReadonlySet<number>;

/** A look through the lines of a push that has begun; until its end the caller may read them. */
export interface Look {
  /** Ends it, and tells which lines are to be looked at closer. */
  end(): Suspects | Promise<Suspects>;
  /** Instead of its end: nobody wants to know any more, and nobody is to look on. */
  drop(): void;
}

/** The second look for secrets (SC60); devices scrub before they store. */
export interface SecretCheck {
  /** Begins to look through the lines of a push. */
  look(lines: readonly string[]): Look;
  /** Whether the op of such a line holds a secret. Most ops need no parsing otherwise. */
  holdsSecret(op: { readonly fields: JsonObject }): boolean;
}

/** An op, or a state of a heal by its line, whose row the database refuses, without anything that it holds. */
export interface RefusedRow {
  readonly namespace: NamespaceId;
  readonly device: DeviceId;
  readonly n: number;
  readonly sqlState: string;
}

/** What the rules of sync need from outside. */
export interface SyncDeps {
  readonly store: Store;
  readonly sha256: Sha256;
  /** Marks are made of it. */
  readonly random: { bytes(count: number): Uint8Array };
  readonly quota: Quota;
  /** Absent where the server is not to look. */
  readonly secrets?: SecretCheck | undefined;
  /** Called for each op or state whose row the database refuses (PS13, HL46). Must not throw. */
  readonly onRowRefused?: ((refused: RefusedRow) => void) | undefined;
  /** Called after each commit that moved a head, for pokes. Must not throw. */
  readonly onHeadMoved: (namespace: NamespaceId, head: number) => void;
}
