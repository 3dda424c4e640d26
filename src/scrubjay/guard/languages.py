"""The words of sentences that tell a secret, in the languages that people write in."""

from __future__ import annotations

__all__ = ["LINKING", "PASSWORD_NAMES", "either"]

# A value is given to these as they stand: `contraseña: …`, `密码是…`.
PASSWORD_NAMES = """
    pwd pw psw passwd kennwort passwort contraseña contrasena contraseñas clave senha palavra-passe wachtwoord parola
    lösenord adgangskode kodeord passord salasana hasło haslo heslo jelszó şifre şifresi пароль пароля паролем κωδικός
    密码 密碼 口令 パスワード 暗証番号 비밀번호 암호 mdp motdepasse sandi sandinya कूटशब्द पासवर्ड
""".split()
# What stands between the word and the value: "the password is …", "auf … geändert".
LINKING = """
    is are was be being becomes become to as reads read says say stays remains with
    lautet lauten ist sind heißt heisst bleibt war auf als mit es son era será con est sont sera c'est à comme avec
    é è são com jest är er это 是 为 為 は が 는 은 를 を
""".split()


def either(words: list[str] | tuple[str, ...]) -> str:
    """A pattern for any of the words, the longer first."""
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"
