import type { ForkCause } from "@tidemark/protocol";

const forkNotices: Readonly<Record<ForkCause, string>> = {
  "home-restored": "the memory of this device is an older copy of itself (a restored backup?)",
  "home-cloned": "the memory of this device was copied to another one and both were used",
  "server-restored": "the server has lost changes that it had taken (a restored backup?)",
};

/** What a person is told after a fork: what happened, and that nothing is lost. */
export function forkNotice(cause: ForkCause, opCount: number): string {
  const lost = `${forkNotices[cause]}; nothing is lost`;
  if (opCount === 0) return lost;
  const sent = opCount === 1 ? "1 change is" : `${opCount} changes are`;
  return `${lost}: ${sent} sent again under a new writer`;
}

const ahead = "only on this device: the server does not take them from it";

/** What a person is told about states that the server does not take from this device. */
export function aheadNotice(count: number): string {
  return `${count === 1 ? "1 record is" : `${count} records are`} ${ahead}`;
}

/** Whether a notice speaks of states that only this device has; equal digests end it. */
export function isAheadNotice(notice: string | null): boolean {
  return notice?.endsWith(ahead) === true;
}

/** What a person is told when the server no longer lists a namespace. */
export const parkedNotice: string =
  "the server no longer lists this namespace: sync stopped, everything here is kept; " +
  "tidemark export --namespace ID --output FILE, then tidemark import FILE --namespace OTHER takes it along";

/** What a person is told when another server claims a namespace of the present one. */
export const foreignServerNotice: string =
  "another server lists this namespace: nothing is sent to it";

/** What a person is told of a namespace that a damaged database no longer said anything about. */
export const salvagedNotice: string =
  "saved from a damaged database: what waits here goes out once the server lists this namespace";

const unopened = "that no member sealed for that place";

/** What is told where a server gave out values that no member sealed for their places (EE4). */
export function forgedNotice(count: number): string {
  const values = count === 1 ? "1 value" : `${count} values`;
  return `the server gave out ${values} ${unopened}; they are kept aside and shown nowhere. Update this device if a member's is newer; else tell whoever runs it`;
}

/** Whether a notice speaks of such values. */
export function isForgedNotice(notice: string | null): boolean {
  return notice?.includes(unopened) === true;
}
