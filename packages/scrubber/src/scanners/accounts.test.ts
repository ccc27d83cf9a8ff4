import { describe, expect, test } from "vitest";
import { alnum, base64, drawChars, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const pw = `${drawChars(alnum, 9, 23)}4Kd`;
const token = `${drawChars(base64, 44, 29)}=`.replaceAll("/", "x");
const bare = (text: string): string =>
  scrubber.scrub(text).text.replaceAll(/__SECRET_\w+?_[a-z2-7]{12}__/g, "§");

/** Command lines with `§` in the place of a password. */
const withPassword = [
  "$ anyshell -h db -u ops -p § -c 1",
  "tool --username ops -w §",
  'args: ["-u", "ops", "-p", "§"]',
  String.raw`C:\> bcp dbo.T out c:\temp\cust.dat -S S1 -U ops -P§ -c`,
  String.raw`{"cmd":"schtasks /create /tr c:\\jobs\\run.cmd /ru ops /rp §"}`,
  "$ rman target sys/§@PROD catalog rcat/§@RCAT",
  "SQL> CONNECT hr/§@XE\nConnected.",
  "$ db2 connect to SAMPLE user ops using §",
  "bteq .LOGON prod/ops,§",
  "$ isql -U sa -P § -S SYB",
  "snmpget -v2c -c § 10.4.4.1 1.3.6",
  "secretsdump.py CORP/admin:'§'@10.0.0.5",
  "nsupdate -y hmac-sha256:key:§ a.txt",
  "curl --cert client.pem:§ https://host/",
  'drush user:password admin "§"',
  "steamcmd +login build § +quit",
  String.raw`reg add HKLM\x /v DefaultPassword /t REG_SZ /d § /f`,
  "PW=$(cat <<< \"§\")\nPW=$(echo -n '§')",
  'passwordeval "echo §"',
  "USERNAME   PASSWORD\n---------- ----------------\nSCOTT      §\n",
  '127.0.0.1:6379> CONFIG GET requirepass\n1) "requirepass"\n2) "§"',
  "sqlite> select id, app from credentials;\n1|git|ops|§|2026-01-04",
  "COPY public.users (id, login, password_plain) FROM stdin;\n1\tops\t§\n2\tbob\t§\n\\.\n",
  "0        'ADMIN_PASSWORD'  '§'",
  "✔ Enter a secret value: … §",
  "[12:01:22]: Enter the passphrase that should be used to encrypt your certificates\n§",
];

const withToken = [
  "$ consul keygen\n§\n",
  "$ bw unlock --raw\n? Master password: [hidden]\n§\n",
  "$ az storage account keys list -o table\nKeyName  Value\n-------  -----\nkey1     §\nkey2     §\n",
  "$ echo $API_SECRET | base64\n§\n",
  'echo "§" | base64 -d  # db password',
];

describe("accounts in commands and what they print", () => {
  test.each(withPassword)("[SC1] the password goes, the rest stays: %s", (line) => {
    expect(bare(line.replaceAll("§", pw))).toBe(line);
  });

  test.each(withToken)("[SC1] the token goes, the rest stays: %s", (line) => {
    expect(bare(line.replaceAll("§", token))).toBe(line);
  });

  test("[SC1] words in quotes are a pass-phrase where a command takes one", () => {
    const line = 'ssh-keygen -t ed25519 -N "§" -f key';
    expect(bare(line.replace("§", "granite desert hammer salmon velvet"))).toBe(line);
  });

  test.each([
    "sudo -u postgres pgbench -p Abc123xyz",
    "docker run -u ops -p 8080:80 -w /srv/Ab1Cd2Ef3 img",
    "psql -U ops -w Shop2024db",
    "mkdir -p Ab1Cd2Ef3 && useradd -u 100 x",
    "docker compose -p Proj2024x up",
    'args: ["-u", "1000", "-p", "8080:80"]',
    "snmpget -v2c -c public 10.4.4.1 1.3.6",
    "steamcmd +login anonymous +app_update 740 +quit",
    "connect with/without the pool, and conn a/b",
    '"rootpw", "pgpw", "dbpw"',
    "Enter your password to continue\nREADME.md",
    'echo "SGVsbG8gV29ybGQhIQ==" | base64 -d',
    "Name   Token  Age\n----   -----  ---\nabc    none   1\n",
    "sqlite> select id, app from credentials;\n1|git|ops|none|2026-01-04",
  ])("[SC10] what looks like it stays: %s", (line) => {
    expect(bare(line)).toBe(line);
  });
});
