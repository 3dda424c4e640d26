"""Files, commands and dumps of tools that neither of the first lists has."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from random import Random

from bench.secret_families.files import Form, around, put, put_password
from bench.secret_families.values import password

__all__ = ["FORMS"]


def _registry_auth(random: Random) -> tuple[str, str]:
    secret = b64encode(f"puller:{password(random)}".encode()).decode()
    return around(
        '[plugins."io.containerd.grpc.v1.cri".registry.configs."reg.example.com".auth]\n  auth = "@@"\n', secret
    )


FORMS: Mapping[str, Form] = {
    "kaggle.json": put('{"username":"mira","key":"@@"}', "{x:32}"),
    "gh hosts.yml": put("github.com:\n    user: mira\n    oauth_token: @@\n    git_protocol: ssh\n", "{a:40}"),
    "gradle.properties": put_password("org.gradle.jvmargs=-Xmx2g\nmavenUser=mira\nmavenPassword=@@\n"),
    "sbt credentials": put_password("realm=Nexus\nhost=nexus.example.com\nuser=mira\npassword=@@\n"),
    "wpa_supplicant": put_password('network={\n    ssid="home"\n    psk="@@"\n    key_mgmt=WPA-PSK\n}'),
    "hostapd": put_password("interface=wlan0\nssid=lab\nwpa=2\nwpa_passphrase=@@\n"),
    "rsyncd.secrets": put_password("backup:@@\n# one line for each user of rsyncd\n"),
    "pgbouncer userlist": put_password('"app" "@@"\n"stats" "x"\n'),
    "terraform.tfvars": put_password('region = "eu-west-1"\ndb_admin_password = "@@"\n'),
    "compose environment": put_password(
        "services:\n  db:\n    environment:\n      - POSTGRES_PASSWORD=@@\n      - TZ=UTC\n"
    ),
    "helm set": put_password("helm upgrade web ./chart --set image.tag=1.2 --set auth.rootPassword=@@ --wait"),
    "systemd unit": put("[Service]\nEnvironment=API_SECRET=@@\nExecStart=/usr/bin/app\n", "{a:32}"),
    "appsettings.json": put_password(
        '{"ConnectionStrings": {"Main": "Server=db1;Database=shop;User Id=app;Password=@@;Encrypt=True"}}'
    ),
    "vault kv put": put_password("vault kv put secret/shop/db username=app password=@@"),
    "aws secretsmanager": put_password("aws secretsmanager create-secret --name shop/db --secret-string '@@'"),
    "gh secret set": put("gh secret set DEPLOY_TOKEN --body @@ --repo acme/shop", "{a:36}"),
    "flyctl secrets": put("fly secrets set SESSION_SECRET=@@ --app shop", "{x:64}"),
    "heroku config": put("heroku config:set STRIPE_SECRET=@@ -a shop", "{a:32}"),
    "wrangler vars": put('[vars]\nENVIRONMENT = "prod"\nAPI_SECRET = "@@"\n', "{a:40}"),
    "pip index address": put_password("pip install --extra-index-url https://ci:@@@pypi.example.com/simple shop"),
    "cargo credentials": put('[registry]\ntoken = "@@"\n', "cio{a:32}"),
    "containerd auth": _registry_auth,
    "Jupyter address": put("http://127.0.0.1:8888/lab?token=@@", "{x:48}"),
    "magic link": put(
        "Click to sign in: https://app.example.com/auth/verify?token=@@&email=mira%40example.com", "{w:43}"
    ),
    "reset link": put("Reset it here within an hour: https://shop.example.com/reset-password/@@", "{a:40}"),
    "CSV of accounts": put_password("name,login,password,role\nMira,mira@example.com,@@,admin\n"),
    "su from a script": put_password("echo '@@' | su - postgres -c 'psql -l'"),
    "cryptsetup": put_password("echo -n '@@' | cryptsetup luksOpen /dev/sdb1 data -"),
    "restic": put_password("RESTIC_PASSWORD=@@ restic -r s3:s3.example.com/backup snapshots"),
    "borg": put_password("export BORG_PASSPHRASE='@@'\nborg list /mnt/backup\n"),
    "ldapsearch": put_password('ldapsearch -x -D "cn=admin,dc=example,dc=com" -w @@ -b "dc=example,dc=com"'),
    "snmpv3": put_password("snmpwalk -v3 -l authPriv -u mon -a SHA -A @@ -x AES -X other 10.0.0.2"),
    "pfx export": put_password("openssl pkcs12 -export -in c.pem -inkey k.pem -out c.pfx -passout pass:@@"),
    "PSCredential": put_password(
        '$cred = New-Object PSCredential("svc", (ConvertTo-SecureString "@@" -AsPlainText -Force))'
    ),
    "GraphQL variables": put_password(
        '{"query":"mutation L{login}","variables":{"email":"m@example.com","password":"@@"}}'
    ),
}
