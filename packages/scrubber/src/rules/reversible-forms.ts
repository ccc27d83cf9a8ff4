import { endsJunosPassword } from "../checks/junos.ts";
import { type Part, run, type Rule, type TokenKind, tokenRules } from "../rule.ts";

const weblogic =
  "https://docs.oracle.com/en/middleware/standalone/weblogic-server/14.1.1.0/wlstc/reference.html";
const websphere =
  "https://www.ibm.com/docs/en/was-nd/9.0.5?topic=passwords-password-encoding-encryption";
const junos =
  "https://www.juniper.net/documentation/us/en/software/junos/user-access/topics/topic-map/root-password.html";
const doubled = "https://docs.docker.com/reference/compose-file/interpolation/";
const dpapi = "https://learn.microsoft.com/en-us/windows/win32/api/dpapi/nf-dpapi-cryptprotectdata";

/** What a product stores of a password and can read back: its key is the product's own, or lies beside it. */
const stored = (
  kind: string,
  source: string,
  anchors: string,
  body: readonly Part[],
): TokenKind => ({
  kind,
  priority: 1,
  source,
  anchors: anchors.split(" "),
  body,
});

/** Passwords in forms that are no hash, and hashes that names alone do not tell. */
export const reversibleFormRules: readonly Rule[] = tokenRules([
  stored("weblogic_password", weblogic, "{AES} {AES256} {AES-256} {3DES}", [run("base64Padded", 16, 256)]),
  stored("websphere_password", websphere, "{xor} {aes}", [run("base64Padded", 8, 256)]),
  stored("spring_password", "https://docs.spring.io/spring-security/reference/features/authentication/password-storage.html", "{noop}", [run("token68", 8, 128)]),
  stored("dovecot_password", "https://doc.dovecot.org/main/core/config/auth/schemes.html", "{PLAIN} {CLEARTEXT}", [run("token68", 8, 128)]),
  stored("jenkins_secret", "https://www.jenkins.io/doc/developer/security/secrets/", "{AQAAABAAAA", [run("base64Padded", 24, 4096), "}"]),
  stored("cisco_hash", "https://www.cisco.com/c/en/us/td/docs/ios-xml/ios/security/s1/sec-s1-xe-3se-5700-cr-book.html", "$8$", [run("token68", 14), "$", run("token68", 43)]),
  { ...stored("junos_password", junos, "$9$", [run("token68", 8, 128)]), require: endsJunosPassword },
  stored("paloalto_password", "https://docs.paloaltonetworks.com/pan-os/11-0/pan-os-admin/certificate-management/configure-the-master-key", "-AQ==", [run("base64Padded", 28, 512)]),
  stored("qbittorrent_hash", "https://github.com/qbittorrent/qBittorrent/wiki/Web-UI-password-locked-on-qBittorrent-NO-X", "@ByteArray(", [run("base64Padded", 16, 64), ":", run("base64Padded", 40, 128)]),
  stored("grub_hash", "https://www.gnu.org/software/grub/manual/grub/html_node/password_005fpbkdf2.html", "grub.pbkdf2.sha512.", [run("digit", 3, 8), ".", run("anyHex", 32, 256), ".", run("anyHex", 64, 256)]),
  stored("aspnet_hash", "https://learn.microsoft.com/en-us/aspnet/core/security/authentication/identity-configuration", "AQAAAAEAACcQ AQAAAAIAAYag", [run("base64Padded", 60, 128)]),
  stored("mssql_hash", "https://learn.microsoft.com/en-us/sql/t-sql/statements/create-login-transact-sql", "0x0200", [run("anyHex", 100, 140)]),
  stored("jetty_password", "https://jetty.org/docs/jetty/12/operations-guide/tools/index.html", "OBF:1", [run("lowerAlnum", 7, 256)]),
  stored("wildfly_password", "https://docs.wildfly.org/35/WildFly_Elytron_Security.html", "MASK-", [run("base64Padded", 10, 64), ";"]),
  stored("teamcity_password", "https://www.jetbrains.com/help/teamcity/storing-project-settings-in-version-control.html", "zxx", [run("hex", 16, 512)]),
  stored("dpapi_secret", dpapi, "01000000d08c9ddf0115d1118c7a00c04fc297eb 01000000D08C9DDF0115D1118C7A00C04FC297EB", [run("anyHex", 64, 4096)]),
  stored("dpapi_secret", dpapi, "AQAAANCMnd8BFdERjHoAwE", [run("base64Padded", 64, 4096)]),
  stored("bcrypt_hash", doubled, "$$2a$$ $$2b$$ $$2y$$", [run("digit", 2), "$$", run("token68", 53)]),
  stored("apr1_hash", doubled, "$$apr1$$", [run("token68", 1, 8), "$$", run("token68", 22)]),
  stored("sha512_crypt_hash", doubled, "$$6$$", [run("token68", 8, 16), "$$", run("token68", 86)]),
]); // prettier-ignore
