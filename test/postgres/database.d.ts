declare module "vitest" {
    interface ProvidedContext {
        /** A superuser's connection string, from the global setup beside this file. */
        postgresUrl: string;
    }
}
/** A database of one test file. */
export interface TestDatabase {
    /** A superuser's connection string, for migrations. */
    readonly url: string;
    /** The same as `tidemark_app`: bound by row-level security, owner of nothing. */
    readonly appUrl: string;
    /** Removes the database, cutting off whoever is connected. */
    drop(): Promise<void>;
}
/**
 * Makes an empty database; call it in `beforeAll` and `drop` in `afterAll`.
 *
 * The roles `tidemark_owner` and `tidemark_app` exist beforehand, as on an embedded server.
 */
export declare function createTestDatabase(): Promise<TestDatabase>;
//# sourceMappingURL=database.d.ts.map