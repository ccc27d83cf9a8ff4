/** Words that say how it is with a password, of what type it is, or what to do; none is one. */
const states =
  /^(?:(?:re|un|in|not[-_]?|no[-_]?|auto[-_]?|is[-_]?|has[-_]?|must[-_]?)?(?:required?|optional|valid(?:ated?)?|correct|wrong|missing|unknown|expired?|changed?|modified|updated|reset|redacted|masked|hidden|protected|sealed|secured?|encrypted|decrypted|encoded|hashed|plain(?:text)?|prompt(?:ed)?|generated?|complete|authenticat(?:ed|ion|or)|authoriz(?:ed|ation)|forbidden|denied|cancell?ed|cancel|abort(?:ed)?|failed|failure|passed|passing|skipped|succe(?:ss|eded|ssful)|accepted|rejected|confirmed|never|always|inherit(?:ed)?|provided|supplied|specified|given|available|configured|defined|stored|saved|cached|loaded|loading|locked|active|present|absent|random(?:ly)?|static|dynamic|manual|automatic|implicit|explicit|internal|external|global|local|remote|shared|session|cookie|string|varchar|char|integer|bytea?|binary|bcrypt|scrypt|argon|pbkdf|md|crypt|sasl|scram|kerberos|ldap|saml|vault|keychain|keyring|keepass|bitwarden|environment|variable|stdin|input|output|field|form|values?|hash|digest|cipher|credentials?|length|strength|policy|confirmation|confirm|repeat|verification|recovery|access|identity|account|setup|login|signin|signup|logout|null|nothing|anonymous|unlimited|forever|daily|weekly|mandatory|literal|attribute|property|column|index|unique|array|object|boolean|number|numeric|base|hexadecimal|interactive|ignored?|deprecated|removed|added|enabled?|disabled?|allowed?|supported|develop(?:ment)?|production|staging|localhost|tests?|testing|none|dummy|fake|mock|trust(?:ed)?|peer|ident|reject|require))$/i;
/** Parts of the words for a password, and for a user, in other languages: labels, and no values. */
const labels =
  /pass(?:w|o|wort|phrase|e$)|kenn?wort|wachtwoord|senha|contras|contrass|palavra|heslo|haslo|parola?$|parole$|s[ai]fre|lozinka|zaporka|jelszo|salasana|adgangskode|losenord|passord|geslo|slapta|paroola|katasandi|sandi$|clave$|geheim|motdepasse|username|benutzer|utilis|usuario|utente|gebruiker|secret|token|(?:^|[-_])key$/i;
/** Whether a word says what a password is like, or is what a form calls one. */
export function isLabel(value: string): boolean {
  if (labels.test(value)) return true;
  const parts = value.split(/[-_. ]/);
  return states.test(value) || states.test(parts[0] ?? "") || states.test(parts.at(-1) ?? "");
}
