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

/** A recovery code that opens nothing here. */
export const wrongCode: AccessError = {
  code: "wrong-code",
  message: "the recovery code is of another namespace, or has been taken out",
  hint: "look for the code that `tidemark namespace create --encrypted` showed for this one",
};

/** A device that needs no recovery. */
export const alreadyIn: AccessError = {
  code: "already-in",
  message: "this device was let in before",
  hint: "`tidemark sync` fetches its keys",
};

/** A namespace that is there, and has no recovery code yet. */
export function noRecoveryCode(why: AccessError): AccessError {
  return {
    code: "no-recovery-code",
    message: `it is there and open on this device, but has no new recovery code: ${why.message}`,
    hint: "`tidemark namespace list` has its id; tidemark namespace rotate <id> --recovery-code",
  };
}
