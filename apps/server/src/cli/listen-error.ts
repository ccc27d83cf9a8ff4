import { isErrno } from "../platform/files.ts";
import { UserError } from "./user-error.ts";

/** Why the server cannot listen, with the setting that helps; undefined for other causes. */
export function listenError(
  cause: unknown,
  place: { readonly host: string; readonly port: number },
): UserError | undefined {
  const { host, port } = place;
  const told = (message: string, hint: string): UserError =>
    new UserError({ code: "cannot-listen", message, hint });
  if (isErrno(cause, "EADDRINUSE")) {
    const hint = "stop the program that holds it, or choose another --port";
    return told(`port ${port} of ${host} is in use`, hint);
  }
  if (isErrno(cause, "EACCES")) {
    const hint = "choose a --port of 1024 or more; a proxy in front may take 443";
    return told(`this user may not listen on port ${port}`, hint);
  }
  if (isErrno(cause, "EADDRNOTAVAIL", "EAFNOSUPPORT", "ENOTFOUND", "EAI_AGAIN")) {
    const hint = "choose an address of this machine for --host; 0.0.0.0 stands for all of them";
    return told(`this machine has no address ${host}`, hint);
  }
  return undefined;
}
