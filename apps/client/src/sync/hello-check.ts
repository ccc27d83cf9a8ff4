import { protocolVersion, protocolVersionOldest } from "@tidemark/protocol";
import type { Hello } from "@tidemark/protocol/wire";
import type { Failure } from "./transport.ts";

/** Why a device may not build on a server's `hello`; undefined where it may. */
export function checkHello(hello: Hello, serverId: string): Failure | undefined {
  if (hello.server.id !== serverId) {
    const title = "Another server answers at this address; nothing was sent to it.";
    return { family: "auth", code: "wrong-server", title };
  }
  if (hello.protocol.version < protocolVersionOldest) {
    const title = "The server is too old for this client.";
    return { family: "upgrade", code: "upgrade-server", title };
  }
  if (hello.protocol.oldest > protocolVersion) {
    const title = "This client is too old for the server.";
    return { family: "upgrade", code: "upgrade-client", title };
  }
  if (hello.namespaces === undefined) {
    // Without this, an answer to nobody in particular would look like a loss of all memberships.
    const title = "The server did not recognise this device.";
    return { family: "auth", code: "invalid-token", title };
  }
  return undefined;
}
