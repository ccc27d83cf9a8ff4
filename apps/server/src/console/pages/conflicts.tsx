import { isEncryptedId, isTombstone, type JsonValue, type Register } from "@tidemark/protocol";
import type { NamespaceInfo } from "@tidemark/protocol/wire";
import { readConflicts, type ConflictsPage } from "../../domain/reading.ts";
import type { StoredRecord } from "../../store/port.ts";
import { observationOf, valueText } from "../observation.ts";
import { Empty, Part, Run, Said } from "../parts/bits.tsx";
import { counted, timeText } from "../words.ts";
import { read, type OwnVisit, type PageAnswer } from "../visit.ts";
import { isUnread, Unread } from "./refusals.tsx";

/** Values that lost to a concurrent change, beside those that stand, and how to settle each. */
export async function conflicts(visit: OwnVisit): Promise<PageAnswer> {
  const { parts, session } = visit;
  const device = session.device.id;
  const places = await parts.accounts.namespaces(device);
  const found = await Promise.all(
    places.map(async (place) => ({
      place,
      page: await readConflicts(parts, { namespace: place.id, device }),
    })),
  );
  const full = found.flatMap(({ place, page }) =>
    page.ok && page.value.records.length > 0 ? [{ place, page: page.value }] : [],
  );
  const unread = found.filter(({ page }) => isUnread(page)).length;
  return read(
    "Conflicts",
    <>
      <Unread count={unread} />
      {full.length + unread > 0 ? null : (
        <Empty title="Nobody disagrees">
          <p>When two devices change one field unaware of each other, both values stand here.</p>
        </Empty>
      )}
      {full.map(({ place, page }) => (
        <PlacePart place={place} page={page} />
      ))}
    </>,
    {
      lede: "Two devices changed one field unaware of each other. One value stands, the other waits here; nothing is lost until somebody settles it.",
    },
  );
}

function PlacePart({
  place,
  page,
}: {
  readonly place: NamespaceInfo;
  readonly page: ConflictsPage;
}) {
  const { records, hasMore } = page;
  const note = `${counted(records.length, "value")}${hasMore ? ", and more" : ""}`;
  return (
    <Part title={place.name} note={note}>
      {isEncryptedId(place.id) ? (
        <Empty title="Sealed on its members’ devices">
          <p>Which values they are, a device that has the key shows:</p>
          <Run command="tidemark conflicts" />
        </Empty>
      ) : (
        records.map((record) => <Conflict record={record} page={page} place={place} />)
      )}
    </Part>
  );
}

function Conflict(props: {
  readonly record: StoredRecord;
  readonly page: ConflictsPage;
  readonly place: NamespaceInfo;
}) {
  const { record, page, place } = props;
  const { state } = record;
  if (isTombstone(state)) return null;
  const value = (name: string): JsonValue | undefined => state.registers[name]?.value;
  const field = valueText(value("field"));
  const parent = state.parent === undefined ? undefined : page.parents.get(state.parent);
  const standing = parent === undefined ? undefined : registerOf(parent, field);
  const item =
    parent === undefined
      ? undefined
      : observationOf(parent, { writers: page.writers, suspects: [] });
  const lost = state.registers["value"];
  return (
    <article class="conflict">
      <header>
        <h3>
          {item === undefined ? (
            "A record that is not here"
          ) : (
            <a href={`/console/memory/${place.id}/${item.id}`} data-entry>
              <Said text={item.title} />
            </a>
          )}{" "}
          <span class="faint">· {field}</span>
        </h3>
      </header>
      <div class="sides">
        <Side
          name="Stands"
          value={standing}
          page={page}
          command={`tidemark resolve ${state.id.slice(0, 12)} --keep current`}
        />
        <Side
          name="Lost"
          value={lost}
          page={page}
          command={`tidemark resolve ${state.id.slice(0, 12)} --keep losing`}
        />
      </div>
    </article>
  );
}

function registerOf({ state }: StoredRecord, field: string): Register | undefined {
  return isTombstone(state) ? undefined : state.registers[field];
}

function Side(props: {
  readonly name: string;
  readonly value: Register | undefined;
  readonly page: ConflictsPage;
  readonly command: string;
}) {
  const { name, value, page, command } = props;
  const by = value === undefined ? undefined : page.writers.get(value.clock.writer);
  return (
    <div>
      <span class="faint small">
        {name}
        {by === undefined ? "" : ", "}
        {by === undefined ? null : <Said text={`${by.userName} / ${by.deviceName}`} />}
        {value === undefined ? "" : `, ${timeText(value.at)}`}
      </span>
      <span class="value" dir="auto">
        {valueText(value?.value) || "(empty)"}
      </span>
      <Run command={command} />
    </div>
  );
}
