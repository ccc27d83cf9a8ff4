export function cacheHead(): Buffer;
