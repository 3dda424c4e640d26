"""Whole files and commands that hold a secret in a place of their own: key files, password files, cookies, URLs."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from random import Random

from bench.secret_families.values import Made, expand, password

__all__ = ["FORMS", "form"]


def _lines(count: int, width: int, random: Random) -> str:
    return "\n".join(expand(f"{{b:{width}}}", random) for _ in range(count))


def _hex_lines(count: int, random: Random) -> str:
    return "\n".join(expand("{x:32}", random) for _ in range(count))


def _begin(label: str) -> tuple[str, str]:
    return f"-----BEGIN {label}-----\n", f"\n-----END {label}-----\n"


def _block(label: str, random: Random) -> tuple[str, str]:
    before, after = _begin(label)
    body = _lines(random.randint(6, 20), 64, random)
    return f"{before}{body}{after}", body


def _base64(value: str) -> str:
    return b64encode(value.encode()).decode()


def _around(template: str, value: str) -> tuple[str, str]:
    return template.replace("@@", value), value


def _put(template: str, shape: str) -> Callable[[Random], tuple[str, str]]:
    """A form whose secret, at the place marked @@, is made after a template."""
    return lambda random: _around(template, expand(shape, random))


def _put_password(template: str) -> Callable[[Random], tuple[str, str]]:
    return lambda random: _around(template, password(random))


def _kubernetes_data(random: Random) -> tuple[str, str]:
    secret = _base64(password(random))
    return _around("apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: @@\n", secret)


def _docker_config(random: Random) -> tuple[str, str]:
    secret = _base64(f"ci:{password(random)}")
    return _around('{"auths": {"registry.example.com": {"auth": "@@"}}}', secret)


def _basic_header(random: Random) -> tuple[str, str]:
    return _around("GET /v1 HTTP/1.1\nAuthorization: Basic @@\nAccept: */*", _base64(f"ops:{password(random)}"))


def _putty(random: Random) -> tuple[str, str]:
    body = _lines(8, 64, random)
    head = "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: key-2025\nPublic-Lines: 1\n"
    return (
        f"{head}{expand('{b:64}', random)}\nPrivate-Lines: 8\n{body}\nPrivate-MAC: {expand('{x:64}', random)}\n",
        body,
    )


def _jwk(random: Random) -> tuple[str, str]:
    secret = expand("{w:43}", random)
    key = {"kty": "EC", "crv": "P-256", "x": expand("{w:43}", random), "y": expand("{w:43}", random), "d": secret}
    return json.dumps(key), secret


def _jwk_symmetric(random: Random) -> tuple[str, str]:
    return _around('{"kty": "oct", "alg": "HS256", "kid": "a1", "k": "@@"}', expand("{w:64}", random))


def _openvpn(random: Random) -> tuple[str, str]:
    body = _hex_lines(16, random)
    before, after = _begin("OpenVPN Static key V1")
    return f"<tls-auth>\n{before}{body}{after}</tls-auth>\n", body


def _service_account(random: Random) -> tuple[str, str]:
    body = _lines(4, 64, random).replace("\n", "\\n")
    before, after = (part.replace("\n", "\\n") for part in _begin("PRIVATE KEY"))
    return f'{{"type": "service_account", "private_key": "{before}{body}{after}"}}', body


FORMS: Mapping[str, Callable[[Random], tuple[str, str]]] = {
    "RSA private key": lambda random: _block("RSA PRIVATE KEY", random),
    "OpenSSH private key": lambda random: _block("OPENSSH PRIVATE KEY", random),
    "PGP private key": lambda random: _block("PGP PRIVATE KEY BLOCK", random),
    "encrypted private key": lambda random: _block("ENCRYPTED PRIVATE KEY", random),
    "service account JSON": _service_account,
    "PuTTY key file": _putty,
    "JWK with d": _jwk,
    "JWK symmetric": _jwk_symmetric,
    "OpenVPN static key": _openvpn,
    "OpenVPN user file": _put_password("<auth-user-pass>\nann\n@@\n</auth-user-pass>"),
    "WireGuard": _put("[Interface]\nAddress = 10.0.0.2/32\nPrivateKey = @@\n", "{b:43}="),
    ".pgpass": _put_password("db.example.com:5432:orders:app:@@\n"),
    ".netrc": _put_password("machine git.example.com login ann password @@\n"),
    ".netrc in lines": _put_password("machine git.example.com\n  login ann\n  password @@\n"),
    ".my.cnf": _put_password("[client]\nuser=root\npassword=@@\n"),
    ".npmrc": _put("//npm.example.com/:_authToken=@@", "{uuid}"),
    ".pypirc": _put_password("[internal]\nrepository = https://pypi.example.com\nusername = ci\npassword = @@\n"),
    "git credentials": _put("https://ann:@@@git.example.com", "{a:20}"),
    "NuGet config": _put_password(
        '<packageSourceCredentials><feed><add key="Username" value="ci" />'
        '<add key="ClearTextPassword" value="@@" /></feed></packageSourceCredentials>'
    ),
    "Maven settings": _put_password("<server><id>nexus</id><username>ci</username><password>@@</password></server>"),
    "web.config connection": _put_password(
        '<add name="Main" connectionString="Server=db1;Database=app;User Id=sa;Password=@@;" />'
    ),
    "ODBC string": _put_password("Driver={ODBC Driver 18};Server=tcp:db1;Uid=app;Pwd=@@;Encrypt=yes;"),
    "JDBC URL": _put_password("jdbc:mysql://db1:3306/app?user=app&password=@@&useSSL=true"),
    "postgres URL": _put("postgresql://app:@@@db1.example.com:5432/orders", "{a:18}"),
    "mongodb URL": _put("mongodb+srv://app:@@@cluster0.example.net/?retryWrites=true", "{a:16}"),
    "redis URL": _put("redis://:@@@cache.example.com:6379/0", "{a:24}"),
    "amqp URL": _put("CELERY_BROKER=amqp://worker:@@@mq.example.com//", "{a:14}"),
    "Sidekiq URL": _put("source https://@@@gems.contribsys.com/ do", "{x:8}:{x:8}"),
    "Cloudinary URL": _put("cloudinary://123456789012345:@@@demo", "{w:27}"),
    "AWS credentials file": _put("[prod]\naws_secret_access_key = @@\nregion = eu-west-1\n", "{b:40}"),
    "Azure storage connection": _put(
        "DefaultEndpointsProtocol=https;AccountName=logs;AccountKey=@@;EndpointSuffix=core.windows.net", "{b:86}=="
    ),
    "Azure SAS": _put("https://logs.blob.core.windows.net/a?sv=2022-11-02&sp=rl&sig=@@", "{a:42}%3D"),
    "Azure service bus": _put("Endpoint=sb://q.example.net/;SharedAccessKeyName=Root;SharedAccessKey=@@", "{b:43}="),
    "signed S3 URL": _put("https://b.s3.amazonaws.com/k?X-Amz-Expires=900&X-Amz-Signature=@@", "{x:64}"),
    "Kubernetes Secret data": _kubernetes_data,
    "kubeconfig token": _put("users:\n- name: admin\n  user:\n    token: @@\n", "{l:40}"),
    "kubeconfig client key": _put("users:\n- name: admin\n  user:\n    client-key-data: @@\n", "LS0tLS1CRUdJTi{b:300}"),
    "Docker config auth": _docker_config,
    "basic header": _basic_header,
    "Okta header": _put("Authorization: SSWS @@", "00{w:40}"),
    "token header": _put("Authorization: Token @@", "{x:40}"),
    "api key header": _put("x-api-key: @@", "{a:32}"),
    "curl user": _put_password("curl -u 'admin:@@' https://jenkins.example.com/api/json"),
    "curl user long": _put_password('curl --user "admin:@@" https://nexus.example.com'),
    "session cookie": _put("Cookie: theme=dark; sessionid=@@; lang=en", "{l:32}"),
    "PHP session cookie": _put("Cookie: PHPSESSID=@@", "{l:26}"),
    "Java session cookie": _put("Set-Cookie: JSESSIONID=@@; Path=/; HttpOnly", "{X:32}"),
    "GitLab session cookie": _put("curl --cookie '_gitlab_session=@@' https://git.example.com", "{x:32}"),
    "connect.sid cookie": _put("Cookie: connect.sid=s%3A@@", "{w:32}.{w:43}"),
    "auth cookie": _put("set-cookie: auth_token=@@; Secure; HttpOnly", "{w:48}"),
    "OAuth redirect": _put("https://app.example.com/cb#access_token=@@&token_type=bearer", "{w:60}"),
    "OAuth answer": _put('{"token_type": "Bearer", "refresh_token": "@@", "expires_in": 3600}', "{w:64}"),
    "TOTP address": _put("otpauth://totp/Example:ann?secret=@@&issuer=Example", "{q:32}"),
    "mysql command": _put("mysql -u root -p@@ orders < dump.sql", "{a:14}"),
    "psql command": _put("PGPASSWORD=@@ psql -h db1 -U app", "{a:14}"),
    "sshpass command": _put_password("sshpass -p '@@' ssh root@10.1.2.3"),
    "docker login": _put_password("docker login registry.example.com -u ci -p '@@'"),
    "redis-cli": _put("redis-cli -h cache -a @@ ping", "{a:20}"),
    "openssl pass": _put_password("openssl rsa -in key.pem -passin pass:@@"),
    "gpg passphrase": _put_password("gpg --batch --passphrase '@@' -d dump.gpg"),
    "htpasswd command": _put_password("htpasswd -b .htpasswd ann '@@'"),
    "useradd": _put_password("echo 'deploy:@@' | chpasswd"),
    "Wi-Fi": _put('network={\n  ssid="office"\n  psk="@@"\n}', "{a:16}"),
    "Wi-Fi QR": _put("WIFI:T:WPA;S:office;P:@@;;", "{a:14}"),
    "WordPress": _put_password("define( 'DB_PASSWORD', '@@' );"),
    "WordPress salt": _put("define('AUTH_KEY',         '@@');", "{p:64}"),
    "Django database": _put_password("'USER': 'app', 'PASSWORD': '@@', 'HOST': 'db1',"),
    "Spring": _put_password("spring:\n  datasource:\n    username: app\n    password: @@\n"),
    "Ansible": _put_password("ansible_user=root ansible_become_pass=@@ ansible_port=22"),
    "SQL role": _put_password("CREATE ROLE app LOGIN PASSWORD '@@';"),
    "MySQL user": _put_password("CREATE USER 'app'@'%' IDENTIFIED BY '@@';"),
    "LDAP": _put_password("ldapsearch -D cn=admin -w '@@' -b dc=example"),
    "SOAP": _put_password("<wsse:Username>ann</wsse:Username><wsse:Password>@@</wsse:Password>"),
    "HTML input": _put_password('<input type="password" name="pw" value="@@">'),
    "nested credentials": _put_password('{"credentials": {"user": "ann", "password": "@@"}}'),
    "recovery codes": _put("GitHub recovery codes:\n@@\n", "{x:5}-{x:5}"),
}


def form(name: str, random: Random) -> Made:
    text, secret = FORMS[name](random)
    return Made(name, "file", text, secret)
