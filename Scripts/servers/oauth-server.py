"""An authorization server with an API, for the tests of RecordKitOAuth. Scripts/servers/oauth starts it.

Its clients: "service" with the secret "s&cret" (client credentials), "app" without a secret (code with PKCE, refresh)
and "device" without a secret (device authorization). A browser is signed in with the header field X-Person: ida.
"""
import os, secrets, sys
from datetime import timedelta
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings

folder = sys.argv[1]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    # The name of the host isn't needed, and resolving it may take long.
    def server_bind(self):
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.server_address
        self.setup_environ()


class Handler(WSGIRequestHandler):
    def address_string(self):
        return self.client_address[0]


server = make_server("127.0.0.1", 0, None, Server, Handler)
issuer = f"http://127.0.0.1:{server.server_port}"
key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
settings.configure(
    DEBUG_PROPAGATE_EXCEPTIONS=True,
    SECRET_KEY=secrets.token_hex(32),
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    LOGIN_URL="/login",
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "oauth2_provider"],
    MIDDLEWARE=[f"{__name__}.sign_in"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": folder + "/database",
            "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"},
        }
    },
    OAUTH2_PROVIDER={
        "SCOPES": {"read": "Read", "write": "Write", "openid": "Sign in"},
        "OIDC_ENABLED": True,
        "OIDC_ISS_ENDPOINT": issuer,
        "OIDC_RSA_PRIVATE_KEY": key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode(),
        "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "DEVICE_FLOW_INTERVAL": 1,
        "OAUTH_DEVICE_VERIFICATION_URI": issuer + "/device",
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
        "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    },
)
django.setup()

from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import include, path
from django.utils import timezone
from oauth2_provider.decorators import protected_resource
from oauth2_provider.models import AccessToken, Application, DeviceGrant


def sign_in(get_response):
    def respond(request):
        request.user = User.objects.filter(username=request.headers.get("X-Person")).first()
        return get_response(request)

    return respond


@protected_resource(scopes=["read"], advertise_metadata=True)
def records(request):
    return HttpResponse(str(request.resource_owner or "service"))


def expire(request):
    """Ends an access token that would be valid for an hour."""
    AccessToken.objects.filter(token=request.GET["token"]).update(expires=timezone.now() - timedelta(seconds=1))
    return HttpResponse("")


def decide(request):
    """What a person does on the page of the device authorization."""
    DeviceGrant.objects.filter(user_code=request.GET["code"]).update(user=request.user, status=request.GET["status"])
    return HttpResponse("")


urlpatterns = [
    path("records", records),
    path("expire", expire),
    path("decide", decide),
    path("", include("oauth2_provider.urls", namespace="oauth2_provider")),
]

call_command("migrate", verbosity=0)
ida = User.objects.create_user("ida")
common = {"user": ida, "skip_authorization": True, "algorithm": "RS256"}
Application.objects.create(
    client_id="service", client_secret="s&cret", client_type="confidential",
    authorization_grant_type="client-credentials", **common)
Application.objects.create(
    client_id="app", client_secret="", client_type="public", authorization_grant_type="authorization-code",
    redirect_uris="http://127.0.0.1/callback http://[::1]/callback", **common)
Application.objects.create(
    client_id="device", client_secret="", client_type="public",
    authorization_grant_type="urn:ietf:params:oauth:grant-type:device_code", **common)
server.set_app(get_wsgi_application())
with open(folder + "/env.new", "w") as file:
    file.write(f"export RECORDKIT_OAUTH_URL={issuer}\n")
os.rename(folder + "/env.new", folder + "/env")
server.serve_forever()
