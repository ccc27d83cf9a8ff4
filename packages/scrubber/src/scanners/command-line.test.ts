import { describe, expect, test } from "vitest";
import { alnum, drawChars, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const pw = `${drawChars(alnum, 7, 3)}9x!`;
const token = drawChars(alnum, 40, 5);
const bare = (text: string): string =>
  scrubber.scrub(text).text.replaceAll(/__SECRET_\w+?_[a-z2-7]{12}__/g, "§");

/** Command lines with `§` in the place of a password, or of a token where one is asked for. */
const withPassword = [
  "$ mysql -u root -p§ shop",
  "root@db1:~# mysqldump --all-databases -uroot -p'§' > /tmp/a.sql",
  "sudo docker exec -it db mysql -uroot -p§ shop",
  '{"command": "mysql -u root -p§ -e \'show tables\'", "description": "x"}',
  'spawn("mysql", ["-uroot", "-p§", "shop"])',
  'subprocess.run(["curl", "-u", "ada:§", url])',
  "12:curl -sS --user 'ada:§' https://host/",
  "curl -uada:§ https://host/",
  "http GET host/x -a ada:§",
  "sshpass -p § ssh -p 2222 ops@host",
  "docker login -u ci -p § registry.test",
  "docker login \\\n  -u ci \\\n  -p § registry.test",
  '{"command":"docker login \\\\\\n  -u ci \\\\\\n  -p § registry.test"}',
  "printf '%s' '§' | docker login -u ci --password-stdin",
  'docker login -u ci --password-stdin <<< "§"',
  'echo "ops:§" | sudo chpasswd',
  "chpasswd <<EOF\nops:§\nEOF",
  "echo § | sudo -S apt-get update",
  "htpasswd -nbB ada §",
  "htpasswd -b -c .htpasswd ada § && nginx -s reload",
  "7z x -p§ backup.7z",
  "zip -e -P § out.zip a.csv",
  "smbclient //host/share -U 'CORP\\ops%§'",
  "net use Z: \\\\host\\share § /user:ops",
  "net user ops § /add",
  "rabbitmqctl -n rabbit@host change_password worker §",
  "redis-cli -h host -p 6379 -a § ping",
  "127.0.0.1:6379> AUTH default §\nOK",
  "ldapsearch -x -D cn=admin -w § -b dc=corp",
  "sqlplus system/§@//db:1521/x",
  "sqlcmd -S host -U sa -P§ -Q 'select 1'",
  "lftp -u ada,§ sftp://host",
  "openssl enc -aes-256-cbc -in a -out b -k §",
  "keytool -list -keystore a.jks -storepass §",
  "ssh-keygen -t ed25519 -N '§' -f key",
  "plink -ssh -pw § ada@host",
  "security add-generic-password -a me -s svc -w §",
  "nmcli dev wifi connect Home password §",
  "kubectl -n prod create secret generic x --from-literal api=§",
  'ConvertTo-SecureString -String "§" -AsPlainText -Force',
  "$p = '§' | ConvertTo-SecureString -AsPlainText -Force",
  "ALTER ROLE app WITH ENCRYPTED PASSWORD '§';",
  "SET PASSWORD FOR 'root'@'localhost' = PASSWORD('§');",
  "CREATE LOGIN app WITH PASSWORD = N'§';",
  "CREATE USER x IDENTIFIED WITH mysql_native_password BY '§';",
  'child.expect("assword:")\nchild.sendline("§")',
  "$ terraform output -raw db_password\n§\n$ ",
];

const withToken = [
  'gh secret set DEPLOY_TOKEN --body "§" --repo team/app',
  'echo "§" | wrangler secret put API_TOKEN',
  "fly secrets set A=§ B=production",
  "heroku config:set NODE_ENV=production API_KEY=§",
  "npm config set //registry.test/:_authToken §",
  "cargo login §",
  "vault login §",
  "vault kv put secret/db pw=§ host=db.internal port=5432",
  "aws configure set aws_secret_access_key §",
  "$ gh auth token\n§\n",
];

describe("command lines", () => {
  test.each(withPassword)("[SC1] the password goes, the rest stays: %s", (line) => {
    expect(bare(line.replace("§", pw))).toBe(line);
  });

  test.each(withToken)("[SC1] the token goes, the rest stays: %s", (line) => {
    expect(bare(line.replace("§", token))).toBe(line);
  });

  test.each([
    "mysql -u root -p shop",
    "mkdir -p build && cp -p a b",
    "docker run -p 8080:80 -u 1000:1000 img",
    "docker exec db sh -c 'mysql -uroot -p\"$MYSQL_ROOT_PASSWORD\"'",
    'curl -u "$USER:$PASS" https://host',
    "curl -u ada https://host/",
    "docker login -u ci -p $TOKEN registry.test",
    "cat token.txt | docker login -u ci --password-stdin",
    "docker login -p is insecure",
    "echo hello | sudo tee /etc/x",
    "ls | sudo -S cat",
    "htpasswd -nb admin $(openssl rand -hex 8)",
    "unzip -p a.zip file.txt",
    "the net use of resources is 4x10 higher",
    "net user growth was 4.5% in Q3 2024",
    "openssl pkcs12 -in a.p12 -passin file:pw.txt -passout env:PW",
    'exec.Command("mysql", "-u", user, "-p"+pass)',
    "spawn('sshpass', ['-p', password, 'ssh', host])",
    '{"command": "mysql -u root -p", "timeout": 1200}',
    "heroku config:set NODE_ENV=production",
    "aws configure set region eu-west-1",
    "security is a concern and passwd is a file in /etc",
    "$ kubectl get secrets -o name\nsecret/default-token-8x7k2",
    "redis-cli -u redis://cache:6379 AUTH",
    "rows are identified by the id column",
  ])("[SC10] references, files, options and sentences stay: %s", (line) => {
    expect(bare(line)).toBe(line);
  });

  test("[SC4] commands named in the arguments of others are read a few times, not for each", () => {
    const works: number[] = [];
    const counting = testScrubber({ onWork: (work) => works.push(work) });
    const line = "curl mysql sudo docker ".repeat(4000);
    expect(counting.scrub(line).text).toBe(line);
    expect(works[0]).toBeLessThan(16 * line.length);
  });
});
