import type { Rule } from "../rule.ts";
import {
  scanMysqlHash,
  scanNickname,
  scanStreamKey,
  scanWifiCode,
} from "../scanners/carried-key.ts";
import { deviceAnchors, scanDeviceLine } from "../scanners/device-line.ts";
import { scanQueriedRows } from "../scanners/queried-rows.ts";
import { scanSecretFile } from "../scanners/secret-files.ts";
import { scanSqlConnect } from "../scanners/sql-connect.ts";

/** What settings of devices, consoles and codes give as a secret without a name of its own. */
export const deviceRules: readonly Rule[] = [
  {
    id: "device-line",
    kind: "device_secret",
    priority: 1,
    source: "https://www.cisco.com/c/en/us/support/docs/security-vpn/remote-authentication-dial-user-service-radius/107614-64.html", // prettier-ignore
    anchors: deviceAnchors,
    contextual: true,
    scan: scanDeviceLine,
  },
  {
    id: "sql-connect",
    kind: "oracle_password",
    priority: 1,
    source: "https://docs.oracle.com/en/database/oracle/oracle-database/23/sqpug/CONNECT.html",
    anchors: ["connect ", "conn ", ".logon "],
    contextual: true,
    scan: scanSqlConnect,
  },
  {
    id: "secret-file",
    kind: "login_password",
    priority: 1,
    source: "https://docs.strongswan.org/docs/latest/config/ipsecSecrets.html",
    anchors: ["chap-secrets", "pap-secrets", "auth-user-pass", ": psk ", ": eap ", ": xauth ", ": rsa ", ": ecdsa ", ": ntlm ", ": pkcs8 "], // prettier-ignore
    contextual: true,
    scan: scanSecretFile,
  },
  {
    id: "wifi-code",
    kind: "wifi_password",
    priority: 1,
    source: "https://github.com/zxing/zxing/wiki/Barcode-Contents",
    anchors: ["wifi:"],
    contextual: true,
    scan: scanWifiCode,
  },
  {
    id: "stream-key",
    kind: "stream_key",
    priority: 1,
    source: "https://dev.twitch.tv/docs/video-broadcast/",
    anchors: ["rtmp://", "rtmps://"],
    contextual: true,
    scan: scanStreamKey,
  },
  {
    id: "mysql-hash",
    kind: "mysql_hash",
    priority: 1,
    source: "https://dev.mysql.com/doc/refman/8.4/en/native-pluggable-authentication.html",
    anchors: ["as '*", "ord '*", "| *", "ing: *", "ord: *", "ord=*"],
    contextual: true,
    scan: scanMysqlHash,
  },
  {
    id: "queried-rows",
    kind: "table_credential",
    priority: 1,
    source: "https://www.sqlite.org/cli.html",
    anchors: ["from credential", "from password", "from secret", "from api_key", "from apikey", "from token", "from access_token"], // prettier-ignore
    contextual: true,
    scan: scanQueriedRows,
  },
  {
    id: "nickname",
    kind: "login_password",
    priority: 1,
    source: "https://libera.chat/guides/registration",
    anchors: ["nickserv", "/ns ", "userserv", "authserv", "q@cserve"],
    contextual: true,
    scan: scanNickname,
  },
];
