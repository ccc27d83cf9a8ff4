/** A one-time link, taken apart. The part after `#` never reaches a server's log. */
export type Link =
  | { readonly kind: "setup"; readonly url: string; readonly secret: string }
  | {
      readonly kind: "device" | "invite";
      readonly url: string;
      readonly id: string;
      readonly secret: string;
      /** What names of machines begin with, where the link is for several of them (PR8). */
      readonly namePrefix?: string | undefined;
    };

const letterByKind = { setup: "s", device: "j", invite: "i" } as const;

/** Writes a link: `https://host/#s=…`, `#j=id.secret` or `#i=id.secret`; a prefix as `&n=…`. */
export function linkText(link: Link): string {
  const secret = link.kind === "setup" ? link.secret : `${link.id}.${link.secret}`;
  const prefix = link.kind === "setup" ? undefined : link.namePrefix;
  const name = prefix === undefined ? "" : `&n=${prefix}`;
  return `${link.url}/#${letterByKind[link.kind]}=${secret}${name}`;
}

const linkPattern = (): RegExp =>
  /^(https?:\/\/[^/?#\s@]+)\/?#([sji])=(?:([0-9A-Za-z_-]+)\.)?([0-9A-Za-z_-]+)(?:&n=([0-9A-Za-z._-]{1,40}))?$/;

/** Whether names of machines may begin with it, which then needs no escaping in a link. */
export function isNamePrefix(text: string): boolean {
  return /^[0-9A-Za-z._-]{1,40}$/.test(text);
}

/** Reads a link, or gives undefined for anything else, such as a bare server address. */
export function parseLink(text: string): Link | undefined {
  const match = linkPattern().exec(text.trim());
  if (match === null) return undefined;
  const [, url = "", letter = "", id, secret = "", namePrefix] = match;
  if (letter !== "j" && namePrefix !== undefined) return undefined;
  if (letter === "s") return id === undefined ? { kind: "setup", url, secret } : undefined;
  if (id === undefined) return undefined;
  const link = { kind: letter === "j" ? "device" : "invite", url, id, secret } as const;
  return namePrefix === undefined ? link : { ...link, namePrefix };
}
