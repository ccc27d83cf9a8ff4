import { expect, test } from "vitest";
import { drawBytes } from "../testing/draw.ts";
import { alnum, base64, drawChars, hex, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const bare = (text: string): string =>
  scrubber.scrub(text).text.replaceAll(/__SECRET_\w+?_[a-z2-7]{12}__/g, "<>");

// As packages of many languages have it beside names that promise a secret.
const untouched: readonly string[] = [
  "role_credentials = Aws::AssumeRoleCredentials.new(",
  "@credentials = ActiveSupport::OrderedOptions.new",
  "password = ::BCrypt::Engine.hash_secret(password, salt)",
  "$password = \\PasswordFactory::generateRandomPasswordString( 8 )",
  "$auth = U2FServer::authenticate(",
  "tokens = @pager.tokens.values.map(&:to_sym)",
  "access_token: @token_provider.token.token",
  "validates_presence_of :password, if: :password_required?",
  "token = %w[AWS_SESSION_TOKEN AMAZON_SESSION_TOKEN]",
  "*delimited_pat = \\&gen_delimited_pat;",
  "ExpectCreds: credentials.Value{",
  "pr.writers[pw] = struct{}{}",
  "this.credentials=t.credentials,e.headers||(this.headers=new d(t.header))",
  "this.token=e,this.tokens.push(e)",
  "tokContexts:fe,isIdentifierStart,Token:acorn_Token,isNewLine,lineBreak:j",
  "{ user: _user, password: _password, headers }",
  "c.connectioncredential = connectioncredential",
  "exports.AuthenticationMD5Password = AuthenticationMD5Password;",
  "setSecret(secret: Uint8Array, signal?: AbortSignal): void",
  "if (typeof this.password === 'function') {",
  "input[type=password]:hover,input[type=password]:focus{border:1px solid}",
  "const dataKey = `declaration:${kind}:${blockHoist}`;",
  "APPLICATION_CREDENTIAL = '/users/{user_id}/application_credentials/'",
  "'/user-password' => 'PhpMyAdmin\\\\Controllers\\\\UserPasswordController',",
  'token: "string.strong",',
  "token: 'constant.begin..filter.slim',",
  'lastSignificantToken = "?InterpolationInJSX";',
  '"kubectl_password": "--password",',
  "requires_session=self.requires_session,",
  "aaa_authorization = os6_aaa.aaa_authorization",
  "'Authorization': type1msg",
  "'@inquirer/password': 5.3.0(@types/node@20.19.25)",
  "private_key: keys/private_key_admin1.pem",
  "methods: ['password', 'mapped'],",
  "@sensitive_post_parameters('password', 'credit_card')",
  'required_together = [["auth_passphrase", "auth_protocol"]]',
  "use Test2::Util::Facets2Legacy qw{",
  "snmp-server host host01 version 3 priv user01 udp-port 23",
  "Message::error(__('The password is empty!'))",
  '"yourpassword": "Chizaruriso:",',
  '"config-admin-password": "비밀번호:",',
  '"changeemail-password": "Tes pled-clav da {{SITENAME}}:",',
  '"help-login-token": "通过<kbd>action=login</kbd>取得令牌已弃用。请改用其他方法。",',
  '"pass": "aria-level values are valid",',
  '"pass": "Elementet har en widget-roll.",',
  "  PW: Պալաու",
  "'ResetTokens' => [ 'Tokens_zurücksetzen' ],",
  "###ADMIN_EMAIL###",
  "self.get(uri, token=ec2_token, expected=200)",
  "dependencies = [('auth', '0009_alter_user_last_name_max_length')]",
  "field_order = ['old_password', 'new_password1', 'new_password2']",
  "'password': ['local_user_id', 'created_at', 'expires_at'],",
  'token : "support.function.C99.c",',
];

test.each(untouched)("[SC10] what code and labels have there stays: %s", (text) => {
  expect(scrubber.scrub(text).text).toBe(text);
});

test.each([
  "if urlsafe_csrf_tokens\n  SecureRandom.urlsafe_base64(LENGTH, padding: false)\nelse\n",
  "change(password\n   original_password=uuid.uuid4().hex,\n",
  "    token,\n    RemovedInDjango40Warning,\n",
])("[SC10] a line of code under a name stays: %s", (text) => {
  expect(scrubber.scrub(text).text).toBe(text);
});

const short = `${drawChars(alnum, 5, 61)}^*${drawChars(alnum, 6, 62)}`;
const bytes = Buffer.from(drawBytes(16, 63)).toString("base64");
const uuid = [8, 4, 4, 4, 12].map((length, at) => drawChars(hex, length, 64 + at)).join("-");
const type7 = drawChars("0123456789ABCDEF", 18, 69);

test.each([
  "primary_password: <cisco123>",
  `entrust_api_key: <${short}>`,
  `"authorization_key": "<${uuid}>"`,
  `key_string: <${drawChars(hex, 48, 70)}>`,
  `encryption: 7\nkey: <${type7}>`,
  `key_name: omapi\nkey: <${bytes}>`,
  `container: mine\nkey: <${drawChars(base64, 86, 71)}==>`,
  `raw_key: <${drawChars(base64, 43, 72)}=>`,
  'plaintext_key: "<abc1234567>"',
  "set service snmp v3 user ada privacy plaintext-key '<ada12345678>'",
  "username: HQ\\ada\nsecret: <Password01>",
  "\tipaddr = 127.0.0.1\n\tsecret = <testing123>",
  'git -c http.extraheader="AUTHORIZATION: bearer <cactus*Walnut63>" clone https://a.test/b.git',
  "1:db.corp.test:5432:orders:app:<copper+Shadow69>",
  "it ships with admin password '<we1come!>' which is to be changed",
])("[SC1] what files of settings call otherwise goes: %s", (marked) => {
  expect(bare(marked.replace(/<(.*)>/, "$1"))).toBe(marked.replace(/<.*>/, "<>"));
});

// What looks like code or a label at one end, and holds a value all the same.
test.each([
  `api_key=<${drawChars(alnum, 20, 81)}7q请妥善保管好>`,
  "password=<hunter2请不要外传给别人>",
  "DB_PASSWORD=<hunter27x请不要外传给别人>",
  '"password": "<correct7horse请勿泄露给任何人>"',
  "MYSQL_ROOT_PASSWORD=<root_password>",
  "password: <Passw0rd!(x>",
  'curl -H "Authorization: <letme1in>" https://a.test',
  "Authorization: <secret1key>",
])("[SC1] a value with something else beside it goes: %s", (marked) => {
  expect(bare(marked.replace(/<(.*)>/, "$1"))).toBe(marked.replace(/<.*>/, "<>"));
});

test.each([
  `public_key: <none>\nkey: ${bytes}`,
  "key: dXNlcnMvYWRhL3NldHRpbmdzL3RoZW1l",
  "volumes:\n  - secret: backup01",
  "cache_key: users/42/settings",
  "primary_key: id",
  "  key: 2026.11-linux-x64-node20",
])("[SC10] a key of another kind stays: %s", (text) => {
  expect(scrubber.scrub(text).text).toBe(text);
});
