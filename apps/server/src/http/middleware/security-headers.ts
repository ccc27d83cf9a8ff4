import type { MiddlewareHandler } from "hono";
import { base32 } from "@tidemark/protocol";
import type { AppDeps } from "../app-deps.ts";
import type { AppEnv } from "../app-env.ts";

const fixedHeaders: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** What an answer may say for itself: the console's pages load a style and send forms. */
const presetHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
};

/** Gives each request an id and each answer the headers that keep browsers out of it (WR16). */
export function secureAnswers(
  deps: Pick<AppDeps, "random" | "publicUrls">,
): MiddlewareHandler<AppEnv> {
  const isHttps = deps.publicUrls[0].startsWith("https:");
  return async (c, next) => {
    const requestId = base32(deps.random.bytes(10));
    c.set("requestId", requestId);
    await next();
    const { headers } = c.res;
    headers.set("X-Request-Id", requestId);
    for (const [name, value] of Object.entries(fixedHeaders)) headers.set(name, value);
    for (const [name, value] of Object.entries(presetHeaders)) {
      if (!headers.has(name)) headers.set(name, value);
    }
    if (isHttps) headers.set("Strict-Transport-Security", "max-age=31536000");
  };
}
