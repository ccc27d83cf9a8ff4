/** A thread that looks through the lines of pushes for secrets, beside the one that serves. */
import { parentPort } from "node:worker_threads";
import { createLooker, lookOn, type SharedLook } from "./line-look.ts";

const looker = createLooker();

parentPort?.on("message", (look: SharedLook) => {
  lookOn(looker, look);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage("done");
});
