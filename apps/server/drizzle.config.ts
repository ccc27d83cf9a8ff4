import { defineConfig } from "drizzle-kit";

/** `npx drizzle-kit generate --name <what>` in this folder writes the next migration. */
export default defineConfig({
  dialect: "postgresql",
  schema: "./src/store/postgres/schema.ts",
  out: "./src/store/postgres/migrations",
  schemaFilter: ["tidemark"],
});
