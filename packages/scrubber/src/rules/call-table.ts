/** Which argument of a call is a secret, as the documentation of its library says. */
export interface CallForm {
  /** Number of the argument, from 1. */
  readonly place: number;
  /** What an argument must look like, by its number; `undefined` where it may be anything. */
  readonly shape?: readonly [place: number, form: RegExp];
  /** What must stand right before the name of the call. */
  readonly before?: RegExp;
  /** Number of the argument that names what is set, and must promise a secret. */
  readonly namePlace?: number;
  /**
   * `word`: any text that is no stand-in, since nothing but a secret is written there. `strong`:
   * what looks drawn, where other texts stand as well. `key`: 64 digits of hex. `pair`: a user, a
   * colon, and what looks drawn.
   */
  readonly ask: "word" | "strong" | "key" | "pair";
  /** Number of arguments, where a call with more or fewer is another. */
  readonly count?: number;
}

/** Names of calls parted by bars, with the bracket, and where their secret stands. */
export type CallRow = readonly [calls: string, ...forms: readonly CallForm[]];

const second: CallForm = { place: 2, ask: "word" };
const third: CallForm = { place: 3, ask: "word" };
const distinguished = (): RegExp => /^(?:cn|uid|ou|dc|mail|samaccountname)=/i;
const account = (): RegExp => /^(?:AC[0-9a-f]{32})$/;
const digestName = (): RegExp => /^(?:sha|md5|blake|ripemd|openssl::digest)/i;
const mail = (): RegExp => /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
const passwordField = (): RegExp =>
  /pass(?:w|phrase)|pwd|secret|token|kennwort|(?:^|[^a-z])(?:pass|pw|pin)(?:$|["'\]\\])/i;
const passwordChain = (): RegExp =>
  /[([][^()[\]\n]{0,48}(?:passw|passphrase|pwd|secret|token|["'#._-]pass["'\])])[^()\n]{0,24}[)\]]{1,3}\s{0,8}(?:\.|\.perform\()?$/i;
/** A name of a user, a host or a data source, and no expression. */
const plainText = (): RegExp => /^[\w .@:/-]{1,64}$/;
const saltMaker = (): RegExp => /^gen_salt\(/i;
const webCall = (): RegExp => /\b(?:requests?|httpx|session|client|driver|s|get|post|put|delete|patch|head|options|request)\b[^\n"']{0,24}\([^\n]{0,160}$/i; // prettier-ignore

/** Calls whose arguments have no names. */
export const callRows = (): readonly CallRow[] => [
  ["basicauth(|basic_auth(|basic_auth |basicauthentication(|digestauth(|proxyauth(|networkcredential(|passwordcredentials(|passwordcredential(|plaincredentials(|passwordauthentication(|passwordauthenticator(|passwordauthenticationtoken(|credentials.basic(|auth.basic(|basiccredentials(|authtokens.basic(|simpleauthtoken(", second],
  ["auth=(|auth = (|basic_auth=(|basic_auth = (", { ...second, count: 2, before: webCall() }, { place: 2, ask: "strong", count: 2 }],
  [".auth(|cy.login(", { place: 2, ask: "strong" }],
  ["-define(cookie,", { place: 1, ask: "strong" }],
  ["login(|.login ", { ...second, shape: [1, mail()] }, { place: 2, ask: "strong" }, { place: 3, ask: "strong", shape: [2, plainText()] }],
  ["create_superuser(|create_user(|emailandpassword(|imap_open(|auth_password(", { place: 3, ask: "strong" }, { place: 2, ask: "strong", count: 2 }],
  ["credentials(|passwordtoken(|set_credentials(", { place: 2, ask: "strong", shape: [1, plainText()] }],
  ["connect(", { place: 3, ask: "strong", shape: [2, plainText()] }, { place: 2, ask: "strong", shape: [1, plainText()] }],
  ["database(", { place: 3, ask: "strong", shape: [2, plainText()] }],
  ["user = (|login = (|creds = (|credentials = (|account = (", { place: 2, ask: "strong", count: 2, shape: [1, plainText()] }],
  ["cpy(|cmp(|strings.compare(|hash_equals(|compare_digest(|secure_compare(|timecompare(|safeequal(", { place: 2, ask: "strong", namePlace: 1 }, { place: 1, ask: "strong", namePlace: 2 }],
  ["password_verify(|erlang:set_cookie(|node.set_cookie(", { place: 1, ask: "strong" }, { place: 2, ask: "strong", shape: [1, /^node/i] }],
  ["pwencode in=", { place: 1, ask: "word" }],
  ["sp_addlinkedsrvlogin ", { place: 5, ask: "word" }],
  ["sp_addlogin |sp_addapprole |sp_setapprole ", second],
  ["sp_password ", { place: 2, ask: "word" }],
  ["pgp_sym_encrypt(|pgp_sym_decrypt(|pgp_sym_encrypt_bytea(|pgp_sym_decrypt_bytea(|aes_encrypt(|aes_decrypt(", second],
  ["bypassphrase(", { place: 1, ask: "word" }],
  [" crypt(", { place: 1, ask: "strong", shape: [2, saltMaker()] }],
  ["mysqli(|mysqli_connect(|mysqli_real_connect(|mysql_connect(|mysql_pconnect(|real_connect(|pg_pconnect(|sqlsrv(", third],
  ["pdo(", { ...third, shape: [1, /^\w+:/] }, { ...third, shape: [1, /^\$/] }],
  ["getconnection(|dbi->connect(|dbi->connect_cached(|pymysql.connect(|mysqldb.connect(|sequelize(|sequel.connect(", third],
  ["cx_oracle.connect(|oracledb.connect(|oci_connect(|oci_pconnect(", second],
  ["plainauth(", third],
  ["wifi.begin(", second],
  ["ftp(", { place: 3, ask: "strong" }],
  ["jwt.sign(|jwt.verify(|jwt.encode(|jwt.decode(|jwt::encode(|jwt::decode(|jsonwebtoken.sign(|jsonwebtoken.verify(|jwt_encode(|jwt_decode(", second],
  ["createhmac(", { ...second, shape: [1, digestName()] }],
  ["hmac.new(", { place: 1, ask: "word" }, { ...second, shape: [1, /\.New$/] }],
  ["hmac.hexdigest(|hmac.digest(|hmac.base64digest(", { ...second, shape: [1, digestName()] }],
  ["hash_hmac(", third],
  ["hmacsha1(|hmacsha256(|hmacsha384(|hmacsha512(|aes.encrypt(|aes.decrypt(", second],
  ["aes.new(|signedstring(|newcookiestore(|symmetricsecuritykey(|algorithm.hmac256(|algorithm.hmac384(|algorithm.hmac512(", { place: 1, ask: "word" }],
  ["signwith(", second],
  ["btoa(|b64encode(|base64_encode(|strict_encode64(|encodetostring(|buffer.from(|curlopt_userpwd,", { place: 1, ask: "pair" }],
  ['auth: [|"auth" => [|\'auth\' => [', { place: 2, ask: "strong" }],
  ["fernet(|cookieparser(|cookie_parser(|secretkeyspec(", { place: 1, ask: "word" }],
  ["pdo->__construct(|mysqli->__construct(", third],
  ["credential(", { ...second, shape: [1, /^AKID\w{13,40}$/] }],
  ["algoliasearch(", { place: 2, ask: "strong", shape: [1, /^[A-Z\d]{10}$/] }],
  ["clientsecretcredential(|certificatecredential(", third],
  ["azurekeycredential(|apikeycredential(", { place: 1, ask: "strong" }],
  ["twilio(|twilio')(|twilio\")(", { ...second, shape: [1, account()] }],
  ["client(", { ...second, shape: [1, account()] }],
  ["simple_bind_s(|simple_bind(|ldap_bind(|bind_s(|.bind(|ldap_connect(", { ...second, shape: [1, distinguished()] }, { ...third, shape: [2, distinguished()] }],
  [".load(", { place: 2, ask: "word", before: /(?:key|trust)_?store$/i }],
  ["fill(|.type(|>type(|send_keys(|sendkeys(|setvalue(|filltext(|input_text(|type_text(|typetext(|fill_in(|fill_in |fillfield(|fill_field(|.val(", { ...second, shape: [1, passwordField()] }, { place: 1, ask: "word", before: passwordChain() }],
  ["buildconfigfield(|buildconfigfield |resvalue(|resvalue ", { place: 3, ask: "strong", namePlace: 2 }],
  ["config.set(|cfg.set(|parser.set(", { place: 3, ask: "word", namePlace: 2, count: 3 }],
  ['accounts: [|"accounts": [|wallet(|signingkey(|privatekeytoaccount(|fromprivatekey(|accountfromprivatekey(|keypair.fromsecretkey(', { place: 1, ask: "key" }],
]; // prettier-ignore
