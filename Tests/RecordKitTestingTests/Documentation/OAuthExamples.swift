import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitOAuth

#if canImport(SwiftUI) && canImport(AuthenticationServices)
import AuthenticationServices
import SwiftUI
#endif

// The snippets of the articles of RecordKitOAuth.

struct Person: Decodable {
    var sub: String
    var name: String?
}

private enum RecordList: NetworkRequest {
    typealias ValueType = [String]

    case all

    var path: RequestPath { "records" }
}

private func show(_ text: String) {}

enum OAuthExamples {
    static func overview(_ file: URL) async throws -> NetworkSession {
        let server = try await OAuthServer.discover("https://id.store.example")
        let client = OAuthClient("inventory", at: server, scopes: ["records"])
        let tokens = client.tokens(in: FileTokenStore(file))

        let device = try await client.deviceAuthorization()
        print("Open \(device.verificationURL) and enter \(device.userCode)")
        try await tokens.use(client.token(for: device))

        let network = NetworkSession(
            environment: .production,
            interceptors: [
                AuthorizationInterceptor(tokens, for: "https://store.example")
            ])

        return network
    }

    static func servers() async throws {
        let server = try await OAuthServer.discover("https://id.store.example")
        let gitHub = OAuthServer(
            tokenURL: "https://github.com/login/oauth/access_token",
            authorizationURL: "https://github.com/login/oauth/authorize",
            deviceAuthorizationURL: "https://github.com/login/device/code")

        _ = (server, gitHub)
    }

    static func clientCredentials(_ secret: String) async throws -> NetworkSession {
        let server = OAuthServer(tokenURL: "https://id.store.example/token")
        let client = OAuthClient(
            "till-7", .basic(secret: secret), at: server, scopes: ["records.read"])
        let tokens = client.clientCredentialsTokens()
        let network = NetworkSession(
            environment: .production,
            interceptors: [
                AuthorizationInterceptor(tokens, for: "https://store.example")
            ])

        return network
    }

    static func failedClientCredentials(_ network: NetworkSession) async {
        do {
            let records = try await network.value(for: RecordList.all)
            show("\(records.count) records")
        } catch {
            show("\(error)")
        }
    }

    static func loopback(_ file: URL) async throws {
        let server = try await OAuthServer.discover("https://id.store.example")
        let client = OAuthClient("inventory", at: server, scopes: ["records"])
        let tokens = client.tokens(in: FileTokenStore(file))

        let listener = try RedirectListener()
        let signIn = try client.browserAuthorization(
            redirectURL: listener.redirectURL)
        print("Open \(signIn.url)")
        let redirect = try await listener.redirect(for: signIn)
        try await tokens.use(signIn.token(from: redirect))
    }

    static func failedSignIn(_ signIn: BrowserAuthorization, _ redirect: URL) async throws -> TokenSet? {
        do {
            return try await signIn.token(from: redirect)
        } catch {
            switch error {
            case .refused(let refusal) where refusal.code == "access_denied":
                show("You said no.")
            case .invalidRedirect: show("Please start again.")
            default: show("\(error)")
            }
            return nil
        }
    }

    static func failedDevice(
        _ client: OAuthClient, _ device: DeviceAuthorization, _ tokens: TokenSource
    ) async throws {
        do {
            let token = try await client.token(for: device)
            try await tokens.use(token)
        } catch let error as OAuthError where error.needsSignIn {
            print("\(error) Run the command again.")
        }
    }

    static func signedOut(_ network: NetworkSession) async throws {
        do {
            let records = try await network.value(for: RecordList.all)
            show("\(records.count) records")
        } catch {
            if error.isUnauthorized {
                show("Please sign in.")
            }
        }
    }

    static func statuses(_ tokens: TokenSource) async {
        for await status in tokens.statusUpdates {
            show(status == .signedIn ? "Signed in" : "Please sign in.")
        }
    }

    static func environment(_ token: TokenSet) -> NetworkEnvironment? {
        guard let baseURL = token.fields["instance_url"]?.string else { return nil }
        return NetworkEnvironment(baseURL)
    }

    static func registered() throws -> RedirectListener {
        let listener = try RedirectListener(host: .localhost, port: 8765)

        return listener
    }

    static func anyAccount() async throws -> OAuthServer {
        let microsoft = try await OAuthServer.discover(
            "https://login.microsoftonline.com/common/v2.0")

        return microsoft
    }

    static func signOut(_ client: OAuthClient, _ tokens: TokenSource) async throws {
        try await client.signOut(tokens)
    }

    static func narrowed(_ client: OAuthClient, _ token: TokenSet) async throws -> TokenSet {
        let reader = try await client.refresh(token, scopes: ["records.read"])
        print(reader.scope ?? "")

        return reader
    }

    static func idToken(_ server: OAuthServer, _ redirect: URL, _ signIn: BrowserAuthorization) async throws {
        let client = OAuthClient(
            "inventory", at: server, scopes: ["openid", "profile"])
        let token = try await signIn.token(from: redirect)
        let person = try token.claims(as: Person.self)
        print("Hello, \(person.name ?? person.sub)")

        _ = client
    }
}

#if canImport(SwiftUI) && canImport(AuthenticationServices)
struct SignInButton: View {
    @Environment(\.webAuthenticationSession) private var browser
    let client: OAuthClient
    let tokens: TokenSource

    var body: some View {
        Button("Sign in") { Task { try await signIn() } }
    }

    func signIn() async throws {
        let signIn = try client.browserAuthorization(
            redirectURL: "shop:/done")
        let redirect = try await browser.authenticate(
            using: signIn.url, callbackURLScheme: "shop")
        try await tokens.use(signIn.token(from: redirect))
    }
}
#endif
