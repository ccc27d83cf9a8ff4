/** Evolu's server with its database in the working folder, on a free port of the loopback. */
import { createExpressApp } from "@evolu/server";
import * as Effect from "effect/Effect";

const { app } = await Effect.runPromise(createExpressApp);
const server = app.listen(0, "127.0.0.1", () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`);
});
