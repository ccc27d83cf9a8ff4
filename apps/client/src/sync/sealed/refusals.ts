import type { NamespaceId } from "@tidemark/protocol";
import type { AccessError } from "../access/access-error.ts";

/** A server of before there were encrypted namespaces, which would make a plain one. */
export const tooOld: AccessError = {
  code: "upgrade-server",
  message: "this server knows no encrypted namespaces",
  hint: "update the server first; a plain one is made by `tidemark namespace create <name>`",
};

/** Where a device has no key, it hands none on. */
export const noKey: AccessError = {
  code: "no-key",
  message: "this device has no key of the namespace itself",
  hint: "do it on a device that has; `tidemark namespace admit` there lets this one in",
};

/** Whoever is not in lets nobody in and makes no key, whatever keys its home has (EE36). */
export const notIn: AccessError = {
  code: "not-in",
  message: "this device is not among those that were let into the namespace",
  hint: "`tidemark namespace admit` here shows what another device needs for that; if none is left, `tidemark namespace recover` lets it in",
};

/** A device that is in, and that nobody has handed a key yet. */
export const lacksKey: AccessError = {
  code: "no-key",
  message: "this device is in, and its key of the namespace has not come yet",
  hint: "`tidemark sync` fetches it, after a device that has it has synced",
};

/** What takes a recovery code out could take the last holder of the newest key out with it. */
export const lacksNewestKey: AccessError = {
  code: "no-key",
  message:
    "this device lacks the newest key, and the recovery code of now may be the last to open it",
  hint: "`tidemark namespace recover` opens it by that code; if it is lost as well, first `tidemark namespace rotate`",
};

/** Only an admin's device may begin an epoch, whatever its person may do on the server. */
export const needsAdminDevice: AccessError = {
  code: "needs-admin-device",
  message: "this device was let in as a member's, and only an admin's may make a new key",
  hint: "run it on a device of an admin of the namespace: `tidemark namespace members` names them; if none is left, `tidemark namespace recover` here makes this one an admin's",
};

/** A member's device lets in those of its own person, whatever that person may do on the server. */
export const needsAdminsWord: AccessError = {
  code: "needs-admin-device",
  message: "this device was let in as a member's, and lets in no devices but its own person's",
  hint: "do it on a device of an admin of the namespace: `tidemark namespace members` names them; if none is left, `tidemark namespace recover` on the one that waits",
};

/** Only an admin's device gives others the right of one, whatever its person may do on the server. */
export const needsEntitledDevice: AccessError = {
  code: "needs-admin-device",
  message: "this device may let nobody else in itself, and so gives nobody that right",
  hint: "run the same command on a device that may",
};

/** What the server said is not believed. */
export const distrusted: AccessError = {
  code: "distrusted",
  message: "what the server says of the namespace's members is not to be believed",
  hint: "`tidemark status` says why; nothing is sent there meanwhile",
};

/** Others change a log at the same moment, again and again. */
export const overtaken: AccessError = {
  code: "overtaken",
  message: "other devices changed who is in at the same moment",
  hint: "nothing was changed by this one; run the command again",
};

/** A log that takes no more of what was asked for (EE26). */
export const fullLog: AccessError = {
  code: "full-log",
  message: "the log of who may read this namespace has no more room for that",
  hint: "for a device of a member: run it on an admin's; else go on in a new namespace (`tidemark namespace create <name> --encrypted`): this one stays readable, and devices can still be shut out of it",
};

/** A recovery code that opens nothing here. */
export const wrongCode: AccessError = {
  code: "wrong-code",
  message: "the recovery code is of another namespace, or has been taken out",
  hint: "look for the code that `tidemark namespace create --encrypted` showed for this one",
};

/** A recovery code that counts, and whose keys the server has lost, as after it was set back. */
export const opensNothing: AccessError = {
  code: "opens-nothing",
  message: "the recovery code is right, but the server has no key for it any more",
  hint: "a device that is in and has the keys hands them to the code by `tidemark sync`, and a folder that still has keys is let in by the code: run it there, or here after that",
};

/** A device that needs no recovery. */
export const alreadyIn: AccessError = {
  code: "already-in",
  message: "this device is in, and has every key that the code opens: the code was not spent",
  hint: "for another code: `tidemark namespace rotate <namespace> --recovery-code`",
};

/** A namespace that is there, and has no recovery code yet. */
export function noRecoveryCode(why: AccessError): AccessError {
  return {
    code: "no-recovery-code",
    message: `it is there and open on this device, but has no new recovery code: ${why.message}`,
    hint: "`tidemark namespace list` has its id; tidemark namespace rotate <id> --recovery-code",
  };
}

/** A recovery code that was good, and that this device's person may not replace. */
export function keptCode(namespace: NamespaceId): AccessError {
  return {
    code: "recovery-code-kept",
    message:
      "it is open on this device; your role lets you make no new recovery code, so the one you gave still works",
    hint: `an admin spends it: tidemark namespace rotate ${namespace} --recovery-code; here: tidemark sync`,
  };
}

/** A recovery code for which the server has not all keys: it is kept for what may still come. */
export function opensInPart(namespace: NamespaceId, epochs: readonly number[]): AccessError {
  const which = epochs.length === 1 ? `key ${epochs[0]}` : `keys ${epochs.join(", ")}`;
  return {
    code: "opened-in-part",
    message: `this device is in, but the server has no ${which} for the code: what is under it stays sealed. The code was not spent`,
    hint: `a device that has the key hands it out by \`tidemark sync\`; if none has: tidemark namespace rotate ${namespace}`,
  };
}

/** A new recovery code of which nobody knows whether it counts. */
export function unsureCode(why: AccessError, namespace: NamespaceId): AccessError {
  return {
    code: "unsure-recovery-code",
    message: `the code of before may be spent, and no new one could be made sure of: ${why.message}`,
    hint: `once the server answers: tidemark namespace rotate ${namespace} --recovery-code`,
  };
}

/** An encrypted namespace of which nobody knows whether the server has made it. */
export function unsureNamespace(why: AccessError, namespace: NamespaceId): AccessError {
  return {
    code: "unsure-namespace",
    message: `it may be there, as ${namespace}, without a recovery code: ${why.message}`,
    hint: `once the server answers: tidemark sync; if \`tidemark namespace list\` has it then: tidemark namespace rotate ${namespace} --recovery-code`,
  };
}
