import type { NamespaceId, RecordId } from "@tidemark/protocol";

/** An observation as `--json` prints it and as recall ranks it (CL: the command line's schema). */
export interface Observation {
  readonly id: RecordId;
  readonly namespace: NamespaceId;
  readonly project: string | null;
  readonly kind: string;
  readonly title: string;
  readonly narrative: string;
  readonly facts: readonly string[];
  readonly concepts: readonly string[];
  readonly filesRead: readonly string[];
  readonly filesModified: readonly string[];
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly supersededBy: RecordId | null;
  readonly author: { readonly user: string | null; readonly device: string | null };
  /** Who last wrote content of it on another device than the author's; null where nobody did. */
  readonly editedBy: { readonly user: string | null; readonly device: string | null } | null;
  /** Where the text came from; set by our code path, never by a model. */
  readonly origin: "user" | "agent" | "tool" | "web" | "import";
  readonly trust: number;
  /** Whether this device's person has looked at it and pinned it, as it stands now (RC13). */
  readonly reviewed: boolean;
  readonly agent: string | null;
  readonly session: string | null;
  readonly createdAt: number;
  readonly lamport: number;
  /** The server's position; null until the record came back in a pull. */
  readonly seq: number | null;
}
