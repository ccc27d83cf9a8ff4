/** What a word in another language promises; `word` means passwords and much else. */
export type ForeignFamily = "password" | "token" | "key" | "pair" | "word";

/** How a word holds what is looked for: it ends so (`Datenbankpasswort`), begins so, or is it. */
type Fit = "end" | "start" | "whole";

/** Words of alphabets. */
const stems: readonly (readonly [family: ForeignFamily, fit: Fit, words: string])[] = [
  ["password", "end", "passwort passworts kennwort kennworts wachtwoord senha contraseña contrasena lösenord losenord passord adgangskode motdepasse"], // prettier-ignore
  ["password", "start", "парол hasło hasła hasłem haslo lösenord salasana heslo hesla şifre parola parolă jelszó jelszo"], // prettier-ignore
  ["password", "whole", "mdp"],
  ["token", "end", "zugriffstoken zugangstoken toegangstoken"],
  ["password", "end", "contrasenya wifi-schlüssel wlan-schlüssel wlanschlüssel"],
  ["token", "start", "токен jeton секрет token geheim segreto segredo secreto hemlig"],
  ["key", "end", "schlüssel schluessel sleutel nyckel"],
  ["key", "start", "ключ klucz"],
  ["key", "whole", "clé clef chave chiave"],
  ["word", "whole", "clave"],
  ["pair", "end", "zugangsdaten anmeldedaten identifiants credenciales credenziali credenciais inloggegevens"], // prettier-ignore
];

let known: readonly (readonly [family: ForeignFamily, fit: Fit, stem: string])[] | undefined;

function familyOfPart(part: string): ForeignFamily | undefined {
  known ??= stems.flatMap(([family, fit, words]) =>
    words.split(" ").map((stem) => [family, fit, stem] as const),
  );
  return known.find(([, fit, stem]) => {
    if (fit === "whole") return part === stem;
    if (fit === "end") return part.endsWith(stem);
    return part.startsWith(stem) && part.length <= stem.length + 4;
  })?.[0];
}

/** Parts of a name that make it the name of something about a secret. */
const others = (): RegExp =>
  /^(?:hash|feld|field|typ|type|len|length|laenge|länge|policy|id|salt|label|hint|error|fehler|reset|file|datei|url|path|regel|min|max)$/;

/** What a word of an alphabet promises, its parts parted by marks; nothing if it is another word. */
export function familyOfWord(word: string): ForeignFamily | undefined {
  const parts = word.toLowerCase().split(/[_.-]/);
  if (parts.some((part) => others().test(part))) return undefined;
  for (const part of parts) {
    const family = familyOfPart(part.replace(/\d+$/, ""));
    if (family !== undefined) return family;
  }
  return undefined;
}

/** Names of several words, as written. */
const phrases: ReadonlyMap<string, ForeignFamily> = new Map([
  ["mot de passe", "password"],
  ["parola d'ordine", "password"],
  ["palavra-passe", "password"],
  ["mật khẩu", "password"],
  ["كلمة المرور", "password"],
  ["كلمة السر", "password"],
  ["كلمه المرور", "password"],
  ["סיסמה", "password"],
  ["סיסמא", "password"],
  ["kata sandi", "password"],
  ["dane logowania", "pair"],
  ["чётные данные", "pair"],
  ["четные данные", "pair"],
  ["melde dich", "pair"],
  ["te-toi", "pair"],
  ["ez-vous", "pair"],
  ["a sesión", "pair"],
  ["zaloguj", "pair"],
  ["token dost", "token"],
]);

/** Words of scripts without capitals, known by a part that hardly any other word has. */
const written: readonly (readonly [part: string, words: readonly string[]])[] = [
  ["ผ่", ["รหัสผ่าน"]],
  ["सव", ["पासवर्ड"]],
  ["κω", ["κωδικός πρόσβασης", "κωδικός", "κωδικο"]],
];

/** The word of such a script around a part of it. */
export function writtenNoun(
  text: string,
  start: number,
): { readonly start: number; readonly end: number } | undefined {
  const known = written.find(([part]) => text.startsWith(part, start));
  for (const word of known?.[1] ?? []) {
    const from = start - word.indexOf(known?.[0] as string);
    if (text.startsWith(word, from)) return { start: from, end: from + word.length };
  }
  return undefined;
}

/** What a name of several words promises. */
export function familyOfPhrase(phrase: string): ForeignFamily | undefined {
  return phrases.get(phrase.toLowerCase());
}

/** Words of scripts without blanks, which stand anywhere in a run of characters. */
const ideographic = (): readonly (readonly [ForeignFamily, RegExp])[] => [
  ["password", /^(?:密码|密碼|口令|パスワード|パスフレーズ|暗証番号|비밀번호|비번|패스워드)/],
  ["word", /^암호/],
  ["token", /^(?:令牌|权杖|權杖|トークン|토큰)/],
  ["key", /^(?:密钥|秘钥|密鑰|金鑰|秘密鍵|apiキー|アクセスキー|シークレットキー|シークレット|秘密キー|api 키|api키|비밀키|비밀 키|액세스 키|시크릿 키|시크릿)/i], // prettier-ignore
]; // prettier-ignore

/** What a noun of such a script promises, and its end. */
export function ideographicNoun(
  text: string,
  start: number,
): { readonly family: ForeignFamily; readonly end: number } | undefined {
  const window = text.slice(start, start + 12);
  for (const [family, form] of ideographic()) {
    const found = form.exec(window);
    if (found !== null) return { family, end: start + found[0].length };
  }
  return undefined;
}
