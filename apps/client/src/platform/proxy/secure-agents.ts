import https from "node:https";
import type { Environment } from "../paths.ts";
import { wayTo } from "./proxy-env.ts";
import { ProxyError, TunnelAgent } from "./tunnel-agent.ts";

/**
 * What connects to https addresses: one agent for all that are reached directly, one for each proxy.
 * The function it gives throws a {@link ProxyError} where the proxy that is named is none.
 */
export function createSecureAgents(
  options: https.AgentOptions,
  env: Environment,
): (url: string) => https.Agent {
  const direct = new https.Agent(options);
  const tunnels = new Map<string, TunnelAgent>();
  return (url) => {
    const way = wayTo(new URL(url), env);
    if (way.kind === "direct") return direct;
    if (way.kind === "unusable") throw new ProxyError("PROXY_UNUSABLE");
    const { href } = way.proxy;
    const known = tunnels.get(href) ?? new TunnelAgent(way.proxy, options);
    tunnels.set(href, known);
    return known;
  };
}
