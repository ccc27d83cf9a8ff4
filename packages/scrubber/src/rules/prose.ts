import type { Rule } from "../rule.ts";
import { scanChangedValue } from "../scanners/changed-value.ts";
import { scanCodeList } from "../scanners/code-list.ts";
import { scanForeignName } from "../scanners/foreign-name.ts";
import { scanEchoed, scanLoggedIn, scanNamedAfter } from "../scanners/named-after.ts";
import { scanOneTimeCode, scanOneTimeSeed, scanRecoveryKey } from "../scanners/one-time.ts";
import { scanPrintedOutput } from "../scanners/printed-output.ts";
import { scanPrompt } from "../scanners/prompt.ts";
import { scanSpokenNext } from "../scanners/spoken-next.ts";
import { scanSpoken } from "../scanners/spoken.ts";
import { scanTableColumn } from "../scanners/table-column.ts";
import { scanWideSign } from "../scanners/wide-sign.ts";

const source = "how people write of passwords; no page describes it";

/** Secrets in sentences, tables and reports of changes. */
export const proseRules: readonly Rule[] = [
  {
    id: "spoken",
    kind: "spoken_password",
    priority: 1,
    source,
    anchors: ["password", "passphrase", "pass phrase", "passcode", "api key", "api token", "access token", "secret key", "access key", "token", "credentials", "creds", "login", "accounts", "user/pass", "user / pass", "username/password", "username / password", "email/password", "email / password", "user:pass", "user (", "user: ", "account: ", "account (", "root pass", "admin pass", "pass for", "pass again", "pw for", "pwd for", "log in", "sign in", "use admin", "use root", "use user", "use demo", "use test", "use postgres", "use guest"], // prettier-ignore
    contextual: true,
    scan: scanSpoken,
  },
  {
    id: "spoken-next",
    kind: "spoken_password",
    priority: 1,
    source,
    anchors: ["new one", "new value", "new password", "new token", "new key", "new secret", " instead"], // prettier-ignore
    contextual: true,
    scan: scanSpokenNext,
  },
  {
    id: "named-after",
    kind: "spoken_password",
    priority: 1,
    source,
    anchors: [" as the pass", " as your pass", " as pass", " as the api key", " as the token", " as the secret", " for the password", " as my pass"], // prettier-ignore
    contextual: true,
    scan: scanNamedAfter,
  },
  {
    id: "logged-in",
    kind: "spoken_password",
    priority: 1,
    source,
    anchors: ["inlogg", "anmeld", "anzumeld"],
    contextual: true,
    scan: scanLoggedIn,
  },
  {
    id: "echoed-password",
    kind: "command_password",
    priority: 1,
    source: "https://restic.readthedocs.io/en/stable/faq.html",
    anchors: [
      "password-command",
      "password_command",
      "passcommand",
      "passwordcommand",
      "passwordeval",
      "passcmd",
      "extpass",
      "password-file",
      "pass-file",
    ],
    contextual: true,
    scan: scanEchoed,
  },
  {
    id: "prompt",
    kind: "prompted_password",
    priority: 1,
    source: "what programs ask for and print; their manuals show it",
    anchors: ["password", "passphrase", "pass phrase", "passcode", "token", "api key", "access key", "secret key", "unseal key", "recovery key", "master key", "key content", "secret"], // prettier-ignore
    contextual: true,
    scan: scanPrompt,
  },
  {
    id: "code-list",
    kind: "recovery_code",
    priority: 1,
    source: "https://docs.github.com/en/authentication/securing-your-account-with-two-factor-authentication-2fa/configuring-two-factor-authentication-recovery-methods", // prettier-ignore
    anchors: ["recovery c", "recovery-c", "recovery_c", "recoveryc", "backup c", "backup-c", "backup_c", "backupc", "scratch c", "gency code", "backup verif", "one-time c", "e-use code", "rescue c", "lungscode", "de récup", "s de secou", "de recuper", "de respald", "di recuper", "rstelcode", "zapasow", "езервны", "восстано", "恢复代码", "恢复码", "备用验证码", "リカバリー", "バックアップコ", "복구 코드", "백업 코드"], // prettier-ignore
    contextual: true,
    scan: scanCodeList,
  },
  {
    id: "one-time-code",
    kind: "one_time_code",
    priority: 1,
    source: "https://www.rfc-editor.org/rfc/rfc4226",
    anchors: ["ation code", "ogin code", "gn-in code", "gnin code", "urity code", "ccess code", "one-time c", "one time c", "one-time p", "one time p", "use code", "2fa code", "mfa code", "otp code", "otp is", "otp:", "pin:", "pin\"", "pin is", "pin code", "pin-code", "pincode", "puk:", "puk is", "puk code", "puk-code", "tan:", "tan-code", "tan code", "tan lautet", "pin lautet", "pin ist", "door code", "alarm code", "gate code", "safe code", "unlock code", "vation code", "pin of", "pin f", "pin vo", "pin zu", "pin de la", "pin du", "pin del", "puk ", "schaltcode", "ngscode", "code secret", "code d'acc", "digicode", "código de acc", "codice di acc", "tigungscode", "érificat", "erificaci", "erificaç", "i verifica", "ficatieco", "подтвержд", "验证码", "驗證碼", "認証コード", "確認コード", "인증번호", "인증 코드"], // prettier-ignore
    contextual: true,
    scan: scanOneTimeCode,
  },
  {
    id: "recovery-number",
    kind: "recovery_code",
    priority: 1,
    source: "https://learn.microsoft.com/en-us/windows/security/operating-system-security/data-protection/bitlocker/recovery-overview", // prettier-ignore
    anchors: ["recovery key", "recovery password", "recoverykey", "recoverypassword", "numerical password", "bitlocker", "wiederherstellungss"], // prettier-ignore
    contextual: true,
    scan: scanRecoveryKey,
  },
  {
    id: "one-time-seed",
    kind: "totp_secret",
    priority: 1,
    source: "https://github.com/google/google-authenticator/wiki/Key-Uri-Format",
    anchors: ["setup key", "set-up key", "manual e", "manually", "manual k", "manual c", "secret key", "totp", "2fa", "mfa", "otp s", "otp_s", "otpsec", "otpseed", "two-fact", "two fact", "enticator", "base32"], // prettier-ignore
    contextual: true,
    scan: scanOneTimeSeed,
  },
  {
    id: "printed-output",
    kind: "printed_secret",
    priority: 1,
    source: "the commands' own manuals, and those of the shells",
    anchors: ["oken_hex(", "_urlsafe(", "dombytes(", "om_bytes(", "curerandom", "/urandom", "/dev/rand", "om_secret", "s.choice(", "um | base", "base64 -d", "base64 --d", "echo $", "echo \"$", "echo ${", "echo \"${", "echo \\\"$", "printenv ", "cat ", "pwgen ", "apg "], // prettier-ignore
    contextual: true,
    scan: scanPrintedOutput,
  },
  {
    id: "foreign-name",
    kind: "spoken_password",
    priority: 1,
    source,
    // Capitals beyond ASCII are not folded: such a word is met without its first letter.
    anchors: ["passwort", "kennwort", "wachtwoord", "senha", "contrase", "mot de passe", "motdep", "mdp", "palavra-passe", "parola", "losenord", "lösenord", "passord", "dgangsk", "salasa", "heslo", "hesla", "jelsz", "ifre", "mật khẩu", "ผ่", "सव", "κω", "geheim", "segreto", "segredo", "secreto", "hemlig", "كلمة المرور", "كلمة السر", "كلمه المرور", "סיסמה", "סיסמא", "kata sandi", "hasło", "hasła", "haslo", "ароль", "ароля", "ароле", "ffstoken", "ngstoken", "окен", "jeton", "екрет", "lüssel", "luessel", "sleutel", "люч", "clé", "clef", "clave", "chave", "chiave", "klucz", "ngsdaten", "eldedat", "tifiants", "credenci", "credenzi", "loggege", "dane logowania", "чётные данные", "четные данные", "melde dich", "te-toi", "ez-vous", "a sesión", "zaloguj", "token dost", "密码", "密碼", "口令", "密钥", "秘钥", "密鑰", "金鑰", "令牌", "权杖", "權杖", "パスワード", "パスフレーズ", "暗証番号", "トークン", "秘密鍵", "apiキー", "アクセスキー", "シークレ", "비밀번호", "비번", "암호", "패스워드", "토큰", "비밀키", "비밀 키", "시크릿", "api 키", "api키", "액세스 키"], // prettier-ignore
    contextual: true,
    scan: scanForeignName,
  },
  {
    id: "wide-sign",
    kind: "credential",
    priority: 1,
    source,
    anchors: [":\u00a0", "=\u00a0", "\u00a0:", "\u00a0=", "\u202f:", "d：", "n：", "y：", "t：", "e：", "s：", "w：", "d＝", "n＝", "y＝", "t＝", " ：", "*："], // prettier-ignore
    contextual: true,
    scan: scanWideSign,
  },
  {
    id: "table-column",
    kind: "table_credential",
    priority: 1,
    source,
    anchors: ["|--", "| --", "|:-", "| :-", "-+-", "+--"],
    contextual: true,
    scan: scanTableColumn,
  },
  {
    id: "changed-value",
    kind: "changed_credential",
    priority: 1,
    source: "https://developer.hashicorp.com/terraform/cli/commands/plan",
    anchors: ["-> ", "-&gt; ", "=> "],
    contextual: true,
    scan: scanChangedValue,
  },
];
