import { NewRecord, type CanonicalPut, type Digest, type WriterId } from "@tidemark/protocol";
import type { Projection } from "../view/search-side.ts";

/** A new record whose digest and search side were made where it was read. */
export class PreparedRecord extends NewRecord {
  /** Its search side where it is not hidden. */
  readonly projection: Projection;

  constructor(
    put: CanonicalPut,
    writer: WriterId,
    made: { readonly digest: Digest; readonly projection: Projection },
  ) {
    super(put, writer, made.digest);
    this.projection = made.projection;
  }
}
