/**
 * Words of names rather than of pass-phrases: of infrastructure, code, forms and styles, and those
 * that hold sentences together.
 */
const otherWords = (): RegExp =>
  // Stryker disable next-line Regex: words, which are data.
  /(?:^|[-_. ])(?:secrets?|keys?|tokens?|db|sql|prod|production|config|names?|refs?|creds?|credentials?|pass(?:word|wd|phrase|code)?s?|pwd|users?|admin|root|login|signin|signup|sign|logout|auth|basic|oauth|jwt|service|server|host|cluster|apps?|api|web|https?|client|internal|external|public|private|staging|stage|tests?|dev|demo|account|roles?|policy|group|access|vault|store|storage|files?|path|dir|env|data|database|backup|cache|queue|worker|jobs?|node|pod|deploy|deployment|release|version|build|image|volume|mount|certs?|tls|ssl|postgres|mysql|redis|mongo|kafka|rabbitmq|minio|aws|gcp|azure|github|gitlab|docker|kube|helm|forms?|fields?|input|label|error|message|hint|help|placeholder|button|page|link|reset|forgot|change|changed|confirm|strength|required|invalid|valid|current|new|old|the|and|for|your|my|with|from|not|are|was|has|have|must|should|can|will|this|that|only|but|you|one|once|any|all|per|via|after|before|when|then|than|too|enough|long|short|least|more|less|through|until|without|into|over|under|out|off|each|other|same|some|what|which|here|there|text|font|bg|border|color|colour|background|surface|margin|padding|flex|grid|size|width|height|icon|left|right|top|bottom|inline|hover|focus|default|primary|secondary|value|values|type|string|format|list|item|items|index|id|code|hash|digest|check|update|create|delete|read|write|get|set|encrypted|protected|generated|based|less|free|safe|aware|specific|example|sample|dummy|main|master|local|remote|global|shared|common|core|base|sub|management|manager|provider|settings?|options?|security|session|cookie|network|domain|email|mail|issuer|controller|operator|gateway|proxy|ingress|registry|pull|push|sync|step|state|region|east|west|north|south|central|time|timeout|length|min|max|rule|rules|feature|module|package|component|project|team|tenant|customer|order|payment|report|dashboard|monitor|monitoring|metrics|log|logs|logging|alert|frontend|backend|platform|system|machine|function|lambda|event|events|stream|topic|handler|request|response)(?=$|[-_. ])/;

/** Longest text that is looked at. */
const charsMax = 80;

/**
 * Whether a text is a pass-phrase as generators of them draw it: four words or more in small
 * letters with one mark between them, of which none is a word of names or of sentences. Three will
 * do with dashes between them and a number of two or three digits after the last.
 */
export function isWordPhrase(value: string, isSpaced: boolean = false): boolean {
  if (value.length < 15 || value.length > charsMax) return false;
  const bare = value.replace(/-\d{2,3}$/, "");
  const least = bare === value ? 4 : 3;
  const words = bare.split(bare.includes("-") ? "-" : isSpaced ? " " : ".");
  if (words.length < least || words.length > 10 || !words.every(isDrawable)) return false;
  return new Set(words).size >= Math.min(3, words.length - 1) && !otherWords().test(value);
}

/** Of a length and with a vowel, as the words are that generators choose from. */
function isDrawable(word: string): boolean {
  return /^[a-z]{3,9}$/.test(word) && /[aeiouy]/.test(word);
}
