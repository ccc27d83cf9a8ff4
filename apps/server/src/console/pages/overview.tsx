import { readActivity, readConflicts, readObservations } from "../../domain/reading.ts";
import { observationOf } from "../observation.ts";
import { Empty, Part, Run } from "../parts/bits.tsx";
import { DayPlot } from "../parts/plot.tsx";
import { numberText } from "../words.ts";
import { read, type OwnVisit, type PageAnswer } from "../visit.ts";
import { summedDays } from "./activity.tsx";
import { Entry, suspectsIn } from "./memory.tsx";
import { isUnread, Unread } from "./refusals.tsx";

const newestMax = 6;

/** Where everything stands, and what came last. */
export async function overview(visit: OwnVisit): Promise<PageAnswer> {
  const { parts, session, nowMs } = visit;
  const device = session.device.id;
  const [places, devices] = await Promise.all([
    parts.accounts.namespaces(device),
    parts.accounts.devices(device),
  ]);
  const found = await Promise.all(
    places.map(async (place) => {
      const reading = { namespace: place.id, device };
      const [activity, conflicts, newest, suspects] = await Promise.all([
        readActivity(parts, { ...reading, nowMs }),
        readConflicts(parts, reading),
        readObservations(parts, { ...reading, before: undefined, words: [] }),
        suspectsIn(visit, place.id),
      ]);
      const { records, writers } = newest.ok ? newest.value : { records: [], writers: new Map() };
      const items = records.flatMap((one) => observationOf(one, { writers, suspects }) ?? []);
      return {
        isUnread: [activity, conflicts, newest].some(isUnread),
        activity: activity.ok ? activity.value : undefined,
        conflicts: conflicts.ok ? conflicts.value.records.length : 0,
        items: items.map((item) => ({ item, namespace: place.id })),
      };
    }),
  );
  const known = found.flatMap(({ activity }) => activity ?? []);
  const items = found
    .flatMap(({ items }) => items)
    .toSorted((left, right) => right.item.atMs - left.item.atMs)
    .slice(0, newestMax);
  const unread = found.filter((one) => one.isUnread).length;
  const active = devices.filter(({ status }) => status === "active");
  return read(
    `Good to see you, ${session.user.name}`,
    <>
      <Unread count={unread} />
      <div class="tiles">
        <Tile
          to="/console/memory"
          value={sum(known.map(({ head }) => head.liveCount))}
          name="records"
        />
        <Tile to="/console/namespaces" value={places.length} name="namespaces" />
        <Tile to="/console/devices" value={active.length} name="devices" />
        <Tile
          to="/console/conflicts"
          value={sum(found.map(({ conflicts }) => conflicts))}
          name="conflicts"
        />
      </div>
      <Part title="Changes" note="the last 30 days, in UTC">
        <DayPlot bars={summedDays(known)} label="In all of your namespaces" noun="change" />
      </Part>
      <Part title="Learned last">
        {items.length + unread === 0 ? (
          <Empty title="Nothing is remembered yet">
            <p>Connect an agent; what it learns arrives by itself.</p>
            <Run command="tidemark install" />
          </Empty>
        ) : (
          items.map(({ item, namespace }) => (
            <Entry item={item} namespace={namespace} nowMs={nowMs} />
          ))
        )}
      </Part>
    </>,
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}

function Tile(props: { readonly to: string; readonly value: number; readonly name: string }) {
  const { to, value, name } = props;
  return (
    <a class="tile" href={to}>
      <b>{numberText(value)}</b>
      <span class="faint">{name}</span>
    </a>
  );
}
