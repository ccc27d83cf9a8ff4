import { readActivity, type NamespaceActivity } from "../../domain/reading.ts";
import type { DeviceWork } from "../../store/port.ts";
import { Badge, Empty, Part, Rows, Said, When } from "../parts/bits.tsx";
import { DayPlot } from "../parts/plot.tsx";
import { counted, numberText } from "../words.ts";
import { read, type OwnVisit, type PageAnswer } from "../visit.ts";
import { isUnread, Unread } from "./refusals.tsx";

/** A device that was not heard of for so long may have stopped to sync, in milliseconds. */
const quietMs = 7 * 86_400_000;

/** How much is written, by whom, and who has fallen silent. */
export async function activity(visit: OwnVisit): Promise<PageAnswer> {
  const { parts, session, nowMs } = visit;
  const device = session.device.id;
  const places = await parts.accounts.namespaces(device);
  const found = await Promise.all(
    places.map(async (place) => ({
      place,
      activity: await readActivity(parts, { namespace: place.id, device, nowMs }),
    })),
  );
  const known = found.flatMap(({ place, activity }) =>
    activity.ok ? [{ place, activity: activity.value }] : [],
  );
  return read(
    "Activity",
    <>
      <Unread count={found.filter((one) => isUnread(one.activity)).length} />
      <Part title="All of your namespaces" note="the last 30 days, in UTC">
        <DayPlot
          bars={summedDays(known.map(({ activity }) => activity))}
          label="Changes"
          noun="change"
        />
      </Part>
      {known.map(({ place, activity }) => (
        <Part title={place.name} note={`${counted(activity.head.head, "change")} in all`}>
          {activity.devices.length === 0 ? (
            <Empty title="Nothing was written here yet">
              <p>What a device saves arrives with its next sync.</p>
            </Empty>
          ) : (
            <>
              <DayPlot
                bars={activity.days.map(({ atMs, changes }) => ({ atMs, value: changes }))}
                label={`Changes in ${place.name}`}
                noun="change"
              />
              <WorkRows devices={activity.devices} nowMs={nowMs} />
            </>
          )}
        </Part>
      ))}
    </>,
    {
      lede: "How much is written and by which device. A device that has fallen silent may hold what nobody else has.",
    },
  );
}

/** Changes of each day over several namespaces. */
export function summedDays(
  all: readonly NamespaceActivity[],
): readonly { readonly atMs: number; readonly value: number }[] {
  const days = all[0]?.days ?? [];
  return days.map(({ atMs }, index) => ({
    atMs,
    value: all.reduce((sum, one) => sum + (one.days[index]?.changes ?? 0), 0),
  }));
}

function WorkRows({
  devices,
  nowMs,
}: {
  readonly devices: readonly DeviceWork[];
  readonly nowMs: number;
}) {
  return Rows({
    label: "Devices that write here",
    rows: devices,
    columns: [
      {
        name: "Device",
        of: ({ deviceName, userName }) => (
          <span class="name">
            <Said text={`${userName} / ${deviceName}`} />
          </span>
        ),
      },
      { name: "Changes", isNumber: true, of: ({ ops }) => numberText(ops) },
      { name: "Last seen", of: ({ lastSeenAtMs }) => <When at={lastSeenAtMs} now={nowMs} /> },
      { name: "Sync", of: (device) => <Health device={device} nowMs={nowMs} /> },
    ],
  });
}

function Health({ device, nowMs }: { readonly device: DeviceWork; readonly nowMs: number }) {
  if (!device.isLetIn) return <Badge text="shut out" tone="warn" />;
  const isQuiet = device.lastSeenAtMs === undefined || nowMs - device.lastSeenAtMs > quietMs;
  return isQuiet ? (
    <Badge text="silent for a week" tone="warn" />
  ) : (
    <Badge text="in touch" tone="good" />
  );
}
