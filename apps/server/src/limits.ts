/**
 * What one request, connection, device, person, network and server may cost, in one place; the
 * limits that clients are told stand in the protocol's. Each is a row of the table in
 * docs/security.md (OPS28). Times are milliseconds, rates are requests a minute and as many at
 * once after a pause.
 */
export const serverLimits = {
  connection: {
    /** Until the head of a request is there. */
    headMs: 10_000,
    /** Until a request is there with its body; answers may take longer, so streams live on. */
    requestMs: 30_000,
    /** How long an idle connection is kept for a next request. */
    idleMs: 5_000,
    /** Until a connection is cut on which no byte moves although something is to be sent. */
    stallMs: 120_000,
    /** How often the first two are looked after. */
    checkEveryMs: 5_000,
    /** A request's head, in bytes. */
    headBytesMax: 16_384,
    /** Header fields beyond this number are not read, give or take one batch of Node's parser. */
    headFieldsMax: 64,
    /** Sockets open at once; those of pokes are the most. */
    openMax: 4_000,
  },
  credentials: {
    /** Longest access token or assertion that is looked at, in characters. */
    tokenCharsMax: 4_096,
    /** Longest proof that is looked at, in characters. */
    proofCharsMax: 2_048,
  },
  /** An encrypted namespace's membership log. */
  membership: {
    /** Entries in all. */
    entriesMax: 1_000,
    /** Beyond this many nobody is let in: the rest is for shutting out, under new keys. */
    lettingInMax: 900,
    /** Entries that the devices of one person sign who is no admin. */
    ofMemberMax: 64,
  },
  /** Services whose jobs come in by their tokens. */
  issuers: {
    /** How long one may take to answer. */
    answerMsMax: 5_000,
    /** What it answers, in bytes. */
    answerBytesMax: 1_048_576,
    /** How often a key is looked for that it did not have, and one is asked that did not answer. */
    cooldownMs: 30_000,
    /** How long its keys are believed without a look. */
    keysMs: 600_000,
  },
  /** Browsers that a device has signed in to the console. */
  console: {
    /** Until a sign-in link is opened. */
    linkMs: 120_000,
    /** Until a session that nobody uses is over, and at the latest. */
    idleMs: 3_600_000,
    lifeMs: 43_200_000,
    /** Until a sign-in that was begun at a provider is over. */
    flowMs: 600_000,
    /** How long after signing in dangerous acts are done without another link. */
    freshMs: 300_000,
    /** Sessions of one device; the oldest gives way. */
    ofDeviceMax: 10,
    /** A form that is sent, in bytes. */
    formBytesMax: 16_384,
    /** Observations that one search looks through before it asks whether to go on. */
    searchedMax: 8_000,
    /** Bytes of the records of one page, and of those that they belong to. */
    pageBytesMax: 4_194_304,
  },
  pokes: {
    /** Streams of one device: one may be a dead connection that nobody has noticed yet. */
    ofDeviceMax: 2,
    /** Streams of one person's devices, so that nobody takes all of them. */
    ofPersonMax: 50,
    /** Streams of one process. */
    inAllMax: 2_000,
    /** How often a silent stream says that it lives, and rights are read again. */
    pingEveryMs: 20_000,
  },
  /**
   * Distinct writers that a page or a heal's answer tells of, give or take a record's: each takes up to
   * 600 bytes with the names of its device and person, and a client takes a last line of 4 MiB.
   */
  answer: { writersMax: 4_000 },
  /** What is read at once of a record's history: values, and bytes of them; at least one. */
  revisions: { countMax: 1_000, bytesMax: 2_097_152 },
  transaction: {
    /**
     * Bytes of stored records that a push or heal touches: a thousand small changes may be of a
     * thousand records of a megabyte.
     */
    readBytesMax: 16_777_216,
    /** Bytes of the losing values that a heal keeps and gives back; clients take twice as much. */
    keptBytesMax: 16_777_216,
    /**
     * Values that lose in a push or heal: a megabyte may name a hundred thousand, and each costs a
     * hash and a row. No op has more than two for each of its fields.
     */
    losersMax: 10_000,
  },
  /** Pushes that are read while they come; others are once they are there. */
  readAhead: {
    /** Of one device: the end of one may wait while another is committed. */
    deviceMax: 4,
    bodiesMax: 32,
  },
  push: {
    /** Pushes of one namespace that wait for their group. */
    waitingMax: 512,
  },
  ratesByServer: { setup: 300, join: 300, joinJob: 600, pairStart: 300, pairPoll: 6_000 },
  ratesByNetwork: {
    ready: 600,
    hello: 6_000,
    /** Pages and forms of the console, from browsers that are not signed in as well. */
    console: 600,
    consoleEnter: 30,
    /** The longest answer to anybody. */
    openapi: 60,
    /** One for each server would let a stranger use up the owner's way back. */
    setup: 10,
    join: 30,
    /** Runners of a CI service share networks, and each token costs a signature to check. */
    joinJob: 120,
    token: 600,
    pairStart: 10,
    /** Three devices of a network may wait at once, each asking every two seconds. */
    pairPoll: 240,
  },
  ratesByDevice: {
    /** Each heal may raise a namespace's lamport (CK6): unbounded, a member could run it away. */
    heal: 600,
    push: 3_000,
    pull: 3_000,
    /** Every other route that only reads. */
    read: 1_200,
    pokes: 60,
    link: 30,
    linkState: 120,
    pairDecide: 30,
    /** Each change of devices, members and namespaces is a row of the audit for good. */
    change: 30,
    audit: 60,
    /** It reads every row there is. */
    auditCheck: 6,
  },
  memory: {
    /** Rates that are remembered; beyond it the one that was quiet longest is forgotten. */
    rateKeysMax: 20_000,
  },
  /** What a namespace may hold, and a device add to it in a day, where nobody set another (QT1). */
  quota: { recordsMax: 1_000_000, bytesMax: 5_368_709_120, deviceOpsMax: 200_000 },
} as const;
