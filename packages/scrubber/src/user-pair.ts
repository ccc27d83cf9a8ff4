/** Last words of names that hold a user and a password, with a colon between them. */
const pairNames = (): RegExp => /(?:auth|credentials?|creds|login|user[-_]?pass(?:word)?)$/i;
const user = (): RegExp => /^([A-Za-z][\w.@+-]{0,63}):(?=[^\s/]{4})/;
const schemes = (): RegExp =>
  /^(?:sha\d*|md5|hmac|basic|bearer|token|https?|arn|urn|base64|oauth2?|bcrypt|file|env)$/i;

/** Length of the user and the colon before the password in a value, where the name says that both stand there. */
export function userChars(name: string, value: string): number {
  if (!value.includes(":") || !pairNames().test(name)) return 0;
  const found = user().exec(value.slice(0, 80));
  return found === null || schemes().test(found[1] as string) ? 0 : found[0].length;
}
