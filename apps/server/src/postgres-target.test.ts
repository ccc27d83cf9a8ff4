import { expect, test } from "vitest";
import { postgresTarget } from "./postgres-target.ts";

test("[PG28] a socket's folder in host= becomes the path postgres.js takes", () => {
  const target = postgresTarget("postgres://me@localhost/db?host=%2Frun%2Fpg&sslmode=disable");
  expect(target).toEqual({
    url: "postgres://me@localhost/db?sslmode=disable",
    options: { path: "/run/pg/.s.PGSQL.5432" },
  });
  const numbered = postgresTarget("postgres://me@localhost:6000/db?host=/run/pg");
  expect(numbered.options).toEqual({ path: "/run/pg/.s.PGSQL.6000" });
});

test("[PG28] any other connection string passes unchanged", () => {
  for (const url of [
    "postgres://me:secret@db.example:5432/db",
    "postgres://a:1,b:2/db",
    "nonsense",
  ]) {
    expect(postgresTarget(url)).toEqual({ url, options: {} });
  }
});
