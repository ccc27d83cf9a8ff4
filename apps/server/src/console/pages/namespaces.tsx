import {
  isAtLeast,
  isId,
  namespaceId,
  roles,
  type NamespaceId,
  type Role,
  type UserId,
} from "@tidemark/protocol";
import {
  namespaceRequestSchema,
  type LinkInfo,
  type MemberInfo,
  type WaitingMember,
} from "@tidemark/protocol/wire";
import { readActivity } from "../../domain/reading.ts";
import { createMark, tooManyNamespaces } from "../../http/admission.ts";
import { said } from "../done.ts";
import { Act, Badge, Empty, Form, Part, Rows, Run, Said, When } from "../parts/bits.tsx";
import { Meter } from "../parts/plot.tsx";
import { bytesText, counted, numberText, timeText } from "../words.ts";
import { go, read, type OwnVisit, type PageAnswer } from "../visit.ts";
import { isUnread, notDone, notFound, shown, Unread } from "./refusals.tsx";

const here = "/console/namespaces";

/** The namespaces of the person, and what each holds of its quota. */
export async function namespaces(visit: OwnVisit): Promise<PageAnswer> {
  const { parts, session, nowMs } = visit;
  const device = session.device.id;
  const all = await parts.accounts.namespaces(device);
  const rows = await Promise.all(
    all.map(async (place) => ({
      ...place,
      activity: await readActivity(parts, { namespace: place.id, device, nowMs }),
    })),
  );
  const { quota } = parts;
  return read(
    "Namespaces",
    <>
      <Unread count={rows.filter((row) => isUnread(row.activity)).length} />
      <Part title="Yours" note={counted(all.length, "namespace")}>
        {Rows({
          label: "Namespaces",
          rows,
          columns: [
            {
              name: "Namespace",
              of: ({ id, name, kind }) => (
                <span class="stack">
                  <a class="name" href={`${here}/${id}`} data-entry>
                    <Said text={name} />
                  </a>
                  <span class="faint small">{kind}</span>
                </span>
              ),
            },
            { name: "Your role", of: ({ role }) => <Badge text={role} /> },
            {
              name: "Records",
              isNumber: true,
              of: ({ activity }) =>
                activity.ok ? numberText(activity.value.head.liveCount) : "unknown",
            },
            {
              name: "Storage",
              of: ({ activity }) =>
                activity.ok ? (
                  <Meter
                    label="Storage"
                    used={activity.value.head.liveBytes}
                    max={quota.bytesMax}
                    text={`${bytesText(activity.value.head.liveBytes)} of ${bytesText(quota.bytesMax)}`}
                  />
                ) : (
                  "unknown"
                ),
            },
          ],
        })}
      </Part>
      <NewNamespace visit={visit} />
    </>,
    {
      lede: "What is shared, with whom. Memory of a namespace reaches its members and nobody else.",
    },
  );
}

function NewNamespace({ visit }: { readonly visit: OwnVisit }) {
  return (
    <Part title="Make one to share">
      <Form visit={visit} action={here} class="field">
        <label for="name">Name</label>
        <div class="inline">
          <input id="name" name="name" required maxlength={64} autocomplete="off" />
          <button type="submit" class="main">
            Make it
          </button>
        </div>
      </Form>
    </Part>
  );
}

/** Makes a namespace. */
export async function namespaceCreate(visit: OwnVisit): Promise<PageAnswer> {
  const { parts, session, network, form } = visit;
  const asked = namespaceRequestSchema.safeParse({ name: form.get("name") ?? "" });
  if (!asked.success) return notDone("Make a namespace", "A name has 1 to 64 characters.", 400);
  const made = await parts.accounts.createNamespace({
    asking: session.device.id,
    id: namespaceId(parts.random.bytes(16)),
    name: asked.data.name,
    mark: createMark(parts),
    network,
  });
  if (made.ok) return go(said(`${here}/${made.value.id}`, "created"));
  return made.error.kind === "device-revoked"
    ? notFound()
    : notDone("Make a namespace", tooManyNamespaces);
}

/** One namespace: who is in, who waits, which links open it, what it holds. */
export async function namespace(visit: OwnVisit): Promise<PageAnswer> {
  const { parts, session, nowMs } = visit;
  const { accounts, quota } = parts;
  const id = placeOf(visit);
  if (id === undefined) return notFound();
  const device = session.device.id;
  const place = (await accounts.namespaces(device)).find((one) => one.id === id);
  const members = await accounts.members({ device, namespace: id });
  const activity = shown(await readActivity(parts, { namespace: id, device, nowMs }));
  if (place === undefined || !members.ok || activity === undefined) return notFound();
  const isAdmin = isAtLeast(place.role, "admin");
  const waiting = isAdmin ? await accounts.waiting({ device, namespace: id }) : undefined;
  const links = (await accounts.links(device, nowMs)).filter((link) => link.namespace === id);
  const { liveCount, liveBytes } = activity.head;
  const given = { visit, id, role: place.role };
  return read(
    place.name,
    <>
      {waiting?.ok === true && waiting.value.length > 0 ? (
        <Part title="They wait to be let in">
          <WaitingRows {...given} waiting={waiting.value} />
        </Part>
      ) : null}
      <Part
        title="Members"
        note={counted(members.value.length, "person").replace("persons", "people")}
      >
        <MemberRows {...given} members={members.value} />
      </Part>
      {place.kind === "personal" ? null : (
        <Part title="Invites and links">
          {links.length === 0 ? (
            <Empty title={isAdmin ? "Nobody is invited" : "Only admins invite"}>
              <p>
                The secret of an invite is made on your device, so that this server never has it.
              </p>
              <Run command={`tidemark namespace invite ${shellWord(place.name)}`} />
            </Empty>
          ) : (
            <LinkRows visit={visit} links={links} />
          )}
        </Part>
      )}
      <Part title="Quota">
        <div class="grid">
          <Meter
            label="Records"
            used={liveCount}
            max={quota.recordsMax}
            text={`${numberText(liveCount)} of ${counted(quota.recordsMax, "record")}`}
          />
          <Meter
            label="Storage"
            used={liveBytes}
            max={quota.bytesMax}
            text={`${bytesText(liveBytes)} of ${bytesText(quota.bytesMax)}`}
          />
        </div>
      </Part>
      <p>
        <a href={`/console/memory?namespace=${id}`}>Read its memory</a>
      </p>
    </>,
    { lede: `A ${place.kind} namespace. You are its ${place.role}.` },
  );
}

/** A word that a shell takes as one, whatever it holds. */
function shellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

interface Given {
  readonly visit: OwnVisit;
  readonly id: NamespaceId;
  readonly role: Role;
}

function MemberRows({ visit, id, role, members }: Given & { members: readonly MemberInfo[] }) {
  const own = visit.session.user.id;
  const isAdmin = isAtLeast(role, "admin");
  const action = (user: UserId, act: string): string => `${here}/${id}/members/${user}/${act}`;
  return Rows({
    label: "Members",
    rows: members,
    columns: [
      {
        name: "Person",
        of: ({ user }) => (
          <span class="name">
            <Said text={user.name} /> {user.id === own ? <Badge text="you" tone="accent" /> : null}
          </span>
        ),
      },
      {
        name: "Role",
        of: ({ user, role: held }) =>
          isAdmin && user.id !== own ? (
            <Form visit={visit} action={action(user.id, "role")} class="inline">
              <select name="role" aria-label={`Role of ${user.name}`}>
                {roles.map((one) => (
                  <option value={one} selected={one === held}>
                    {one}
                  </option>
                ))}
              </select>
              <button type="submit">Change</button>
            </Form>
          ) : (
            <Badge text={held} />
          ),
      },
      {
        name: "",
        of: ({ user }) =>
          isAdmin || user.id === own ? (
            <Act
              visit={visit}
              action={action(user.id, "remove")}
              name={user.id === own ? "Leave" : "Remove"}
              verb={user.id === own ? "Leave it" : `Remove ${user.name}`}
            >
              <p>No more of it is synced. What their devices hold already stays with them.</p>
            </Act>
          ) : null,
      },
    ],
  });
}

function WaitingRows({ visit, id, waiting }: Given & { waiting: readonly WaitingMember[] }) {
  const action = (user: UserId, act: string): string => `${here}/${id}/members/${user}/${act}`;
  return Rows({
    label: "People who wait",
    rows: waiting,
    columns: [
      {
        name: "Person",
        of: ({ user, device, network, madeFor }) => (
          <span class="stack">
            <span class="name">
              <Said text={user.name} />
            </span>
            <span class="faint small">
              from <Said text={device.name} /> {network === undefined ? "" : `in ${network}`}
            </span>
            {madeFor === undefined ? null : (
              <span class="small">
                the invite was made for <Said text={madeFor} />
              </span>
            )}
          </span>
        ),
      },
      { name: "As", of: ({ role }) => <Badge text={role} /> },
      { name: "Since", of: ({ since }) => <When at={since} now={visit.nowMs} /> },
      {
        name: "",
        of: ({ user, role }) => (
          <div class="inline">
            <Form visit={visit} action={action(user.id, "confirm")}>
              <input type="hidden" name="role" value={role} />
              <button type="submit">Let in</button>
            </Form>
            <Form visit={visit} action={action(user.id, "decline")}>
              <button type="submit" class="danger">
                Send away
              </button>
            </Form>
          </div>
        ),
      },
    ],
  });
}

function LinkRows({ visit, links }: { visit: OwnVisit; links: readonly LinkInfo[] }) {
  const kinds = { device: "for a device", invite: "invite", ci: "for machines" } as const;
  return Rows({
    label: "Links",
    rows: links,
    columns: [
      {
        name: "Link",
        of: ({ id, kind, maker }) => (
          <span class="stack">
            <span class="name">{kinds[kind]}</span>
            <span class="faint small">
              <span class="mono">{id.slice(0, 12)}</span>
              {maker === undefined ? null : <> · of {maker.name}</>}
            </span>
          </span>
        ),
      },
      { name: "Role", of: ({ role }) => role ?? "" },
      { name: "Used", of: ({ uses, usesMax }) => `${uses} of ${usesMax}` },
      { name: "Until", of: ({ expiresAt }) => timeText(expiresAt) },
      {
        name: "",
        of: ({ id, status }) =>
          status === "open" ? (
            <Act visit={visit} action={`/console/links/${id}/end`} name="End" verb="End it">
              <p>It lets nobody in any more. What it let in stays in.</p>
            </Act>
          ) : (
            <Badge text="over" />
          ),
      },
    ],
  });
}

function placeOf({ c }: OwnVisit): NamespaceId | undefined {
  const id = c.req.param("namespace") ?? "";
  return isId(id) ? (id as NamespaceId) : undefined;
}
