/** What postgres.js needs to open a connection string that may name a Unix socket. */
export interface PostgresTarget {
  /** The connection string without the socket. */
  readonly url: string;
  /** Options to spread into those of postgres.js: the socket's path, or nothing. */
  readonly options: { readonly path?: string };
}

/**
 * Reads a connection string whose `host=` parameter names a folder with a socket, as libpq does.
 *
 * postgres.js takes a socket only as an option; other strings pass unchanged.
 *
 * @example
 * ```ts
 * const { url, options } = postgresTarget(connectionString);
 * const sql = postgres(url, { ...options, max: 4 });
 * ```
 */
export function postgresTarget(connectionString: string): PostgresTarget {
  if (!URL.canParse(connectionString)) return { url: connectionString, options: {} };
  const url = new URL(connectionString);
  const folder = url.searchParams.get("host");
  if (folder === null || !folder.startsWith("/")) return { url: connectionString, options: {} };
  url.searchParams.delete("host");
  return { url: url.href, options: { path: `${folder}/.s.PGSQL.${url.port || "5432"}` } };
}
