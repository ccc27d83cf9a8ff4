import { isId, type NamespaceId, type Role, type UserId } from "@tidemark/protocol";
import { roleRequestSchema } from "@tidemark/protocol/wire";
import type { MembershipActor, WaitingError } from "../../store/accounts-port.ts";
import { said, type Done } from "../done.ts";
import { go, type OwnVisit, type PageAnswer } from "../visit.ts";
import { notDone, notFound } from "./refusals.tsx";

type Wrong = WaitingError["kind"] | "last-owner";

interface Asked {
  readonly actor: MembershipActor;
  readonly user: UserId;
  readonly role: Role | undefined;
}

/** Gives a member another role. */
export async function memberRole(visit: OwnVisit): Promise<PageAnswer> {
  return await changed(visit, "role", async ({ actor, user, role }) =>
    role === undefined ? "invalid" : kindOf(await visit.parts.accounts.setRole(actor, user, role)),
  );
}

/** Takes a member out, or oneself. */
export async function memberRemove(visit: OwnVisit): Promise<PageAnswer> {
  return await changed(visit, "removed", async ({ actor, user }) =>
    kindOf(await visit.parts.accounts.removeMember(actor, user)),
  );
}

/** Lets somebody in who waits. */
export async function memberConfirm(visit: OwnVisit): Promise<PageAnswer> {
  return await changed(visit, "confirmed", async ({ actor, user, role }) =>
    role === undefined
      ? "invalid"
      : kindOf(await visit.parts.accounts.confirmMember(actor, user, role)),
  );
}

/** Sends somebody away who waits. */
export async function memberDecline(visit: OwnVisit): Promise<PageAnswer> {
  return await changed(visit, "declined", async ({ actor, user }) =>
    kindOf(await visit.parts.accounts.declineMember(actor, user)),
  );
}

function kindOf(
  result: { readonly ok: true } | { readonly ok: false; readonly error: { readonly kind: Wrong } },
): Wrong | undefined {
  return result.ok ? undefined : result.error.kind;
}

async function changed(
  visit: OwnVisit,
  done: Done,
  change: (asked: Asked) => Promise<Wrong | "invalid" | undefined>,
): Promise<PageAnswer> {
  const { c, form, session, network, parts } = visit;
  const namespace = c.req.param("namespace") ?? "";
  const user = c.req.param("user") ?? "";
  if (!isId(namespace) || !isId(user)) return notFound();
  const role = roleRequestSchema.safeParse({ role: form.get("role") });
  const actor = { device: session.device.id, namespace: namespace as NamespaceId, network };
  const asked = { actor, user: user as UserId, role: role.success ? role.data.role : undefined };
  const wrong = await change(asked);
  if (wrong === "not-found") return notFound();
  if (wrong !== undefined) return notDone("Members", sentences[wrong], statuses[wrong]);
  parts.log.info(`console-member-${done}`, { ...actor, user });
  const isSelf = user === session.user.id && done === "removed";
  return go(said(isSelf ? "/console/namespaces" : `/console/namespaces/${namespace}`, done));
}

const sentences = {
  forbidden: "Your role in this namespace does not allow it.",
  "last-owner": "A namespace keeps one owner. Make somebody else owner first.",
  conflict: "They wait for another role now. Look at the page again.",
  invalid: "That is no role.",
} as const;

const statuses = { forbidden: 403, "last-owner": 409, conflict: 409, invalid: 400 } as const;

/** Ends a link; what it let in stays in. */
export async function linkEnd(visit: OwnVisit): Promise<PageAnswer> {
  const { c, parts, session, network, nowMs } = visit;
  const id = c.req.param("link") ?? "";
  const asking = session.device.id;
  const link = (await parts.accounts.links(asking, nowMs)).find((one) => one.id === id);
  const asked = { asking, id, withDevices: false, network, nowMs };
  const ended = link === undefined ? undefined : await parts.accounts.revokeLink(asked);
  if (link === undefined || ended === undefined) return notFound();
  parts.log.info("link-revoked", { devices: 0, by: asking });
  const place = link.namespace === undefined ? "" : `/${link.namespace}`;
  return go(said(`/console/namespaces${place}`, "ended"));
}
