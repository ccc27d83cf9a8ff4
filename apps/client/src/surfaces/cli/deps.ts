import type { KeyUse } from "../../wiring/device-key.ts";
import type { Check } from "../../wiring/diagnose.ts";
import type { Home } from "../../wiring/home.ts";
import type { Installer } from "../../wiring/installer.ts";
import type { Memory } from "../../wiring/memory.ts";
import type { Pairing } from "../../wiring/pairing.ts";
import type { Server } from "../../wiring/server.ts";
import type { SyncRunner } from "../../wiring/sync-runner.ts";
import type { Screen } from "../../platform/screen.ts";
import type { FileReader } from "./files.ts";
import type { Io } from "./io.ts";
import type { Row } from "./row.ts";

/** What the verbs of the command line need; `main` wires it. Each part is made when asked for. */
export interface CliDeps {
  readonly io: Io;
  readonly files: FileReader;
  readonly version: string;
  /** All verbs, for what tells of them. */
  readonly verbs: {
    readonly rows: readonly Row[];
    readonly groups: Readonly<Record<string, string>>;
  };
  readonly clock: { nowMs(): number };
  readonly home: () => Home;
  readonly memory: () => Memory;
  /** The server this device is paired with; throws a user's error where there is none. */
  readonly server: (use?: KeyUse) => Promise<Server>;
  readonly sync: (use?: KeyUse) => Promise<SyncRunner>;
  readonly pairing: () => Promise<Pairing>;
  /** Origin of what this command line saves: an agent's shell is not a person's. */
  readonly origin: "user" | "agent";
  /** The terminal as a whole. */
  readonly screen: () => Screen;
  /** Resolves after so many milliseconds, or rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A signal that aborts after so many milliseconds. */
  readonly after: (ms: number) => AbortSignal;
  /** Ends when a person stops the program. */
  readonly signal: AbortSignal;
  /** Long-running programs that start here and live elsewhere. */
  readonly programs: {
    readonly mcp: () => Promise<void>;
    readonly daemon: () => Promise<void>;
    readonly dashboard: () => Promise<void>;
    readonly hook: () => Promise<void>;
  };
  /** Opens a page where a person sees it; false where that cannot be. */
  readonly openBrowser: (url: string) => boolean;
  /** Puts Tidemark into agents' settings. */
  readonly installer: () => Promise<Installer>;
  readonly diagnose: (options: { readonly rebuildsSearch: boolean }) => Promise<readonly Check[]>;
}
