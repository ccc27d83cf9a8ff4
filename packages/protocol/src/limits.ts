/**
 * Every limit of the protocol, in one place; `hello` tells them to clients. Bytes are UTF-8 bytes
 * of the JSON text, times are milliseconds. Numbers come from the security study's input rules.
 */
export const limits = {
  /** Deepest nesting of a field's value. Deeper values overflow recursive walkers long before Postgres. */
  valueDepthMax: 8,
  /** Bytes of one op line. */
  opBytesMax: 65_536,
  /**
   * Bytes of one op line where values are sealed: what padding, base64 and ids make of the largest
   * plain one.
   */
  sealedOpBytesMax: 196_608,
  /** Fields of one record or op. */
  fieldsMax: 256,
  /** Bytes of one record's fields and clocks: what many `set`s may grow it to. Far below a page. */
  recordBytesMax: 1_048_576,
  /** Characters of a field's name. */
  fieldNameMax: 128,
  /** Characters of an id or a collection's name. */
  idMax: 64,
  /** Ops of one push. */
  pushOpsMax: 1000,
  /** Bytes of one push, after decompression. */
  pushBytesMax: 1_048_576,
  /** Records of one pull page. */
  pullRecordsMax: 1000,
  /** Bytes of one pull page; at least one record is always sent. */
  pullBytesMax: 4_194_304,
  /** Records that a page of a bucket's list names: under 2 MiB, of the 4 that a client takes. */
  bucketRecordsMax: 20_000,
  /** Records of one heal request, pushed and wanted together. */
  healRecordsMax: 500,
  /** Bytes of one heal request or answer. */
  healBytesMax: 4_194_304,
  /** How much a heal may raise a namespace's lamport above what the server knows, at most. */
  healLamportRaiseMax: 4_294_967_296,
  /** Past clocks that a client keeps for one field; beyond it a heal may make noise, never a loss. */
  pastClocksMax: 20,
  /** Largest lamport. Beyond 2^53 - 1 adding one changes nothing in a double. */
  lamportMax: 9_007_199_254_740_991,
  /**
   * Namespaces of a person, and those that `hello` lists: a copy of each stands on the device, and
   * each is asked for.
   */
  namespacesMax: 4000,
  /** Bytes of any other JSON request body. */
  jsonBodyBytesMax: 65_536,
  /** Characters of a name of a person, device or namespace. */
  nameMax: 64,
} as const;

/** The limits as `hello` carries them. */
export type Limits = typeof limits;
