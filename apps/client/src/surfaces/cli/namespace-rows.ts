import { row, share, type Row } from "./row.ts";

/** The verbs about namespaces, their members and their keys. */
export const namespaceRows: readonly Row[] = [
  row(
    "namespace create",
    share,
    "make a namespace to share",
    async () => (await import("./commands/namespace.ts")).create,
  ),
  row(
    "namespace list",
    share,
    "list the namespaces of this device",
    async () => (await import("./commands/namespace.ts")).list,
  ),
  row(
    "namespace invite",
    share,
    "print a link that makes somebody a member",
    async () => (await import("./commands/namespace.ts")).invite,
  ),
  row(
    "namespace members",
    share,
    "list members and roles, and who waits to be let in",
    async () => (await import("./commands/namespace.ts")).members,
  ),
  row(
    "namespace confirm",
    share,
    "let in who opened an invite and waits",
    async () => (await import("./commands/namespace-waiting.ts")).confirm,
  ),
  row(
    "namespace decline",
    share,
    "send away who opened an invite and waits",
    async () => (await import("./commands/namespace-waiting.ts")).decline,
  ),
  row(
    "namespace admit",
    share,
    "let a device into an encrypted namespace",
    async () => (await import("./commands/namespace-keys.ts")).admit,
  ),
  row(
    "namespace rotate",
    share,
    "give an encrypted namespace a new key",
    async () => (await import("./commands/namespace-keys.ts")).rotate,
  ),
  row(
    "namespace recover",
    share,
    "open an encrypted namespace by its recovery code",
    async () => (await import("./commands/namespace-keys.ts")).recover,
  ),
  row(
    "namespace role",
    share,
    "change a member's role",
    async () => (await import("./commands/namespace.ts")).role,
  ),
  row(
    "namespace remove",
    share,
    "remove a member",
    async () => (await import("./commands/namespace.ts")).remove,
  ),
  row(
    "namespace leave",
    share,
    "end your own membership",
    async () => (await import("./commands/namespace.ts")).leave,
  ),
  row(
    "namespace delete",
    share,
    "delete a namespace for all its members",
    async () => (await import("./commands/namespace-delete.ts")).remove,
  ),
  row(
    "namespace restore",
    share,
    "bring a deleted namespace back, within 30 days",
    async () => (await import("./commands/namespace-delete.ts")).restore,
  ),
  row(
    "namespace use",
    share,
    "bind this project to a namespace",
    async () => (await import("./commands/namespace.ts")).use,
  ),
];
