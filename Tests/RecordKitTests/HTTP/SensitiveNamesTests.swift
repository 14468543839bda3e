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
        ] { XCTAssertTrue(HTTPHeaders().isSensitive(name), name) }
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
        ] { XCTAssertFalse(HTTPHeaders().isSensitive(name), name) }
    }

    /// A hundred names of credentials in APIs.
    func testNamesOfCredentialsInAPIs() {
        let names = """
            X-Emby-Authorization X-Emby-Token X-MediaBrowser-Token X-Plex-Token X-Forwarded-Authorization
            X-Serverless-Authorization x-ms-authorization-auxiliary X-Auth-Key X-Auth-Token X-Subject-Token
            X-Storage-Token PRIVATE-TOKEN JOB-TOKEN X-Gitlab-Token X-GitHub-OTP X-Hub-Signature X-Hub-Signature-256
            X-Shopify-Access-Token X-Shopify-Storefront-Access-Token X-Shopify-Hmac-Sha256 Ocp-Apim-Subscription-Key
            x-functions-key x-ms-encryption-key X-Amz-Security-Token X-Amz-Signature X-Amz-Credential
            x-amz-server-side-encryption-customer-key X-Goog-Api-Key X-Goog-Signature X-Goog-IAP-JWT-Assertion
            x-goog-encryption-key X-Parse-Session-Token X-Parse-REST-API-Key X-Parse-Master-Key X-Algolia-API-Key
            DD-API-KEY DD-APPLICATION-KEY hue-application-key X-Insert-Key X-Query-Key X-License-Key X-Vault-Token
            X-Consul-Token X-Nomad-Token X-Twilio-Signature X-Slack-Signature Stripe-Signature Paypal-Transmission-Sig
            PayPal-Auth-Assertion X-Signature-Ed25519 X-Line-Signature Linear-Signature svix-signature X-MBX-APIKEY
            X-BAPI-SIGN X-BAPI-API-KEY CB-ACCESS-KEY CB-ACCESS-SIGN CB-ACCESS-PASSPHRASE OK-ACCESS-SIGN KC-API-SIGN
            KC-API-PASSPHRASE API-Sign bfx-signature X-GEMINI-APIKEY X-GEMINI-SIGNATURE SIGN X-Figma-Token
            X-Tableau-Auth X-Sentry-Auth X-Registry-Auth X-Registry-Config X-JFrog-Art-Api X-NuGet-ApiKey
            X-Honeycomb-Team X-RapidAPI-Key X-Mashape-Key X-ELS-APIKey X-Postmark-Server-Token X-Rollbar-Access-Token
            X-Redmine-API-Key X-Cisco-Meraki-API-Key Zotero-API-Key vmware-api-session-id X-Transmission-Session-Id
            Mcp-Session-Id X-SECURITY-TOKEN CSRFPreventionToken Jenkins-Crumb hapikey app_key api_sig authenticity_token
            oauth_signature oauth_verifier sig pin user_pin card[cvc] id_token_hint auth_session writeKey otp_attempt
            """.split { $0.isWhitespace }
        XCTAssertGreaterThanOrEqual(Set(names).count, 100)
        for name in names { XCTAssertTrue(HTTPHeaders().isSensitive(String(name)), String(name)) }
    }

    /// A hundred names in APIs that look like those of credentials.
    func testHarmlessNamesInAPIs() {
        let names = """
            X-Amz-Date X-Amz-Algorithm X-Amz-Expires X-Amz-SignedHeaders X-Amz-Content-Sha256
            x-amz-server-side-encryption-customer-key-MD5 x-amz-server-side-encryption-aws-kms-key-id Signature-Input
            oauth_nonce oauth_timestamp oauth_version oauth_signature_method oauth_callback oauth_problem
            CB-ACCESS-TIMESTAMP X-BAPI-TIMESTAMP X-BAPI-RECV-WINDOW X-Slack-Request-Timestamp X-GitHub-Delivery
            X-GitHub-Event X-GitLab-Event X-Shopify-Topic X-Shopify-Shop-Domain X-Plex-Client-Identifier X-Auth-Email
            X-Emby-Device-Id X-Parse-Application-Id X-Algolia-Application-Id X-RapidAPI-Host X-Vault-Namespace
            X-Honeycomb-Dataset X-Postmark-Message-Id X-RateLimit-Remaining-Tokens x-ratelimit-limit-tokens
            WWW-Authenticate Proxy-Authenticate Access-Control-Allow-Credentials auth_type authType auth_method
            requires_auth needsAuth requiresOAuth oauth authorization_url authorizationEndpoint authorization_endpoint
            requires_authorization pre_authorization authorized authorized_at isAuthorized authenticated author authors
            author_id authority session sessions session_count session_type session_state session_start
            training_session X-Session-Duration signature_count signatures signatory signed signed_at signedBy signup
            sign_in_count signInProvider plus_sign zodiacSign callSign currencySign design assigned_to campaign
            keySignature time_signature time_sig email_signature html_signature function_signature methodSignature pins
            pinned pin_id is_pinned gpio_pin mapPin spin pinterest shipping key keys key_id kid public_key sort_key
            Idempotency-Key issueKey project_key cache_key token_type token_endpoint tokens_used max_tokens
            next_page_token secretary password_policy passwordChangedAt last_password_change otp_enabled mfa_enabled
            """.split { $0.isWhitespace }
        XCTAssertGreaterThanOrEqual(Set(names).count, 100)
        for name in names { XCTAssertFalse(HTTPHeaders().isSensitive(String(name)), String(name)) }
    }

    func testTheAppAddsNames() {
        var headers = HTTPHeaders()
        headers.markSensitive(["X-Till", "door code", "page_token", "safe"])
        for name in [
            "x-till", "XTill", "x_till", "doorCode", "Door-Code", "door code", "page_token", "pageToken",
            "user[x-till]", "door_code[first]", "my.xtill.first", "door_code.x",
            // As with the well-known names, the last words count.
            "X-Safe", "my-safe", "theSafe", "shop[new_safe]", "my-x-till", "next_page_token", "frontDoorCode",
        ] { XCTAssertTrue(headers.isSensitive(name), name) }
        for name in ["till", "X-Tills", "door", "code", "door[code]s", "safe_mode", "Safety", "failsafe", "", "-"] {
            XCTAssertFalse(headers.isSensitive(name), name)
        }
    }
}
