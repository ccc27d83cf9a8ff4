import { expect, test } from "vitest";
import { startFailed } from "./failure.ts";

test("[OPS96] a PostgreSQL that has no room to start is told with what to do", () => {
  const said = 'FATAL:  could not write lock file "postmaster.pid": No space left on device';
  expect(startFailed(said, "/data/postgres/data")).toEqual({
    kind: "start-failed",
    message: `the embedded PostgreSQL does not start: ${said}`,
    hint: "make room on the disk of /data/postgres/data (df -h), and start again",
  });
  expect(startFailed("FATAL:  data directory", "/data").hint).toBe("its data is in /data");
});
