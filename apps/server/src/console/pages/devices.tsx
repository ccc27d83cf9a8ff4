import { isId, type DeviceId } from "@tidemark/protocol";
import { deviceRenameSchema, type DeviceInfo } from "@tidemark/protocol/wire";
import { said } from "../done.ts";
import { Act, Badge, Empty, Form, Part, Rows, Run, Said, When } from "../parts/bits.tsx";
import { timeText } from "../words.ts";
import { go, read, type OwnVisit, type PageAnswer } from "../visit.ts";
import { IdentityPart } from "./identity.tsx";
import { notDone, notFound } from "./refusals.tsx";

const here = "/console/devices";

/** The devices of the person, when each was last seen, and how to shut one out. */
export async function devices(visit: OwnVisit): Promise<PageAnswer> {
  const all = await visit.parts.accounts.devices(visit.session.device.id);
  const identities = await visit.parts.accounts.identities(visit.session.device.id);
  const live = all.filter(({ status }) => status === "active");
  const gone = all.filter(({ status }) => status !== "active");
  return read(
    "Devices",
    <>
      <Part title="Let in" note="most recently seen first">
        <DeviceRows visit={visit} devices={live} />
      </Part>
      {gone.length === 0 ? null : (
        <Part title="Shut out">
          <DeviceRows visit={visit} devices={gone} />
        </Part>
      )}
      <IdentityPart visit={visit} identities={identities} />
      <Part title="Add one">
        <Empty title="A new laptop, server or CI job">
          <p>Run this on a device that is in; it prints one line to paste on the new one.</p>
          <Run command="tidemark device add" />
          <p>
            Or type the code that the new device shows:{" "}
            <a href="/console/pairing">let a device in</a>.
          </p>
        </Empty>
      </Part>
    </>,
    {
      lede: "Each is known by a key that never leaves it. Shutting one out ends its access at once; what it has already synced stays on it.",
    },
  );
}

function DeviceRows({
  visit,
  devices,
}: {
  readonly visit: OwnVisit;
  readonly devices: readonly DeviceInfo[];
}) {
  const { nowMs, session } = visit;
  const sorted = devices.toSorted(
    (left, right) => (right.lastSeenAt ?? 0) - (left.lastSeenAt ?? 0),
  );
  return Rows({
    label: "Devices",
    rows: sorted,
    columns: [
      {
        name: "Device",
        of: ({ id, name, platform, kind }) => (
          <span class="stack">
            <span class="name">
              <Said text={name} />{" "}
              {id === session.device.id ? <Badge text="signed you in" tone="accent" /> : null}
              {kind === "ci" ? <Badge text="machine" /> : null}
            </span>
            <span class="faint small">
              <Said text={platform} /> · <span class="mono">{id.slice(0, 12)}</span>
            </span>
          </span>
        ),
      },
      { name: "Last seen", of: ({ lastSeenAt }) => <When at={lastSeenAt} now={nowMs} /> },
      {
        name: "Paired",
        of: ({ pairedAt }) => <time title={timeText(pairedAt)}>{timeText(pairedAt)}</time>,
      },
      { name: "", of: (device) => <DeviceActs visit={visit} device={device} /> },
    ],
  });
}

function DeviceActs({ visit, device }: { readonly visit: OwnVisit; readonly device: DeviceInfo }) {
  const { id, name, status } = device;
  if (status !== "active") return <Badge text="shut out" tone="warn" />;
  return (
    <div class="stack">
      <details class="more">
        <summary>Rename</summary>
        <Form visit={visit} action={`${here}/${id}/rename`} class="inline">
          <input
            name="name"
            value={name}
            maxlength={64}
            required
            aria-label={`New name of ${name}`}
          />
          <button type="submit">Rename</button>
        </Form>
      </details>
      <Act visit={visit} action={`${here}/${id}/revoke`} name="Shut out" verb={`Shut out ${name}`}>
        <p>
          It neither reads nor writes from now on, and comes back only by pairing anew.
          {id === visit.session.device.id
            ? " You are signed in by it, so this page ends as well."
            : ""}
        </p>
      </Act>
    </div>
  );
}

/** Takes another name for a device. */
export async function deviceRename(visit: OwnVisit): Promise<PageAnswer> {
  const id = deviceOf(visit);
  const asked = deviceRenameSchema.safeParse({ name: visit.form.get("name") ?? "" });
  if (!asked.success) return notDone("Rename", "A name has 1 to 64 characters.", 400);
  const { accounts } = visit.parts;
  const { name } = asked.data;
  const asking = visit.session.device.id;
  const isDone = id !== undefined && (await accounts.renameDevice(asking, id, name, visit.network));
  return isDone ? go(said(here, "renamed")) : notFound();
}

/** Shuts a device out. */
export async function deviceRevoke(visit: OwnVisit): Promise<PageAnswer> {
  const { parts, session, network } = visit;
  const id = deviceOf(visit);
  if (id === undefined) return notFound();
  const onShutOut = (): void => {
    parts.endStreams(id);
    parts.log.info("device-revoked", { device: id, by: session.device.id });
  };
  const asked = { asking: session.device.id, id, network, onShutOut };
  const revoked = await parts.accounts.revokeDevice(asked);
  if (revoked.ok) return go(said(here, "revoked"));
  if (revoked.error.kind === "not-found") return notFound();
  return notDone(
    "Your last device",
    "Without it nobody would get in as you. Pair another one first; or shut it out on the command line with `tidemark device revoke --force`.",
  );
}

function deviceOf({ c }: OwnVisit): DeviceId | undefined {
  const id = c.req.param("device") ?? "";
  return isId(id) ? (id as DeviceId) : undefined;
}
