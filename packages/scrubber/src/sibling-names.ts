import { isLabel } from "./labels.ts";

/** A text that stands under a key of the same object; nothing if none does. */
export type Sibling = (key: string) => string | undefined;

/** Names of what one logs in to and as: a `pass` beside them is a password. */
const loginKeys = ["user", "username", "login", "email", "host", "hostname", "server", "account"];
const privateMembers: ReadonlySet<string> = new Set(["d", "p", "q", "dp", "dq", "qi"]);
const sessionCookie = (): RegExp =>
  /sess|sid|auth|token|jwt|csrf|xsrf|remember|secret|credential|^__(?:host|secure)-|identity|ticket/i;
const base64Key = (): RegExp => /^[\w+/-]{40,}={0,2}$/;

/**
 * Gives the name under which a value is to be judged where its own key says nothing and those
 * beside it do: a private member of a JSON web key, the `value` of what is `sensitive` or has a
 * `keyName`, the `pass` beside a `user`, the value of a cookie.
 */
export function nameBySiblings(key: string, value: string, at: Sibling): string | undefined {
  if (key.length <= 2) return memberName(key, at);
  if (key.endsWith("ass") && /(?:^|[_.-])pass$|[a-z]Pass$/.test(key))
    return passName(key, value, at);
  const folded = key.toLowerCase();
  if (folded === "value") return valueName(value, at);
  if (folded === "primarykey" || folded === "secondarykey") {
    return base64Key().test(value) && at("keyName") !== undefined ? "access_key" : undefined;
  }
  if (!folded.endsWith("value")) return undefined;
  const stem = key.slice(0, -5);
  return at(`${stem}Key`) ?? at(`${stem}Name`);
}

function passName(key: string, value: string, at: Sibling): string | undefined {
  const stem = key.slice(0, -4);
  const isLogin = !isLabel(value) && loginKeys.some((each) => hasKey(at, stem, each));
  return isLogin ? "password" : undefined;
}

function hasKey(at: Sibling, stem: string, key: string): boolean {
  const capital = key.charAt(0).toUpperCase() + key.slice(1);
  return at(stem + key) !== undefined || (stem !== "" && at(stem + capital) !== undefined);
}

function memberName(key: string, at: Sibling): string | undefined {
  const type = at("kty");
  if (type === undefined) return undefined;
  const isPrivate = type === "oct" ? key === "k" : privateMembers.has(key);
  return isPrivate ? "private_key" : undefined;
}

function valueName(value: string, at: Sibling): string | undefined {
  if (at("sensitive") === "true" || at("type") === "CONCEALED") return "secret";
  if (at("purpose") === "PASSWORD") return "password";
  if (at("keyName") !== undefined && base64Key().test(value)) return "access_key";
  const name = at("name");
  const isCookie = at("httpOnly") !== undefined || at("HttpOnly") !== undefined;
  if (isCookie && name !== undefined && sessionCookie().test(name)) return "session_token";
  return at("label") ?? at("id");
}

/** Whether a cookie's name says that it is a session. */
export function isSessionCookie(name: string): boolean {
  return sessionCookie().test(name);
}

/** Keys of a Kubernetes secret that name where and as whom one logs in. */
const openKeys = (): RegExp =>
  // Stryker disable next-line Regex: words, which are data.
  /(?:^|[-_.])(?:user(?:name)?|login|email|host(?:name)?|server|port|url|uri|endpoint|region|database|db(?:name)?|name|namespace|type|version|ca\.crt|tls\.crt|client[-_]?id|bucket|issuer)$/i;

/** Whether what a Kubernetes secret holds under a key may be told. */
export function isOpenKey(key: string): boolean {
  return openKeys().test(key) || openKeys().test(key.replaceAll(/([a-z])([A-Z])/g, "$1_$2"));
}
