"""Whole files, commands, requests and dumps that hold a secret in a place of their own, none on the first list."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from random import Random

from bench.secret_families.files import Form, around, base64_lines, begin_and_end, put, put_password
from bench.secret_families.fresh.prose import person_password
from bench.secret_families.values import expand

__all__ = ["FORMS"]

# Some of the usual list for wallet phrases.
_WALLET_WORDS = (
    "abandon acid anchor apple arctic balance bamboo banner basket bitter bridge bubble cabbage cactus camera canyon "
    "carbon casino cattle cherry circle clarify coconut column copper cotton cradle cricket cruise crystal cushion "
    "dagger decade diamond dolphin dragon eager eagle elbow elder emerge engine erosion exhaust fabric falcon fiction "
    "filter fossil galaxy garlic gesture glimpse gravity hamster harvest hockey humble income insect ivory jacket "
    "kidney ladder lemon liberty lizard magnet marble meadow mirror muffin nephew oblige ocean orchard oxygen parrot "
    "pelican piano pigeon pottery puzzle quantum rabbit ribbon salmon scorpion shadow siren sponge sunset talent "
    "timber tornado umbrella velvet violin walnut whisper zebra"
).split()


def _person(template: str) -> Form:
    """A form whose secret is a password as people choose them."""
    return lambda random: around(template, person_password(random))


def _encoded(template: str, user: str) -> Form:
    """A form whose secret is a user and a password in base64."""

    def make(random: Random) -> tuple[str, str]:
        return around(template, b64encode(f"{user}:{person_password(random)}".encode()).decode())

    return make


def _wallet_words(template: str, count: int) -> Form:
    return lambda random: around(template, " ".join(random.sample(_WALLET_WORDS, count)))


def _key_block(label: str, template: str, indent: str) -> Form:
    """A private key in its armour inside of another file."""

    def make(random: Random) -> tuple[str, str]:
        before, after = begin_and_end(label)
        body = base64_lines(random.randint(4, 12), 64, random)
        block = f"{before}{body}{after}".strip("\n")
        inner = f"\n{indent}".join(body.split("\n"))
        return template.replace("@@", f"\n{indent}".join(block.split("\n"))), inner

    return make


def _cut_key(random: Random) -> tuple[str, str]:
    """The beginning of a key, as a terminal shows it."""
    body = base64_lines(5, 64, random)
    return f"$ head -6 id_rsa\n{begin_and_end('RSA PRIVATE KEY')[0]}{body}\n$ ", body


def _solana(random: Random) -> tuple[str, str]:
    return around("solana-keygen wrote id.json:\n[@@]\n", ",".join(str(random.randint(0, 255)) for _ in range(64)))


def _bitlocker(random: Random) -> tuple[str, str]:
    return around("BitLocker Recovery Key:\n\n    @@\n", "-".join(expand("{d:6}", random) for _ in range(8)))


def _rsa_xml(random: Random) -> tuple[str, str]:
    template = f"<RSAKeyValue><Modulus>{expand('{b:170}==', random)}</Modulus><D>@@</D></RSAKeyValue>"
    return around(template, expand("{b:170}==", random))


SERVERS: Mapping[str, Form] = {
    "git extra header": _encoded(
        '[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic @@\n', "x-access-token"
    ),
    "rclone": put("[gdrive]\ntype = drive\nclient_id = 12-ab.apps\nclient_secret = @@\nscope = drive\n", "{w:24}"),
    "s3cmd": put("[default]\naccess_key = minio\nhost_base = s3.example.com\nsecret_key = @@\n", "{a:32}"),
    "s3fs password file": put("MINIOADMIN01:@@\n", "{b:40}"),
    "SMB credentials": _person("username=ann\npassword=@@\ndomain=CORP\n"),
    "fstab": _person("//nas/share /mnt/share cifs username=backup,password=@@,uid=1000 0 0\n"),
    "NetworkManager": put("[wifi]\nssid=Office\n\n[wifi-security]\nkey-mgmt=wpa-psk\npsk=@@\n", "{a:12}"),
    "Windows Wi-Fi profile": put(
        "<sharedKey><keyType>passPhrase</keyType><protected>false</protected><keyMaterial>@@</keyMaterial></sharedKey>",
        "{a:13}",
    ),
    "Cisco user": _person("hostname core1\nusername admin privilege 15 password 0 @@\n!\n"),
    "Cisco community": put("snmp-server location rack 4\nsnmp-server community @@ RO\n", "{a:12}"),
    "chap-secrets": _person('# client server secret addresses\n"ann" * "@@" *\n'),
    "ipsec.secrets": put('198.51.100.7 203.0.113.9 : PSK "@@"\n', "{a:28}"),
    "shadow": put("daemon:*:19000:0:99999:7:::\nann:@@:19800:0:99999:7:::\n", "$6${a:12}${a:86}"),
    "redis.conf": put("bind 127.0.0.1\nrequirepass @@\nmaxmemory 1gb\n", "{a:22}"),
    "msmtprc": _person("account work\nhost smtp.example.com\nuser ann\npassword @@\n"),
    "muttrc": _person('set imap_user = "ann@example.com"\nset imap_pass = "@@"\n'),
    "odoo.conf": put_password("[options]\nadmin_passwd = @@\ndb_host = db1\n"),
    "grafana.ini": put_password("[security]\nadmin_user = admin\nadmin_password = @@\n"),
    "haproxy": _person("userlist ops\n  user ann insecure-password @@\n"),
    "squid peer": put("cache_peer proxy.example.com parent 3128 0 login=ann:@@ no-query\n", "{a:12}"),
    "Kafka JAAS": put_password('PlainLoginModule required username="app" password="@@";\nsecurity.protocol=SASL_SSL\n'),
    "Tomcat users": _person('<user username="admin" password="@@" roles="manager-gui"/>'),
    "Hibernate": _person('<property name="hibernate.connection.password">@@</property>'),
    "FileZilla": lambda random: around(
        '<Host>ftp.example.com</Host><User>ann</User>\n<Pass encoding="base64">@@</Pass>',
        b64encode(person_password(random).encode()).decode(),
    ),
    "unattended setup": _person("<AdministratorPassword><Value>@@</Value><PlainText>true</PlainText>"),
    "kickstart": _person("lang en_US\nrootpw --plaintext @@\nreboot\n"),
    "preseed": _person("d-i passwd/user-fullname string Ann\nd-i passwd/root-password password @@\n"),
    "cloud-init": _person("#cloud-config\nchpasswd:\n  list: |\n    ubuntu:@@\n  expire: false\n"),
    "CloudFormation": put_password("Type: AWS::RDS::DBInstance\nProperties:\n  MasterUserPassword: @@\n"),
    "ARM parameters": put_password('"parameters": {"adminPassword": {"value": "@@"}, "sku": {"value": "B1"}}'),
    "Terraform state": put_password('"instances": [{"attributes": {"username": "app", "password": "@@"}}]'),
    "WireGuard peer": put("[Peer]\nPublicKey = AbC=\nPresharedKey = @@\nAllowedIPs = 10.0.0.0/24\n", "{b:43}="),
    "Rails database": _person("production:\n  adapter: mysql2\n  username: shop\n  password: @@\n  host: db1\n"),
}

COMMANDS: Mapping[str, Form] = {
    "wget": put_password("wget --user=ann --password='@@' https://dl.example.com/a.zip"),
    "lftp": put("lftp -u deploy,@@ sftp://files.example.com", "{a:12}"),
    "smbclient": put("smbclient //nas/share -U 'CORP\\ann%@@' -c ls", "{a:12}"),
    "net use": _person("net use Z: \\\\nas\\share @@ /user:CORP\\ann /persistent:yes"),
    "net user": _person("net user svc_backup @@ /add"),
    "sqlcmd": put_password("sqlcmd -S tcp:db1,1433 -U sa -P '@@' -Q 'select 1'"),
    "rabbitmqctl": _person("rabbitmqctl add_user shop @@"),
    "SecureString": _person('$p = ConvertTo-SecureString "@@" -AsPlainText -Force'),
    "sudo from a pipe": _person("echo '@@' | sudo -S systemctl restart nginx"),
    "docker login from a pipe": put("echo @@ | docker login ghcr.io -u acme --password-stdin", "{a:36}"),
    "unzip": _person("unzip -P '@@' export.zip -d out"),
    "7z": put("7z x -p@@ backup.7z", "{a:14}"),
    "keytool": put("keytool -list -keystore app.jks -storepass @@", "{a:12}"),
    "ipmitool": put("ipmitool -I lanplus -H 10.0.0.9 -U ADMIN -P @@ power status", "{a:12}"),
    "nmcli": put("nmcli device wifi connect Office password @@", "{a:12}"),
    "xfreerdp": put("xfreerdp /v:srv1 /u:ann /p:@@ /dynamic-resolution", "{a:12}"),
    "mosquitto": put("mosquitto_pub -h mq1 -u sensor -P @@ -t home/temp -m 21", "{a:12}"),
    "mysqldump": put("mysqldump -u root --password=@@ shop > shop.sql", "{a:14}"),
    "sqlplus": put("sqlplus scott/@@@orcl", "{a:10}"),
    "kubeadm join": put(
        "kubeadm join 10.0.0.1:6443 --token @@ --discovery-token-ca-cert-hash sha256:0f", "{l:6}.{l:16}"
    ),
    "npm config": put("npm config set //npm.example.com/:_authToken @@", "{a:36}"),
    "git remote": put("git remote set-url origin https://oauth2:@@@git.example.com/shop.git", "{w:26}"),
    "expect": _person('spawn ssh ann@srv1\nexpect "assword:"\nsend "@@\\r"\ninteract'),
    "openssl": _person("openssl enc -aes-256-cbc -salt -in a.tar -out a.enc -k '@@'"),
}

CODE: Mapping[str, Form] = {
    "Python auth pair": put_password('requests.get("https://x.example/api", auth=("ann", "@@"), timeout=5)'),
    "Python SMTP login": _person('server.login("ann@example.com", "@@")'),
    "Python DSN": put_password('psycopg2.connect("host=db1 dbname=shop user=app password=@@")'),
    "PHP PDO": _person("$db = new PDO('mysql:host=db1;dbname=shop', 'app', '@@');"),
    "Go DSN": put('db, err := sql.Open("mysql", "app:@@@tcp(db1:3306)/shop")', "{a:14}"),
    "Java connection": put_password('DriverManager.getConnection("jdbc:oracle:thin:@db1:1521:x", "app", "@@");'),
    "C# credential": _person('client.Credentials = new NetworkCredential("ann", "@@");'),
    "Node connection": _person("mysql.createConnection({ host: 'db1', user: 'app', password: '@@' })"),
    "Mongo user": _person('db.createUser({ user: "app", pwd: "@@", roles: ["readWrite"] })'),
    "SQL Server login": _person("CREATE LOGIN app WITH PASSWORD = N'@@';"),
    "Postgres alter": _person("ALTER USER app WITH ENCRYPTED PASSWORD '@@';"),
    "camera address": put("rtsp://admin:@@@192.168.1.20:554/stream1", "{a:10}"),
    "FTP address": put("ftp://deploy:@@@files.example.com/www", "{a:12}"),
    "proxy": put("export https_proxy=http://ann:@@@proxy.example.com:3128", "{a:12}"),
    "SQLAlchemy": put('create_engine("mssql+pyodbc://app:@@@db1/shop?driver=ODBC")', "{a:14}"),
}

REQUESTS: Mapping[str, Form] = {
    "login form": put_password("POST /login HTTP/1.1\nHost: x.example\n\nusername=ann&password=@@&remember=on"),
    "login JSON": _person('POST /api/session\n{"email": "ann@example.com", "password": "@@"}'),
    "HAR header": put(
        '"headers": [{"name": "Host", "value": "x.example"}, {"name": "authorization", "value": "Bearer @@"}]', "{w:60}"
    ),
    "Vault header": put("GET /v1/secret/data/app HTTP/1.1\nX-Vault-Token: @@\n", "hvs.{w:24}"),
    "GitLab header": put('curl --header "PRIVATE-TOKEN: @@" https://git.example.com/api/v4/projects', "{w:20}"),
    "Azure header": put("Ocp-Apim-Subscription-Key: @@\nAccept: application/json", "{x:32}"),
    "Genie header": put("Authorization: GenieKey @@", "{uuid}"),
    "ApiKey header": put("Authorization: ApiKey @@", "{b:58}=="),
    "AWS security token": put("x-amz-date: 20260211T080000Z\nx-amz-security-token: @@", "FwoGZXIvYXdzE{b:260}"),
    "Google signed URL": put("https://storage.googleapis.com/b/k?X-Goog-Expires=900&X-Goog-Signature=@@", "{x:256}"),
    "next-auth cookie": put("Cookie: __Secure-next-auth.session-token=@@; theme=dark", "{w:120}"),
    "Laravel cookie": put("Cookie: XSRF=1; laravel_session=@@", "eyJpdiI6{a:160}%3D"),
    "ASP.NET cookie": put("Cookie: .AspNetCore.Cookies=@@", "CfDJ8{w:180}"),
    "WordPress cookie": put("Cookie: wordpress_logged_in_5f4d=@@; wp-settings=1", "ann%7C1770000000%7C{a:43}%7C{x:64}"),
    "Phoenix API body": put(
        '{"grant_type": "client_credentials", "client_id": "app", "client_secret": "@@"}', "{w:40}"
    ),
}

EXPORTS: Mapping[str, Form] = {
    "KeePass": put_password('<String><Key>Password</Key><Value ProtectInMemory="True">@@</Value></String>'),
    "Bitwarden": put_password('{"name": "Bank", "login": {"username": "ann", "password": "@@", "totp": null}}'),
    "browser passwords": put_password("name,url,username,password\nshop,https://shop.example,ann,@@\n"),
    "BitLocker": _bitlocker,
    "FileVault": put("FileVault recovery key: @@\n", "{u:4}-{u:4}-{u:4}-{u:4}-{u:4}-{u:4}"),
    "Google backup codes": put("Google backup codes\n1. @@\n", "{d:4} {d:4}"),
    "TOTP setup": put("Cannot scan? Enter this setup key: @@\n", "{i:4} {i:4} {i:4} {i:4} {i:4} {i:4} {i:4} {i:4}"),
    "wallet phrase": _wallet_words("Ledger recovery phrase (24 words):\n@@\n", 24),
    "wallet phrase in an environment": _wallet_words('MNEMONIC="@@"\nNETWORK=sepolia\n', 12),
    "wallet phrase in a sentence": _wallet_words("my metamask seed phrase is @@ so never lose this", 12),
    "Solana key": _solana,
    "key in YAML": _key_block("EC PRIVATE KEY", "tls:\n  enabled: true\n  key: |\n    @@\n  port: 443\n", "    "),
    "key in a heredoc": _key_block("OPENSSH PRIVATE KEY", "cat > id <<EOF\n@@\nEOF\nchmod 600 id", ""),
    "key quoted in a mail": _key_block("PRIVATE KEY", "> Here is the key:\n> @@\n\nthanks!", "> "),
    "key cut short": _cut_key,
    "RSA in XML": _rsa_xml,
    "whole key in base64": put("TLS_KEY_B64=@@", "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ{b:300}"),
}

FORMS: Mapping[str, Form] = {**SERVERS, **COMMANDS, **CODE, **REQUESTS, **EXPORTS}
