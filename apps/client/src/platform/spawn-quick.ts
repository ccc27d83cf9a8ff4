import { builtin } from "./builtin.ts";

/** Longest time that a program may take to tell its version, in milliseconds. */
const startMsMax = 5_000;

/** Whether a program starts and tells its version. */
export function startsWell(program: string): boolean {
  const { status } = builtin
    .childProcess()
    .spawnSync(program, ["--version"], { stdio: "ignore", timeout: startMsMax });
  return status === 0;
}
