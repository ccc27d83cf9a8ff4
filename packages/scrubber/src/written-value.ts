/** A form that a value may have, and a sign without which it cannot. */
export type SignedForm = readonly [sign: (value: string) => boolean, form: () => RegExp];

const holdsBrace = (value: string): boolean => value.includes("{");

/** Words and marks around what is put in: `declaration:${kind}:${hoist}`, `/users/{id}/roles`. */
const filledIn = (): RegExp =>
  /^[A-Za-z_/:.?&=,;|<> -]*(?:[$#]\{[^{}]{0,64}\}|%\(\w{1,32}\)[sdr]|(?<=\/)\{[\w:-]{1,32}\})(?:[A-Za-z_/:.?&=,;|<> -]|[$#]?\{[^{}]{0,64}\}|%\(\w{1,32}\)[sdr])*$/;
/** What a wiki or a page puts a text into: `… da {{SITENAME}}:`. */
const pageVariable = (): RegExp => /\{\{[A-Za-z]|^#{2,}[A-Z_]+#{2,}$/;
/** A class in its name space, as PHP and C# write it: `App\\Controllers\\UserController`. */
const spacedClass = (): RegExp => /^\\{0,2}[A-Z][A-Za-z]+(?:\\{1,2}[A-Z][A-Za-z]+){1,8}(?:::\w*)?$/;
/** The name of a flag, which a table of arguments has beside that of a setting. */
const flagName = (): RegExp => /^--[a-z]+(?:-[a-z]+){0,5}=?$/;
/** A file in a folder: what it is called says more than how it is spelt. */
const file = (): RegExp =>
  /^(?:[A-Za-z][\w.-]{0,40}\/){1,8}[\w.-]{1,64}\.(?:pem|key|crt|cer|csr|der|pub|asc|gpg|json|ya?ml|toml|ini|conf|cfg|env|txt|md|xml|html?|log|sql|sh|py|rb|js|ts|go|rs|java|php|png|svg)$/;
/** A kind of part of a text, as an editor's grammar names it: `constant.begin..filter.slim`. */
const grammarScope = (): RegExp =>
  /^(?:comment|constant|entity|invalid|keyword|markup|meta|punctuation|storage|string|support|text|variable|paren|identifier)(?:\.{1,2}[A-Za-z\d][A-Za-z\d-]*){1,8}$/;
/** Where a lookahead ends in a grammar, or a question a symbol: `?InJsx`. */
const marked = (): RegExp => /^\?[A-Z][A-Za-z]+$/;

/** A step of a database, by its number: `0009_alter_user_last_name`. */
const migration = (): RegExp => /^\d{3,4}_[a-z]+(?:_[a-z\d]+){1,12}$/;
/** What code joins to a text that ends in the name: `'… password: ' . error()`. */
const joined = (): RegExp => /^ ?[.+] \w+\(/;

/** Forms of what is no secret, in quotes or without. */
export const textForms: readonly SignedForm[] = [
  [(value) => holdsBrace(value) || value.includes("%("), filledIn],
  [(value) => value.includes("{{") || value.startsWith("##"), pageVariable],
  [(value) => value.includes("\\"), spacedClass],
  [(value) => value.startsWith("--"), flagName],
  [(value) => value.includes("/") && value.includes("."), file],
  [(value) => value.includes("."), grammarScope],
  [(value) => value.startsWith("?"), marked],
  [(value) => value.startsWith("0"), migration],
  [(value) => " .+".includes(value.charAt(0)), joined],
];

/** `::Engine.call`, `:Options.new`, `\Factory::make`. */
const scopedName = (): RegExp => /^(?:::?|\\)(?:[A-Z]\w*(?:::\w+)*(?:[.(:]|$)|[a-z_]\w*\()/;
/** What Ruby and Perl mark a name with: `@pager.tokens`, `:required?`, `\&made`, `%w[`. */
const markedName = (): RegExp =>
  /^(?:@{1,2}[a-z_]\w*(?:[?!]?\.[a-z_]\w*)+[?!]?(?:\W|$)|@[a-z_][\w.]*\(|:[a-z_]+[?!]|\\&[a-z_]\w*$|%[wiWI][[({]|\$\w+->?)/;
/** `credentials.Value{`, `struct{}`, `map[string]…`: a value that is made. */
const made = (): RegExp => /^(?:\w+\.[A-Z][A-Za-z]*|struct|interface|map\[\w+\]\w*)\{/;
/** What stands after a comma where code has no blanks: `e,this.tokens.push(e`, `a,isStart`. */
const listed = (): RegExp =>
  /^\+?[A-Za-z_$][\w$.]{0,64},[A-Za-z_$][\w$]*\.[A-Za-z_$]|^[A-Za-z_$]+(?:,[A-Za-z_$]+)+,?$/;
/** An argument by its name: `expected_status=client.OK`. */
const namedArgument = (): RegExp => /^[a-z_]\w*=[a-z_]\w*(?:\.\w+)+$/;
/** A member that may be left out: `privateKeyIdentifier?:`. */
const optionalMember = (): RegExp => /^[A-Za-z_]+\?:?$/;
/** A variable that holds a secret, by its name: `ec2_token`. */
const holder = (): RegExp =>
  /^[a-z][a-z\d]*(?:_[a-z\d]+){0,4}_(?:token|password|passwd|secret|key|credentials?)\d?$/;
/** A word that a text stresses. */
const stressed = (): RegExp => /^\*{1,2}[A-Za-z]+\*{1,2}[.,:;]?$/;
/** A name that is kept from others by its first sign. */
const privateName = (): RegExp => /^_+[a-z]+(?:_[a-z]+)*$/;
/** A type with a number of bits in the midst of its name. */
const sizedType = (): RegExp => /^[A-Z][a-z]*\d{1,3}(?:[A-Z][a-z]+)+$/;

/** Forms of what is code where no quotes are around it. */
export const codeForms: readonly SignedForm[] = [
  [(value) => ":\\".includes(value.charAt(0)), scopedName],
  [(value) => "@:\\%$".includes(value.charAt(0)), markedName],
  [holdsBrace, made],
  [(value) => value.includes(","), listed],
  [(value) => value.includes("="), namedArgument],
  [(value) => value.includes("?"), optionalMember],
  [(value) => value.startsWith("_"), privateName],
  [(value) => value.includes("_"), holder],
  [(value) => value.startsWith("*"), stressed],
  [(value) => /^[A-Z]/.test(value), sizedType],
];

/** Scripts that are not written with one key a letter, so that nobody types a password in them. */
const ideographs = (): RegExp => /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;
/** Letters, and the colon that a label ends in. */
const label = (): RegExp => /^[\p{L}\p{M}][\p{L}\p{M}\s\u200c'’"\\-]*[:：]$/u;
/** A sentence that ends. */
const sentence = (): RegExp => /^[\p{L}\p{M}][\p{L}\p{M}\s\u200c'’"(),-]*[.。．]$/u;

/** A letter beside a digit, or a row of digits: what stands in a sentence without a blank may be a value. */
const drawn = (): RegExp => /[A-Za-z]\d|\d[A-Za-z]|\d{4}/;

/** Whether a text is there to be read: a label, or words in a script that no secret is written in. */
export function isReadable(value: string): boolean {
  if (drawn().test(value)) return false;
  const last = value.charAt(value.length - 1);
  if ((last === ":" || last === "：") && label().test(value)) return true;
  // oxlint-disable-next-line no-control-regex -- the first character of ASCII is one
  if (!/[^\u0000-\u007f]/.test(value)) return false;
  return (value.match(ideographs())?.length ?? 0) >= 4 || sentence().test(value);
}

/** Whether some letter is none of those that keys and tokens are made of, and no key stands before it. */
export function hasForeignLetter(value: string): boolean {
  if (drawn().test(value)) return false;
  // oxlint-disable-next-line no-control-regex -- the first character of ASCII is one
  return /[^\u0000-\u007f]/.test(value) && /[^\P{L}A-Za-z]/u.test(value);
}

/** Whether a value is a member of something, by its name: `self.requires_session`. */
export function isMember(value: string): boolean {
  return /^(?:self|this|[a-z]\w{0,40})(?:\.[a-z_]\w{0,40}){1,6}$/.test(value) && /^(?:self|this)\.|_/.test(value) && !/[A-Z]/.test(value); // prettier-ignore
}
