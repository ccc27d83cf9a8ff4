/** `node server.mjs FOLDER`: PouchDB's server on a free port of the loopback. */
import express from "express";
import expressPouchdb from "express-pouchdb";
import PouchDB from "pouchdb";

const OwnPouchDB = PouchDB.defaults({ prefix: `${process.argv[2]}/` });
const app = express();
app.use("/", expressPouchdb(OwnPouchDB, { mode: "minimumForPouchDB" }));
const server = app.listen(0, "127.0.0.1", () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`);
});
