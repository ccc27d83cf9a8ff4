/** A one-time link, taken apart. The part after `#` never reaches a server's log. */
export type Link =
  | { readonly kind: "setup"; readonly url: string; readonly secret: string }
  | {
      readonly kind: "device" | "invite";
      readonly url: string;
      readonly id: string;
      readonly secret: string;
    };

const letterByKind = { setup: "s", device: "j", invite: "i" } as const;

/** Writes a link: `https://host/#s=…`, `#j=id.secret` or `#i=id.secret`. */
export function linkText(link: Link): string {
  const secret = link.kind === "setup" ? link.secret : `${link.id}.${link.secret}`;
  return `${link.url}/#${letterByKind[link.kind]}=${secret}`;
}

const linkPattern = (): RegExp =>
  /^(https?:\/\/[^/?#\s@]+)\/?#([sji])=(?:([0-9A-Za-z_-]+)\.)?([0-9A-Za-z_-]+)$/;

/** Reads a link, or gives undefined for anything else, such as a bare server address. */
export function parseLink(text: string): Link | undefined {
  const match = linkPattern().exec(text.trim());
  if (match === null) return undefined;
  const [, url = "", letter = "", id, secret = ""] = match;
  if (letter === "s") return id === undefined ? { kind: "setup", url, secret } : undefined;
  if (id === undefined) return undefined;
  return { kind: letter === "j" ? "device" : "invite", url, id, secret };
}
