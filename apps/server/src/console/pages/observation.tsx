import { isEncryptedId, isId, isTombstone, type RecordId, type WriterId } from "@tidemark/protocol";
import type { WriterInfo } from "@tidemark/protocol/wire";
import { readObservation, type ObservationView } from "../../domain/reading.ts";
import type { RevisionRow } from "../../store/port.ts";
import { observationOf, valueText, type Observation } from "../observation.ts";
import { Badge, Facts, Part, Run, Said, When } from "../parts/bits.tsx";
import { counted, timeText } from "../words.ts";
import { read, type OwnVisit, type PageAnswer } from "../visit.ts";
import { Entry, namespaceIn, suspectsIn } from "./memory.tsx";
import { notFound, shown } from "./refusals.tsx";

/** One observation: what it says, who said it, what it said before, and what came before it. */
export async function observation(visit: OwnVisit): Promise<PageAnswer> {
  const { parts, session, c, nowMs } = visit;
  const namespace = namespaceIn(visit);
  const id = c.req.param("record") ?? "";
  if (namespace === undefined || isEncryptedId(namespace) || !isId(id)) return notFound();
  const asked = { namespace, device: session.device.id, record: id as RecordId };
  const view = shown(await readObservation(parts, asked));
  if (view === undefined) return notFound();
  const known = { writers: view.writers, suspects: await suspectsIn(visit, namespace) };
  const item = observationOf(view.record, known);
  if (item === undefined) return notFound();
  const older = view.older.flatMap((record) => observationOf(record, known) ?? []);
  return read(
    item.title,
    <div class="two">
      <div>
        <Content item={item} />
        <History view={view} />
        {older.length === 0 ? null : (
          <Part title="Before it" note="the five observations that came before">
            {older.map((one) => (
              <Entry item={one} namespace={namespace} nowMs={nowMs} />
            ))}
          </Part>
        )}
      </div>
      <Aside visit={visit} item={item} view={view} />
    </div>,
  );
}

function Content({ item }: { readonly item: Observation }) {
  const { narrative, facts, isSuspect } = item;
  return (
    <Part title="What it says">
      {isSuspect ? (
        <p class="warning">
          A device in quarantine has written some of it. No agent and no list is given it.
        </p>
      ) : null}
      {narrative === "" && facts.length === 0 ? <p class="faint">Its title alone.</p> : null}
      {narrative === "" ? null : (
        <p class="prose" dir="auto">
          {narrative}
        </p>
      )}
      {facts.length === 0 ? null : (
        <ul class="list">
          {facts.map((fact) => (
            <li dir="auto">{fact}</li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function Aside(props: {
  readonly visit: OwnVisit;
  readonly item: Observation;
  readonly view: ObservationView;
}) {
  const { visit, item, view } = props;
  const { author, concepts, filesModified, filesRead, kind, project, agent } = item;
  const files = [...filesModified, ...filesRead];
  return (
    <aside class="panel">
      <Facts
        rows={[
          ["By", <Said text={author?.userName ?? "unknown"} />],
          ["Device", <Said text={author?.deviceName ?? "unknown"} />],
          ["When", <When at={item.atMs} now={visit.nowMs} />],
          ["Kind", kind === "" ? "none" : <Badge text={kind} tone="accent" />],
          ...(project === "" ? [] : [["Project", <Said text={project} />] as const]),
          ...(agent === "" ? [] : [["Agent", <Said text={agent} />] as const]),
          ...(concepts.length === 0 ? [] : [["Concepts", <Chips texts={concepts} />] as const]),
          ...(files.length === 0
            ? []
            : [["Files", <span class="mono">{files.slice(0, 12).join("\n")}</span>] as const]),
          ...(view.conflicts.count === 0
            ? []
            : [
                ["Conflicts", <a href="/console/conflicts">{lostText(view.conflicts)}</a>] as const,
              ]),
          ["Id", <span class="mono">{item.id}</span>],
        ]}
      />
      <p class="hint">A browser reads; a device writes. To change it:</p>
      <Run command={`tidemark edit ${item.id}`} />
    </aside>
  );
}

function lostText({ count, hasMore }: ObservationView["conflicts"]): string {
  return `${hasMore ? "more than " : ""}${counted(count, "value")} lost`;
}

function Chips({ texts }: { readonly texts: readonly string[] }) {
  return (
    <span class="chips">
      {texts.map((text) => (
        <Badge text={text} />
      ))}
    </span>
  );
}

function History({ view }: { readonly view: ObservationView }) {
  const { revisions, writers, record } = view;
  const made = isTombstone(record.state) ? 0 : Object.keys(record.state.registers).length;
  return (
    <Part title="History" note={`${counted(made, "field")} now`}>
      {revisions.rows.length === 0 ? (
        <p class="faint">Nothing of it was changed since it was written.</p>
      ) : (
        revisions.rows.map((row) => <Change row={row} writers={writers} />)
      )}
      {revisions.hasMore ? (
        <p class="faint">It was changed more often; older values are kept.</p>
      ) : null}
    </Part>
  );
}

function Change(props: {
  readonly row: RevisionRow;
  readonly writers: ReadonlyMap<WriterId, WriterInfo>;
}) {
  const { row, writers } = props;
  const by = writers.get(row.replacedByWriter);
  return (
    <div class="change">
      <div>
        <b>{row.field}</b>
        <div class="faint small">{timeText(row.at)}</div>
      </div>
      <div>
        <span class="was" dir="auto">
          {valueText(JSON.parse(row.value)) || "(empty)"}
        </span>
        <span class="faint small">
          was replaced by{" "}
          <Said
            text={by === undefined ? "somebody unknown" : `${by.userName} / ${by.deviceName}`}
          />
        </span>
      </div>
    </div>
  );
}
