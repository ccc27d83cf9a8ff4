import { isId, type NamespaceId, type Result } from "@tidemark/protocol";
import type { AuditItem } from "@tidemark/protocol/wire";
import type { AuditError, AuditPage } from "../../store/audit-port.ts";
import { Empty, Rows, Said } from "../parts/bits.tsx";
import { timeText } from "../words.ts";
import { read, type OwnVisit, type PageAnswer } from "../visit.ts";
import { notDone, notFound } from "./refusals.tsx";

const rowsMax = 50;

/** Whose doings are shown: one's own, the whole server's, or one namespace's. */
type Scope = "own" | "server" | NamespaceId;

/** Who did what, newest first: of oneself, and where one's rights allow it of more (AD4). */
export async function audit(visit: OwnVisit): Promise<PageAnswer> {
  const { parts, session, c } = visit;
  const scope = scopeOf(c.req.query("of"));
  const after = c.req.query("after") ?? "";
  if (scope === undefined || !/^(?:[1-9]\d{0,14})?$/.test(after)) return notFound();
  const before = after === "" ? undefined : Number(after);
  const page = await pageOf(visit, scope, before);
  if (!page.ok && page.error.kind === "not-found") return notFound();
  if (!page.ok) {
    return notDone(
      "Audit",
      "The owner of the server reads all of it; admins that of a namespace.",
      403,
    );
  }
  const places = await parts.accounts.namespaces(session.device.id);
  const admined = places.filter(({ role }) => role === "admin" || role === "owner");
  const last = page.value.items.at(-1);
  return read(
    "Audit",
    <>
      <div class="tabs" role="navigation" aria-label="Whose doings">
        <Tab scope="own" name="Yours" here={scope} />
        {session.user.isOwner ? <Tab scope="server" name="The whole server" here={scope} /> : null}
        {admined.map(({ id, name }) => (
          <Tab scope={id} name={name} here={scope} />
        ))}
      </div>
      {page.value.items.length === 0 ? (
        <Empty title="Nothing happened yet">
          <p>Pairings, roles, links and sign-ins are written down here.</p>
        </Empty>
      ) : (
        <AuditRows items={page.value.items} />
      )}
      {page.value.hasMore && last !== undefined ? (
        <nav class="pager" aria-label="Pages">
          <a class="button" href={`/console/audit?of=${scope}&after=${last.seq}`} rel="next">
            Older
          </a>
        </nav>
      ) : null}
    </>,
    {
      lede: "Who did what, with which device and from where. Each row's hash covers the one before it, so that none can be changed in silence.",
    },
  );
}

function scopeOf(text: string | undefined): Scope | undefined {
  if (text === undefined || text === "own") return "own";
  if (text === "server") return text;
  return isId(text) ? (text as NamespaceId) : undefined;
}

async function pageOf(
  { parts, session }: OwnVisit,
  scope: Scope,
  before: number | undefined,
): Promise<Result<AuditPage, AuditError>> {
  const query = { asking: session.device.id, before, limit: rowsMax };
  if (scope === "own") return { ok: true, value: await parts.accounts.deviceLog(query) };
  const namespace = scope === "server" ? undefined : scope;
  return await parts.accounts.audit({ ...query, namespace });
}

function Tab(props: { readonly scope: Scope; readonly name: string; readonly here: Scope }) {
  const { scope, name, here } = props;
  return (
    <a
      href={`/console/audit?of=${scope}`}
      class={scope === here ? "here" : ""}
      aria-current={scope === here ? "true" : undefined}
    >
      <Said text={name} />
    </a>
  );
}

function AuditRows({ items }: { readonly items: readonly AuditItem[] }) {
  return Rows({
    label: "Audit",
    rows: items,
    columns: [
      {
        name: "What",
        of: ({ event, details, target }) => (
          <span class="stack">
            <span class="name">{wordsOf(event)}</span>
            <span class="small faint">
              {Object.entries(details).map(([name, value]) => (
                <>
                  {wordsOf(name).toLowerCase()}{" "}
                  <Said text={isTime(name, value) ? timeText(Number(value)) : String(value)} />
                  {" · "}
                </>
              ))}
              <span class="mono">{(target ?? "").slice(0, 14)}</span>
            </span>
          </span>
        ),
      },
      {
        name: "Who",
        of: ({ user, device }) =>
          user === undefined ? (
            <span class="faint">the server</span>
          ) : (
            <Said text={device === undefined ? user.name : `${user.name} / ${device.name}`} />
          ),
      },
      {
        name: "Where",
        of: ({ namespace }) => (namespace === undefined ? null : <Said text={namespace.name} />),
      },
      {
        name: "From",
        of: ({ network }) =>
          network === undefined ? null : <span class="mono nowrap">{network}</span>,
      },
      { name: "When", of: ({ at }) => <time class="nowrap">{timeText(at)}</time> },
      { name: "Row", isNumber: true, of: ({ seq }) => <span class="mono">{seq}</span> },
    ],
  });
}

function isTime(name: string, value: string | number): boolean {
  return (name === "until" || name === "since") && typeof value === "number" && value > 0;
}

function wordsOf(text: string): string {
  const words = text
    .replaceAll("-", " ")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
