import type { Hello } from "@tidemark/protocol/wire";
import { checkHello } from "../hello-check.ts";
import type { Answer, Transport } from "../transport.ts";
import type { KeyExchange } from "./key-exchange.ts";
import { sealedFeature } from "./keys-api.ts";

/** What saying `hello` needs. */
export interface HelloDeps {
  readonly transport: Pick<Transport, "hello">;
  readonly keys?: KeyExchange | undefined;
  readonly serverId: string;
}

/**
 * Says `hello`; a server that does not have this device's key for wraps is told, and asked again: it
 * tells of encrypted namespaces only who has one (EE9). So is one that was set back and lost it.
 */
export async function helloWithKeys(
  { transport, keys, serverId }: HelloDeps,
  signal: AbortSignal,
): Promise<Answer<Hello>> {
  const answer = await transport.hello(signal);
  if (!answer.ok || signal.aborted || keys === undefined) return answer;
  if (checkHello(answer.value, serverId) !== undefined) return answer;
  if (!answer.value.features.includes(sealedFeature)) return answer;
  return (await keys.announce(answer.value.sealingKey, signal))
    ? await transport.hello(signal)
    : answer;
}
