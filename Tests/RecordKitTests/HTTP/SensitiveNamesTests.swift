import RecordKit
import RecordKitInterceptors
import TestSupport
import XCTest

final class SensitiveNamesTests: TimedTestCase {
    func testWellKnownNamesAreSensitive() {
        for name in [
            "Authorization", "Proxy-Authorization", "X-Forwarded-Authorization", "X-Authorization", "X-Auth", "Cookie",
            "Set-Cookie", "Authentication-Info", "DPoP", "X-WSSE", "X-Amz-Security-Token", "X-Amz-Signature",
            "X-Amz-Credential", "X-Hub-Signature-256", "X-Goog-IAP-JWT-Assertion", "X-CSRF-Token", "X-XSRF-TOKEN",
            "X-Auth-Token", "X-Api-Key", "X-Goog-Api-Key", "Ocp-Apim-Subscription-Key", "x-functions-key",
            "X-Master-Key",
            "api_key", "apikey", "apiKey", "APIKey", "google_api_key", "access_key", "accessKey", "AccountKey",
            "private_key", "secret_key", "session_key", "signing_key", "encryption_key", "shared_key", "consumer_key",
            "token", "access_token", "accessToken", "accesstoken", "refresh_token", "id_token", "OAuthToken",
            "page_access_token", "__RequestVerificationToken", "secret", "client_secret", "clientSecret",
            "password", "Password", "passwd", "pwd", "newPassword", "password2", "passWord", "password_confirmation",
            "passphrase", "passcode", "otp", "user.otp", "totp", "jwt", "csrf", "xsrf", "sig", "signature",
            "credential",
            "credentials", "session_id", "sessionid", "ASP.NET_SessionId", "PHPSESSID", "assertion", "client_assertion",
            "SAMLResponse", "code_verifier", "mfa_code", "auth_code", "authorization_code", "verification_code",
            "recovery_code", "user[password]", "user[otp]", "otp[0]", "password[page_token]", "cookie[]", "db.password",
        ] {
            XCTAssertTrue(HTTPHeaders().isSensitive(name), name)
        }
    }

    func testAByteOrderMarkHidesNoName() {
        XCTAssertTrue(HTTPHeaders().isSensitive("\u{FEFF}password"))
        XCTAssertTrue(HTTPHeaders().isSensitive("\u{FEFF}user[token]"))
    }

    func testNamesThatOnlyLookAlikeAreNot() {
        for name in [
            "", "[]", "-", "x", "X-", "key", "code", "tokens", "Footprint", "WWW-Authenticate", "secretary",
            "tokenizer",
            "time_signature", "keySignature", "key_signature", "tokens_used", "total_tokens",
            "completion_tokens_details", "max_tokens", "maxOutputTokens", "X-RateLimit-Remaining-Tokens",
            "Access-Control-Allow-Credentials", "password_policy", "passwordPolicy", "token_type", "token_endpoint",
            "expires_in", "refresh_token_expires_in", "client_assertion_type", "cookie_consent", "cookie.consent",
            "page_token", "pageToken", "nextPageToken", "previous_page_token", "next_token", "sync_token",
            "nextSyncToken", "pagination_token", "filter.page_token", "options[max_tokens]", "otp.is.on",
            "public_key", "primary_key", "sort-key", "Idempotency-Key", "country_code", "status_code", "zip_code",
            "session", "author", "authority", "assertions", "passport", "signal",
        ] {
            XCTAssertFalse(HTTPHeaders().isSensitive(name), name)
        }
    }

    func testTheAppAddsNames() {
        var headers = HTTPHeaders()
        headers.markSensitive(["X-Till", "door code", "page_token"])
        for name in [
            "x-till", "XTill", "x_till", "doorCode", "Door-Code", "door code", "page_token", "pageToken",
            "user[x-till]",
            "door_code[first]", "my.xtill.first", "door_code.x",
        ] {
            XCTAssertTrue(headers.isSensitive(name), name)
        }
        for name in ["till", "X-Tills", "my-x-till", "door", "code", "door[code]s", "next_page_token"] {
            XCTAssertFalse(headers.isSensitive(name), name)
        }
    }
}
