import { features, protocolVersion } from "@tidemark/protocol";
import { Badge, Empty, Facts, Part, Run } from "../parts/bits.tsx";
import { bytesText, numberText, timeText } from "../words.ts";
import { serverLimits } from "../../limits.ts";
import { read, type OwnVisit, type PageAnswer } from "../visit.ts";

/** How the server is, and to its owner how it is set up; no secret is among it (abuse 171). */
export async function server(visit: OwnVisit): Promise<PageAnswer> {
  const { parts, session, nowMs } = visit;
  const isDatabaseThere = await parts.store.ping();
  const { id, claimedAtMs } = await parts.claim.server();
  const { lifeMs } = serverLimits.console;
  return read(
    "Server",
    <>
      <Part title="Health">
        <Facts
          rows={[
            ["Requests", <Health isGood={parts.isReady} yes="taken" no="shutting down" />],
            ["Database", <Health isGood={isDatabaseThere} yes="answers" no="does not answer" />],
            ["Version", parts.version],
            ["Protocol", `${protocolVersion}, with ${numberText(features.length)} features`],
            ["Time", timeText(nowMs)],
            ["Id", <span class="mono">{id}</span>],
            ["Owned since", claimedAtMs === undefined ? "unknown" : timeText(claimedAtMs)],
          ]}
        />
      </Part>
      <Part title="This session">
        <Facts
          rows={[
            ["Signed in", timeText(session.madeAtMs)],
            ["By", session.device.name],
            ["Ends", `${timeText(session.madeAtMs + lifeMs)}, or after an hour without use`],
            ["Address", visit.place.origin],
          ]}
        />
      </Part>
      {session.user.isOwner ? (
        <Settings visit={visit} />
      ) : (
        <Empty title="Settings are shown to the owner of the server">
          <p>They are made where it is started.</p>
        </Empty>
      )}
    </>,
  );
}

function Health(props: { readonly isGood: boolean; readonly yes: string; readonly no: string }) {
  const { isGood, yes, no } = props;
  return <Badge text={isGood ? yes : no} tone={isGood ? "good" : "warn"} />;
}

function Settings({ visit }: { readonly visit: OwnVisit }) {
  const { quota, publicUrls, pairing, secrets, jobs } = visit.parts;
  const issuers = jobs?.issuers.length ?? 0;
  return (
    <Part title="Settings" note="as the server was started">
      <Facts
        rows={[
          ["Public URLs", publicUrls.join(", ")],
          ["New devices", pairing === "links-only" ? "by links alone" : "by a code or a link"],
          ["Secret check", secrets === undefined ? "off" : "on: changes with a secret are refused"],
          ["CI services", `${numberText(issuers)} whose jobs may come in by their tokens`],
          [
            "Quota",
            `${numberText(quota.recordsMax)} records and ${bytesText(quota.bytesMax)} a namespace`,
          ],
          ["A device a day", `${numberText(quota.deviceOpsMax)} changes in a namespace`],
        ]}
      />
      <p class="hint">
        They are options and variables of the server. This lists each with its meaning:
      </p>
      <Run command="tidemark-server serve --help" />
    </Part>
  );
}
