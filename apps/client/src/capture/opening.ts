import { skipped, type Parsed } from "./event.ts";
import { isFields, textOf, type Fields } from "./json.ts";
import { detectHost } from "./payload/host.ts";

/** How one host's payloads say who sends them, what happened and in which session. */
export interface HostForm {
  /** Hosts that a payload may look like; some of a host's own say nothing that tells it apart. */
  readonly hosts: readonly ReturnType<typeof detectHost>[];
  /** The member that names the event. */
  readonly event: string;
  /** The members that name the session, the first that is there. */
  readonly session: readonly string[];
}

/** What every payload begins with. */
interface Opening {
  readonly ok: true;
  readonly fields: Fields;
  /** The host's own name of the event. */
  readonly name: string;
  readonly sessionId: string;
}

/** Reads what a payload begins with, or tells why it is nothing for this adapter (CP2, CP4). */
export function readOpening(
  event: string,
  payload: unknown,
  form: HostForm,
): Opening | Extract<Parsed, { readonly ok: false }> {
  if (!isFields(payload)) return refused("not an object");
  if (!form.hosts.includes(detectHost(payload))) return refused("another host");
  const name = textOf(payload, form.event) ?? event;
  if (event !== "" && name !== event) return refused("another event");
  const sessionId = textOf(payload, ...form.session);
  if (sessionId === undefined) return refused("no session id");
  return { ok: true, fields: payload, name, sessionId };
}

function refused(reason: string): Extract<Parsed, { readonly ok: false }> {
  return skipped(reason) as Extract<Parsed, { readonly ok: false }>;
}
