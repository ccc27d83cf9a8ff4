import { parsePairCode } from "@tidemark/protocol/wire";
import type { PairingFacts } from "../../store/pairings-port.ts";
import { said } from "../done.ts";
import { Empty, Facts, Form, Part, Run, Said } from "../parts/bits.tsx";
import { counted, timeText } from "../words.ts";
import { go, read, type OwnVisit, type PageAnswer } from "../visit.ts";
import { notDone } from "./refusals.tsx";

const title = "Let a device in";
const lede =
  "Run tidemark pair, with this server's address, on the new device. It shows a code; type it here by hand.";

function isOff({ parts }: OwnVisit): boolean {
  return parts.pairing === "links-only";
}

/** Where the code of a new device is typed. */
export function pairing(visit: OwnVisit): PageAnswer {
  if (isOff(visit)) {
    return read(
      title,
      <Empty title="Devices show no codes on this server">
        <p>Whoever runs it lets them in by links alone. Make one on a device that is in:</p>
        <Run command="tidemark device add" />
      </Empty>,
    );
  }
  return read(title, <CodeForm visit={visit} />, { lede });
}

function CodeForm({ visit, problem }: { readonly visit: OwnVisit; readonly problem?: string }) {
  return (
    <Part title="The code that it shows">
      <Form visit={visit} action="/console/pairing" class="field">
        <label for="code">The first two groups, eight letters</label>
        <div class="inline">
          <input
            id="code"
            name="code"
            class="code-input"
            placeholder="WDJB-MJHT"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            required
            maxlength={24}
            data-first-half
            aria-describedby="code-hint"
          />
          <button type="submit" class="main">
            Look it up
          </button>
        </div>
        {problem === undefined ? null : (
          <p class="danger-text" role="alert">
            {problem}
          </p>
        )}
        <p class="hint" id="code-hint">
          The last six characters are a secret of the two devices, and no server sees them. A web
          page cannot check them; <code>tidemark approve</code> on a paired device does, and finds
          out a server that puts another device in place.
        </p>
      </Form>
    </Part>
  );
}

/** Shows what is known of the device behind a code; nothing is decided by that. */
export async function pairLookup(visit: OwnVisit): Promise<PageAnswer> {
  const { parts, session, network, nowMs, form } = visit;
  if (isOff(visit)) return pairing(visit);
  const code = parsePairCode(form.get("code") ?? "");
  if (code === undefined) {
    const problem = "That is no code. It looks like WDJB-MJHT: letters without vowels.";
    return read(title, <CodeForm visit={visit} problem={problem} />, { lede, status: 400 });
  }
  const asked = { asking: session.device.id, code: code.code, network, nowMs };
  const found = await parts.accounts.lookUpPairing(asked);
  if (found.ok) return read(title, <FactsForm visit={visit} facts={found.value} />);
  const { error } = found;
  parts.log.warn("pairing-lookup-refused", { reason: error.kind, device: session.device.id });
  if ("untilMs" in error) return locked(error.untilMs);
  const problem = "No device waits with this code. Codes work for five minutes, and once.";
  return read(title, <CodeForm visit={visit} problem={problem} />, { lede, status: 404 });
}

function locked(untilMs: number): PageAnswer {
  const line = `Too many wrong codes were typed. Letting devices in by code works again at ${timeText(untilMs)}.`;
  return notDone("Codes are locked for a while", line, 429);
}

function FactsForm({ visit, facts }: { readonly visit: OwnVisit; readonly facts: PairingFacts }) {
  const { nowMs, network, session } = visit;
  const age = Math.max(0, Math.floor((nowMs - facts.createdAtMs) / 1000));
  const left = Math.max(0, Math.ceil((facts.expiresAtMs - nowMs) / 60_000));
  const isKnown = facts.network !== undefined && facts.network !== "" && network !== undefined;
  const isSame = isKnown && facts.network === network;
  return (
    <div class="panel">
      <Part title={`As ${session.user.name}: is this device yours?`}>
        <Facts
          rows={[
            [
              "Name",
              <>
                <b>
                  <Said text={facts.name} />
                </b>{" "}
                <span class="faint">as it says itself</span>
              </>,
            ],
            [
              "System",
              <>
                <Said text={facts.platform} /> <span class="faint">as it says itself</span>
              </>,
            ],
            [
              "Network",
              isKnown ? (
                <>
                  {facts.network}{" "}
                  {isSame ? (
                    <span class="faint">the same as yours</span>
                  ) : (
                    <span class="danger-text">a DIFFERENT one than yours</span>
                  )}
                </>
              ) : (
                "not known"
              ),
            ],
            ["Asked", `${counted(age, "second")} ago, over in ${counted(left, "minute")}`],
            ["Key", <span class="mono">{facts.thumbprint}</span>],
            ["Access", "all that you may see and do; sealed namespaces excepted"],
          ]}
        />
      </Part>
      <Decision visit={visit} facts={facts} />
    </div>
  );
}

function Decision({ visit, facts }: { readonly visit: OwnVisit; readonly facts: PairingFacts }) {
  return (
    <>
      <p class="warning">
        Let it in only if YOU started this just now, on a machine in front of you. Nobody from
        support will ever ask for it.
      </p>
      <div class="pager">
        <Form visit={visit} action="/console/pairing/deny">
          <input type="hidden" name="id" value={facts.id} />
          <button type="submit" class="main" autofocus>
            No, send it away
          </button>
        </Form>
        <Form visit={visit} action="/console/pairing/approve" class="inline">
          <input type="hidden" name="id" value={facts.id} />
          <input type="hidden" name="word" value={lastWord(facts.name)} />
          <label for="typed">
            Type <q>{lastWord(facts.name)}</q>
          </label>
          <input id="typed" name="typed" autocomplete="off" required size={12} />
          <button type="submit" class="danger">
            Let it in
          </button>
        </Form>
      </div>
    </>
  );
}

/**
 * The last word of a name, which has to be read to be typed; a yes by habit lets nobody in (CO15),
 * also where a device that wants to be let in has named itself so.
 */
function lastWord(name: string): string {
  const seen = name.normalize("NFC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  const word = seen
    .match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu)
    ?.at(-1)
    ?.toLowerCase();
  return word === undefined || ["y", "yes"].includes(word) ? "let in" : word;
}

/** Lets a device in whose name was typed. */
export async function pairApprove(visit: OwnVisit): Promise<PageAnswer> {
  const typed = (visit.form.get("typed") ?? "").normalize("NFC").trim().toLowerCase();
  if (isOff(visit)) return pairing(visit);
  if (typed === "" || typed !== visit.form.get("word")) {
    return notDone(title, "The word that you typed is not the one of its name.", 400);
  }
  return await decide(visit, "approved");
}

/** Sends a device away. */
export async function pairDeny(visit: OwnVisit): Promise<PageAnswer> {
  return await decide(visit, "denied");
}

async function decide(visit: OwnVisit, decision: "approved" | "denied"): Promise<PageAnswer> {
  const { parts, session, network, nowMs, form } = visit;
  const id = form.get("id") ?? "";
  const asked = { asking: session.device.id, id, decision, network, nowMs };
  const decided = await parts.accounts.decidePairing(asked);
  if (decided.ok) {
    parts.polls.wake(id);
    parts.log.info("pairing-decided", { decision, by: session.device.id });
    return go(said("/console/pairing", decision));
  }
  const { error } = decided;
  if ("untilMs" in error) return locked(error.untilMs);
  const line = {
    "pair-not-pending": "Somebody has decided about this device already, or its time is over.",
    "approver-too-new":
      "The device that signed you in was paired less than 15 minutes ago. Until then it lets nobody in.",
    "device-revoked": "The device that signed you in is shut out.",
  }[error.kind];
  return notDone(title, line);
}
