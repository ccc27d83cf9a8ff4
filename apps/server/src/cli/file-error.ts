import { InstanceFileDamaged } from "../platform/instance-file.ts";
import { UserError } from "./user-error.ts";

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "there is a file of that name",
  ENOENT: "no such folder can be made",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EIO: "the disk reports an error",
};

const fullCodes: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** What is wrong with a file or folder, as something the operator can act on; else undefined. */
export function fileError(cause: unknown): UserError | undefined {
  if (cause instanceof InstanceFileDamaged) {
    return new UserError({
      code: "instance-file-damaged",
      message: cause.message,
      hint: "restore it from a backup; or remove it, and the server believes its database",
    });
  }
  if (!(cause instanceof Error) || !("code" in cause) || !("path" in cause)) return undefined;
  const reason = reasons[String(cause.code)];
  // A socket of PostgreSQL has a path too.
  const isConnecting = "syscall" in cause && cause.syscall === "connect";
  if (reason === undefined || isConnecting) return undefined;
  return new UserError({
    code: "data-dir-unusable",
    message: `cannot use ${String(cause.path)}: ${reason}`,
    hint: fullCodes.has(String(cause.code))
      ? "make room there (df -h), or choose another --data-dir"
      : "let this user write to the data directory, or choose another --data-dir",
  });
}
