import RecordKit
import RecordKitInterceptors
import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// The token responses of providers, as their documentation shows them.
final class ProviderTests: TimedTestCase {
    private typealias Row = (
        name: String, type: String, body: String, seconds: Double?, scope: String, fields: [String: TokenSet.Field]
    )

    private let json = "application/json"

    private var table: [Row] {
        [
            (
                "Google", json,
                #"""
                {"access_token":"a","expires_in":3920,"refresh_token":"r",
                "scope":"https://www.googleapis.com/auth/drive","token_type":"Bearer"}
                """#,
                3920, "https://www.googleapis.com/auth/drive", [:]
            ),
            (
                "GitHub", "application/x-www-form-urlencoded; charset=utf-8",
                "access_token=a&refresh_token=r&scope=repo%2Cgist&token_type=bearer", nil, "repo,gist", [:]
            ),
            (
                "Microsoft", json,
                #"""
                {"token_type":"Bearer","scope":"Mail.Read User.Read","expires_in":3736,"ext_expires_in":3736,
                "access_token":"a","refresh_token":"r"}
                """#,
                3736, "Mail.Read User.Read", ["ext_expires_in": .integer(3736)]
            ),
            (
                "Salesforce", "application/json;charset=UTF-8",
                #"""
                {"access_token":"a","refresh_token":"r","signature":"s=","scope":"api id",
                "instance_url":"https://eu1.salesforce.example","id":"https://login.salesforce.example/id/00D/005",
                "token_type":"Bearer","issued_at":"1278448832702"}
                """#,
                nil, "api id",
                [
                    "signature": .string("s="), "instance_url": .string("https://eu1.salesforce.example"),
                    "id": .string("https://login.salesforce.example/id/00D/005"), "issued_at": .string("1278448832702"),
                ]
            ),
            (
                "Slack", "application/json; charset=utf-8",
                #"""
                {"ok":true,"access_token":"a","refresh_token":"r","expires_in":43200,"token_type":"bot",
                "scope":"commands,incoming-webhook","bot_user_id":"U0KRQLJ9H","team":{"name":"Softball",
                "id":"T9TK3CUKW"},"enterprise":null,"authed_user":{"id":"U1234"}}
                """#,
                43200, "commands,incoming-webhook",
                [
                    "ok": .bool(true), "bot_user_id": .string("U0KRQLJ9H"),
                    "team": .object(["name": .string("Softball"), "id": .string("T9TK3CUKW")]), "enterprise": .null,
                    "authed_user": .object(["id": .string("U1234")]),
                ]
            ),
            (
                "Shopify", json,
                #"""
                {"access_token":"a","refresh_token":"r","scope":"write_orders,read_customers","expires_in":86399,
                "associated_user_scope":"write_orders","associated_user":{"id":902541635,"account_owner":true}}
                """#,
                86399, "write_orders,read_customers",
                [
                    "associated_user_scope": .string("write_orders"),
                    "associated_user": .object(["id": .integer(902_541_635), "account_owner": .bool(true)]),
                ]
            ),
            (
                "Twitch", json,
                #"""
                {"access_token":"a","expires_in":14124,"refresh_token":"r","scope":["channel:moderate","chat:edit"],
                "token_type":"bearer"}
                """#,
                14124, "channel:moderate chat:edit", [:]
            ),
            (
                "eBay", json,
                #"""
                {"access_token":"a","expires_in":7200,"refresh_token":"r","refresh_token_expires_in":47304000,
                "token_type":"User Access Token"}
                """#,
                7200, "asked", ["refresh_token_expires_in": .integer(47_304_000)]
            ),
            (
                "Apigee", json,
                #"""
                {"issued_at":"1420262924658","scope":"READ","application_name":"ce1e94a2",
                "refresh_token_issued_at":"1420262924658","status":"approved","refresh_token_status":"approved",
                "api_product_list":"[PremiumWeatherAPI]","expires_in":"1799",
                "developer.email":"tesla@weathersample.example","organization_id":"0","token_type":"BearerToken",
                "refresh_token":"r","client_id":"k","access_token":"a","organization_name":"docs",
                "refresh_token_expires_in":"0","refresh_count":"0"}
                """#,
                1799, "READ",
                [
                    "issued_at": .string("1420262924658"), "application_name": .string("ce1e94a2"),
                    "refresh_token_issued_at": .string("1420262924658"), "status": .string("approved"),
                    "refresh_token_status": .string("approved"), "api_product_list": .string("[PremiumWeatherAPI]"),
                    "developer.email": .string("tesla@weathersample.example"), "organization_id": .string("0"),
                    "client_id": .string("k"), "organization_name": .string("docs"),
                    "refresh_token_expires_in": .string("0"), "refresh_count": .string("0"),
                ]
            ),
            (
                "Spotify", json,
                #"""
                {"access_token":"a","token_type":"Bearer","scope":"user-read-private user-read-email",
                "expires_in":3600,"refresh_token":"r"}
                """#,
                3600, "user-read-private user-read-email", [:]
            ),
            (
                "Stripe", json,
                #"""
                {"access_token":"a","livemode":false,"refresh_token":"r","token_type":"bearer",
                "stripe_publishable_key":"pk","stripe_user_id":"acct_1","scope":"express"}
                """#,
                nil, "express",
                [
                    "livemode": .bool(false), "stripe_publishable_key": .string("pk"),
                    "stripe_user_id": .string("acct_1"),
                ]
            ),
            (
                "Notion", json,
                #"""
                {"access_token":"a","token_type":"bearer","refresh_token":"r","bot_id":"b","workspace_icon":null,
                "owner":{"workspace":true},"workspace_id":"w"}
                """#,
                nil, "asked",
                [
                    "bot_id": .string("b"), "workspace_icon": .null, "owner": .object(["workspace": .bool(true)]),
                    "workspace_id": .string("w"),
                ]
            ),
            (
                "Strava", json,
                #"""
                {"token_type":"Bearer","expires_at":1568775134,"expires_in":21600,"refresh_token":"r",
                "access_token":"a","athlete":{"id":227615,"weight":70.5}}
                """#,
                21600, "asked",
                [
                    "expires_at": .integer(1_568_775_134),
                    "athlete": .object(["id": .integer(227_615), "weight": .number(70.5)]),
                ]
            ),
            (
                "GitLab", json,
                #"""
                {"access_token":"a","token_type":"bearer","expires_in":7200,"refresh_token":"r",
                "created_at":1607635748}
                """#,
                7200, "asked", ["created_at": .integer(1_607_635_748)]
            ),
        ]
    }

    func testTheTokensOfProviders() async throws {
        let folder = try TemporaryFolder()
        let store = FileTokenStore(folder.url.appending(path: "token.json"))
        for row in table {
            let server = ScriptedServer(.answer(200, ["Content-Type": row.type], body: row.body))
            let client = server.client(scopes: ["asked"])
            let token = try await client.refresh(TokenSet("old", refreshToken: "old"))
            let expected = TokenSet(
                "a", refreshToken: "r", expiry: row.seconds.map { server.clock.date.addingTimeInterval($0) },
                scope: row.scope, fields: row.fields)
            XCTAssertEqual(token, expected, row.name)
            XCTAssertEqual(token.fields, row.fields, row.name)
            XCTAssertEqual(token.type, "Bearer", row.name)
            // They are in the store, too.
            try await client.tokens(in: store).use(token)
            XCTAssertEqual(try store.load(), expected, row.name)
        }
    }

    /// A refresh may leave fields out.
    func testFieldsStayAfterARefresh() async throws {
        let server = ScriptedServer(.answer(200, body: #"{"access_token":"a","issued_at":"2"}"#))
        let old = TokenSet(
            "old", refreshToken: "r",
            fields: ["instance_url": .string("https://eu1.example"), "issued_at": .string("1")])
        let token = try await server.client().refresh(old)
        XCTAssertEqual(token.fields, ["instance_url": .string("https://eu1.example"), "issued_at": .string("2")])
    }
}
