import { deviceId } from "@tidemark/protocol";
import type { DeviceKey } from "@tidemark/protocol/wire";
import { calculateJwkThumbprint } from "jose";
import { secretHash } from "../../auth/link-secrets.ts";
import { flowPart, type ProvenIdentity } from "../../auth/oidc/provider.ts";
import { serverLimits } from "../../limits.ts";
import type { ConnectedIdentity, ConnectError } from "../../store/console-port.ts";
import { said } from "../done.ts";
import { Act, Empty, Form, Part, Run, SignInBy, When } from "../parts/bits.tsx";
import { cookieOf, flowCookie, flowCookieName, sessionCookie } from "../place.ts";
import { go, read, type OwnVisit, type PageAnswer, type Visit } from "../visit.ts";
import { notDone, notFound } from "./refusals.tsx";

const { flowMs, lifeMs } = serverLimits.console;
const here = "/console/devices";
const callback = "/console/oidc/callback";

/** The account at the provider that signs the person in, on the page of their devices (CO11). */
export function IdentityPart({
  visit,
  identities,
}: {
  readonly visit: OwnVisit;
  readonly identities: readonly ConnectedIdentity[];
}) {
  const { oidc } = visit.parts;
  if (oidc === undefined) return null;
  const { label, issuer } = oidc;
  const own = identities.find((identity) => identity.issuer === issuer);
  return (
    <Part title={`Sign-in by ${label}`}>
      {own === undefined ? (
        <Empty title="Not connected">
          <p>
            Connect your account at <bdi>{issuer}</bdi>, and a browser of yours gets in here without
            a device. It is known by its identifier there, never by a name or an e-mail address.
          </p>
          {visit.session.issuer === undefined ? (
            <Form visit={visit} action="/console/identity">
              <button type="submit">
                Connect <bdi>{label}</bdi>
              </button>
            </Form>
          ) : null}
        </Empty>
      ) : (
        <Empty title="Connected">
          <p>
            <bdi>{issuer}</bdi>, <When at={own.connectedAtMs} now={visit.nowMs} />.
          </p>
          <Act
            visit={visit}
            action="/console/identity/disconnect"
            name="Disconnect"
            verb={`Disconnect ${label}`}
          >
            <p>It signs nobody in from now on, and sessions that were opened by it end.</p>
          </Act>
        </Empty>
      )}
    </Part>
  );
}

/** Sends a browser of nobody to the provider. */
export async function oidcBegin(visit: Visit): Promise<PageAnswer> {
  return await begin(visit, undefined);
}

/** Sends a browser to the provider, to connect the account there with its session's person. */
export async function identityConnect(visit: OwnVisit): Promise<PageAnswer> {
  const { c, parts, place, session } = visit;
  if (session.issuer !== undefined) {
    return notDone("Connect", "Open the console from a paired device: tidemark console", 403);
  }
  const secret = cookieOf(c.req.header("cookie"), place.cookieName) ?? "";
  return await begin(visit, secretHash(parts, secret));
}

/** Ends the account's way in. */
export async function identityDisconnect(visit: OwnVisit): Promise<PageAnswer> {
  const { parts, session, nowMs, network } = visit;
  if (parts.oidc === undefined) return notFound();
  const { issuer } = parts.oidc;
  const asked = { asking: session.device.id, issuer, nowMs, network };
  const isDone = await parts.accounts.disconnectIdentity(asked);
  if (isDone) parts.log.info("identity-disconnected", { user: session.user.id });
  return isDone ? go(said(here, "disconnected")) : notFound();
}

async function begin(visit: Visit, sessionHash: string | undefined): Promise<PageAnswer> {
  const { c, parts, place, nowMs } = visit;
  if (parts.oidc === undefined) return notFound();
  const secret = Buffer.from(parts.random.bytes(32)).toString("base64url");
  const to = await parts.oidc.begin({ secret, redirectUri: place.origin + callback });
  if (!to.ok) return notAnswering(visit, parts.oidc.label);
  const stateHash = secretHash(parts, flowPart(parts, secret, "state"));
  await parts.accounts.saveOidcFlow({ stateHash, sessionHash, nowMs, endsAtMs: nowMs + flowMs });
  c.header("Set-Cookie", flowCookie(place, secret, flowMs));
  // A form may lead nowhere but to us, so the way to the provider is a page's own step.
  return onward(`On to ${parts.oidc.label}`, to.value);
}

/** Takes the provider's answer, once, in the browser that began (CO10). */
export async function oidcAnswer(visit: Visit): Promise<PageAnswer> {
  const { c, parts, place, nowMs } = visit;
  if (parts.oidc === undefined) return notFound();
  const secret = cookieOf(c.req.header("cookie"), flowCookieName(place));
  c.header("Set-Cookie", flowCookie(place, "", 0));
  const answer = new URL(c.req.url);
  const state = secret === undefined ? undefined : flowPart(parts, secret, "state");
  const given = answer.searchParams.getAll("state");
  if (secret === undefined || state === undefined || given.length !== 1 || given[0] !== state) {
    return notProven(visit, "foreign");
  }
  const flow = await parts.accounts.takeOidcFlow(secretHash(parts, state), nowMs);
  if (flow === undefined) return notProven(visit, "over");
  const proven = await parts.oidc.finish({ secret, redirectUri: place.origin + callback }, answer);
  if (!proven.ok) {
    return proven.error === "unavailable"
      ? notAnswering(visit, parts.oidc.label)
      : notProven(visit, "refused");
  }
  return flow.sessionHash === undefined
    ? await signIn(visit, proven.value)
    : await connect(visit, proven.value, flow.sessionHash);
}

async function signIn(
  { c, parts, place, nowMs, network }: Visit,
  { askedAtMs, ...identity }: ProvenIdentity,
): Promise<PageAnswer> {
  const secret = Buffer.from(parts.random.bytes(32)).toString("base64url");
  const session = await parts.accounts.openByIdentity({
    identity,
    sessionHash: secretHash(parts, secret),
    askedAtMs,
    nowMs,
    endsAtMs: nowMs + lifeMs,
    network,
  });
  if (session === undefined) {
    parts.log.warn("identity-refused", { reason: "unknown", network });
    return read(
      "Nobody here",
      <>
        <p>This sign-in is connected to nobody on this server, and nothing was made of it.</p>
        <p>Open the console from a device that is paired, and connect it there under Devices:</p>
        <p>
          <Run command="tidemark console" />
        </p>
      </>,
      { status: 403 },
    );
  }
  parts.log.info("console-opened", { device: session.device.id, by: "identity" });
  c.header("Set-Cookie", sessionCookie(place, secret, lifeMs), { append: true });
  return onward("Signed in", "/console");
}

const connectLines: Readonly<Record<ConnectError, string>> = {
  "signed-out": "The session that asked for it is over. Open the console anew, then connect.",
  taken: "This account cannot be connected to you. Sign in at the provider with your own one.",
  "connected-already": "An account is connected to you already. Disconnect it first.",
};

async function connect(
  { parts, nowMs, network }: Visit,
  { issuer, subject }: ProvenIdentity,
  sessionHash: string,
): Promise<PageAnswer> {
  const key: DeviceKey = {
    kty: "OKP",
    crv: "Ed25519",
    // Nobody has the other half: what stands for an account never signs (CO12).
    x: Buffer.from(parts.random.bytes(32)).toString("base64url"),
  };
  const connected = await parts.accounts.connectIdentity({
    sessionHash,
    identity: { issuer, subject },
    actor: {
      id: deviceId(parts.random.bytes(16)),
      name: parts.oidc?.label ?? issuer,
      key,
      thumbprint: await calculateJwkThumbprint({ ...key }),
    },
    nowMs,
    network,
  });
  if (connected.ok) {
    parts.log.info("identity-connected", { issuer });
    return onward("Connected", said(here, "connected"));
  }
  parts.log.warn("identity-refused", { reason: connected.error, network });
  return read("Not connected", <p>{connectLines[connected.error]}</p>, { status: 409 });
}

/**
 * A page that leads on by itself. Browsers keep our session from what another site leads to, its
 * redirects among it; what this page leads to is our own step.
 */
function onward(title: string, to: string): PageAnswer {
  return read(
    title,
    <>
      <meta http-equiv="refresh" content={`0; url=${to}`} />
      <p>
        <a href={to}>Go on</a>
      </p>
    </>,
  );
}

function notProven({ parts, network }: Visit, reason: "foreign" | "over" | "refused"): PageAnswer {
  parts.log.warn("identity-refused", { reason, network });
  return read(
    "Not signed in",
    <>
      <p>
        This is no answer to a sign-in that this browser has begun within the last ten minutes, or
        the provider's word does not hold. Nothing was changed.
      </p>
      <SignInBy label={parts.oidc?.label ?? ""} />
    </>,
    { status: 400 },
  );
}

function notAnswering({ parts }: Visit, label: string): PageAnswer {
  parts.log.warn("identity-refused", { reason: "unavailable" });
  return read(
    "No answer",
    <>
      <p>
        <bdi>{label}</bdi> does not answer. Try again in a minute, or open the console from a
        device:
      </p>
      <p>
        <Run command="tidemark console" />
      </p>
    </>,
    { status: 503 },
  );
}
