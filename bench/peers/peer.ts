/** Seconds of one measured stretch. */
export interface Cost {
  readonly wall: number;
  /** Undefined off Linux, where the times of other processes are not to be had. */
  readonly cpu: ProcessorTime | undefined;
}

/** Processor seconds, user and kernel. */
export interface ProcessorTime {
  readonly client: number;
  readonly server: number;
  /** Of the processes below the server, which are PostgreSQL's; 0 where a server has none. */
  readonly database: number;
  readonly total: number;
}

/** What one push or pull took. */
export interface Step {
  /** The whole client process, from its start to its end. */
  readonly program: Cost | undefined;
  /** Inside the client, once its modules are loaded: open the database, sync, close it. */
  readonly work: Cost | undefined;
}

/** Where a peer runs once. */
export interface Place {
  /** An empty folder of its own. */
  readonly folder: string;
  /** The observations, one JSON object `{ id, fields }` a line. */
  readonly rows: string;
}

/** A server that runs, an A that holds the observations and a B that holds none. */
export interface Session {
  /** All of A to the server. */
  push(): Promise<Step>;
  /** All of the server into B. */
  pull(): Promise<Step>;
  /** What B holds now, as lines like those of {@link Place.rows}, and what else was compared. */
  contents(): Promise<Contents>;
  stop(): Promise<void>;
}

/** What B holds after the pull. */
export interface Contents {
  /** Path of a file with one `{ id, fields }` a line. */
  readonly file: string;
  /** Fields that the peer sets itself on the way in; Tidemark notes who imported. */
  readonly own?: Readonly<Record<string, unknown>>;
}

/** A sync engine that is measured. */
export interface Peer {
  /** As `--peer` takes it. */
  readonly name: string;
  readonly title: string;
  /** What it does that another does not, and the reverse: read beside its figures. */
  readonly notes: readonly string[];
  /** Starts the server and prepares A and B; nothing of this is measured. */
  start(place: Place): Promise<Session>;
}
