import type { RecordState, UserId, WriterId } from "@tidemark/protocol";

/** What a transaction makes of one record. */
export interface Entry {
  readonly state: RecordState;
  readonly bytesAdded: number;
  readonly via: WriterId | undefined;
  readonly author: UserId | undefined;
}
