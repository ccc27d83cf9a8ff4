import { secretHash } from "../../auth/link-secrets.ts";
import { serverLimits } from "../../limits.ts";
import { assetOf } from "../assets/assets.ts";
import { Run, SignInBy } from "../parts/bits.tsx";
import { sessionCookie } from "../place.ts";
import { read, type OwnVisit, type PageAnswer, type Visit } from "../visit.ts";
import { notFound } from "./refusals.tsx";

const { lifeMs } = serverLimits.console;

/** Where a sign-in link leads: its script sends the secret, which no address ever carries (CO1). */
export function entry({ parts }: Visit): PageAnswer {
  return read(
    "Sign in",
    <>
      <p data-enter-state>
        There is no password. A device that is paired with this server opens the console for its
        person:
      </p>
      <p>
        <Run command="tidemark console" />
      </p>
      <form method="post" action="/console/enter" data-enter></form>
      {parts.oidc === undefined ? null : <SignInBy label={parts.oidc.label} />}
      <noscript>
        <p>Signing in needs JavaScript; the pages behind it do not.</p>
      </noscript>
    </>,
  );
}

/** Takes the secret of a link, once, for a session. */
export async function enter({ c, parts, place, form, nowMs, network }: Visit): Promise<PageAnswer> {
  const link = form.get("link") ?? "";
  const secret = Buffer.from(parts.random.bytes(32)).toString("base64url");
  const session = await parts.accounts.openConsole({
    linkHash: secretHash(parts, link),
    sessionHash: secretHash(parts, secret),
    nowMs,
    endsAtMs: nowMs + lifeMs,
    network,
  });
  if (session === undefined) {
    parts.log.warn("console-refused", { network });
    return read("Sign in", <p>This link has been used, or its time is over.</p>, { status: 401 });
  }
  parts.log.info("console-opened", { device: session.device.id });
  c.header("Set-Cookie", sessionCookie(place, secret, lifeMs));
  return { kind: "ready", response: c.newResponse(null, { status: 200 }) };
}

/** Ends the session. */
export async function leave(visit: OwnVisit): Promise<PageAnswer> {
  const { c, parts, place } = visit;
  const secret = (c.req.header("cookie") ?? "").split(`${place.cookieName}=`)[1]?.split(";")[0];
  await parts.accounts.closeConsole(secretHash(parts, secret ?? ""));
  c.header("Set-Cookie", sessionCookie(place, "", 0));
  return { kind: "go", to: "/console/enter" };
}

/** A file that pages load. */
export function asset({ c }: Visit): PageAnswer {
  const found = assetOf(c.req.param("file") ?? "");
  if (found === undefined) return notFound();
  c.header("Content-Type", found.type);
  c.header("Cache-Control", "public, max-age=31536000, immutable");
  return { kind: "ready", response: c.newResponse(found.text) };
}
