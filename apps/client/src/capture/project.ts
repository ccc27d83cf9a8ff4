/** What is known of the folder that a session works in. */
export interface ProjectPlace {
  /** The git remote as it is configured; it may hold credentials, which never leave this module. */
  readonly remote?: string;
  /** The name that the user gave the project. */
  readonly name?: string;
  readonly path: string;
  readonly deviceId: string;
}

const defaultPorts: Readonly<Record<string, string>> = {
  "ssh:": "22",
  "https:": "443",
  "http:": "80",
  "git:": "9418",
  "git+ssh:": "22",
  "git+https:": "443",
};

/** `user@host:path`: no scheme, a host of two letters or more, a path that is no port or root. */
const scpForm = (): RegExp => /^(?:[^@/\s:]+(?::[^@/\s]*)?@)?([A-Za-z0-9][\w.-]+):(?!\/\/)(.+)$/u;

/**
 * A git remote as `host[:port]/path`, the same for every way of writing it (CP17).
 *
 * Userinfo, query, fragment and default port are dropped whole, the host is lowercase, `.git` and
 * slashes at the ends are off. Gives `undefined` for what names no place that two machines share:
 * files, drive letters, addresses by number, and anything with an `@` left over.
 */
export function normaliseRemote(remote: string): string | undefined {
  const text = remote.trim();
  if (text === "" || text.length > 1024 || /[\s\p{Cc}\\]/u.test(text)) return undefined;
  const place = /^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? fromUrl(text) : fromScp(text);
  if (place === undefined || isNumericHost(place.host)) return undefined;
  const path = place.path
    .replace(/[?#].*$/u, "")
    .replaceAll(/^\/+|\/+$/gu, "")
    .replace(/\.git$/iu, "")
    .replace(/\/+$/u, "");
  const whole = `${place.host.toLowerCase()}/${path.replaceAll(/\/{2,}/gu, "/")}`;
  return path === "" || whole.includes("@") || /(?:^|\/)\.\.?(?:\/|$)/u.test(path)
    ? undefined
    : whole;
}

/**
 * The identity of a project: its remote, else its name, else its path on this device alone (CP18).
 *
 * Two machines' folders of the same name are never taken for one project.
 */
export function projectOf(place: ProjectPlace): string {
  const remote = place.remote === undefined ? undefined : normaliseRemote(place.remote);
  if (remote !== undefined) return `git:${remote}`;
  const name = place.name?.trim();
  if (name !== undefined && name !== "") return `name:${name}`;
  const path = place.path.replaceAll("\\", "/");
  return `path:${place.deviceId}:${path.endsWith("/") ? path.replace(/(?<=.)\/+$/u, "") : path}`;
}

interface Place {
  /** With its port, where that is not the scheme's own. */
  readonly host: string;
  readonly path: string;
}

function fromUrl(text: string): Place | undefined {
  const match = /^([a-z][a-z0-9+.-]*:)\/\/([^/?#]*)([^?#]*)/iu.exec(text);
  const scheme = match?.[1]?.toLowerCase() ?? "";
  const port = defaultPorts[scheme];
  if (match === null || port === undefined) return undefined;
  const authority = (match[2] ?? "").replace(/^.*@/u, "");
  const host = authority.endsWith(`:${port}`) ? authority.slice(0, -port.length - 1) : authority;
  return isHost(host) ? { host: host.replace(/:$/u, ""), path: match[3] ?? "" } : undefined;
}

function fromScp(text: string): Place | undefined {
  const match = scpForm().exec(text);
  const [, host = "", path = ""] = match ?? [];
  return match === null || !isHost(host) ? undefined : { host, path };
}

function isHost(text: string): boolean {
  return /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?(?::\d{0,5})?$/u.test(text);
}

function isNumericHost(host: string): boolean {
  return /^[\d.]+(?::\d+)?$|^0x[0-9a-f]+/iu.test(host);
}
