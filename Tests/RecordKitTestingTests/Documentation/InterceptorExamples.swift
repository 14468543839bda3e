import Foundation
import RecordKit
import RecordKitInterceptors

// The snippets of the articles of RecordKitInterceptors.

/// Takes expressions whose values a snippet does not use.
@resultBuilder
private enum Expressions {
    static func buildBlock(_ expressions: Any...) {}
}

private func using(@Expressions _ expressions: () -> Void) {}

extension NetworkRequest where Self == Endpoint<TokenSet, NetworkError> {
    fileprivate static func login(user: String, password: String) -> Self {
        Endpoint(.post, path: "login", body: FormBody(["user": user, "password": password]))
    }
}

struct GitHubLimits: NetworkInterceptor {
    let searches = RateLimitInterceptor(), others = RateLimitInterceptor()

    func intercept(
        _ call: NetworkCall, next: @escaping NetworkCall.Next
    ) async throws(NetworkError) -> NetworkResponse {
        let limit = call.url.path().hasPrefix("/search/") ? searches : others
        return try await limit.intercept(call, next: next)
    }
}

struct LogFile: NetworkLog {
    let write: @Sendable (String) -> Void

    func write(_ message: String, at level: LogLevel) {
        write("\(level): \(message)")
    }
}

struct AlwaysRetried: NetworkRequest {
    typealias ValueType = Void

    var path: RequestPath { "records" }
    var method: HTTPMethod { .post }
    var options: RequestOptions { RequestOptions { $0.retry = .always } }
}

enum InterceptorExamples {
    static func order(_ tokens: TokenSource) -> NetworkConfiguration {
        let configuration = NetworkConfiguration(
            environment: .production,
            interceptors: [
                RetryInterceptor(),
                AuthorizationInterceptor(tokens, for: "https://store.example"),
                SingleFlightInterceptor(),
                RateLimitInterceptor(60, per: .seconds(60)),
                TracingInterceptor(),
                LoggingInterceptor(),
            ])

        return configuration
    }

    static func retry() -> NetworkConfiguration {
        let configuration = NetworkConfiguration(
            environment: .production, interceptors: [RetryInterceptor()])

        return configuration
    }

    static func retries() {
        using {
            RetryInterceptor(isTransient: { response in
                response.statusCode == 503
                    || response.statusCode == 403
                        && response.headers.contains("Retry-After")
            })
            RetryInterceptor(idempotencyKey: RetryInterceptor.randomKey)
            RetryInterceptor(idempotencyKey: RetryInterceptor.quotedRandomKey)
            RetryInterceptor(budget: RetryBudget(share: 0.1, reserve: 5))
            RetryInterceptor(connectionWait: .automatic)
            RetryInterceptor(backoff: Backoff(base: .seconds(1)))
            RetryInterceptor(backoff: Backoff(random: { 0.5 }))
        }
    }

    static func wait(after error: NetworkError, attempt: Int) async throws {
        let backoff = Backoff()
        if let pause = backoff.pause(after: error.response, attempt: attempt) {
            try await Task.sleep(for: pause)
        }
    }

    static func wait(for url: URL) async throws {
        try await ConnectionWait.automatic.wait(for: url)
    }

    static func credentials(token: String, user: String, password: String, key: String) {
        using {
            AuthorizationInterceptor(.bearer(token), for: "https://store.example")
            AuthorizationInterceptor(
                .basic(user: user, password: password), for: "https://store.example")
            AuthorizationInterceptor(
                .header("X-API-Key", key), for: "https://store.example")
            AuthorizationInterceptor(.query("key", key), for: "https://store.example")
            AuthorizationInterceptor(
                .scheme("Discogs", "token=\(token)"), for: .domain("discogs.com"))
        }
    }

    static func refresh(
        _ login: NetworkSession, user: String, password: String, _ file: URL
    ) async throws -> NetworkConfiguration {
        let tokens = TokenSource(store: FileTokenStore(file)) { _ in
            try await login.value(for: .login(user: user, password: password))
        }
        let configuration = NetworkConfiguration(
            environment: .production,
            interceptors: [
                AuthorizationInterceptor(tokens, for: "https://store.example")
            ])

        try await tokens.use(TokenSet("access", refreshToken: "refresh"))
        try await tokens.signOut()

        return configuration
    }

    static func rateLimit(_ url: URL) -> NetworkConfiguration {
        let rateLimit = RateLimitInterceptor(60, per: .seconds(60), burst: 10)
        let configuration = NetworkConfiguration(
            environment: .production, interceptors: [RetryInterceptor(), rateLimit])

        let allowance = rateLimit.allowance(for: url)
        print(allowance.remaining ?? 0, "calls left,", allowance.waiting, "waiting")

        return configuration
    }

    static func deduplication(_ tokens: TokenSource, for origin: CredentialScope) -> NetworkConfiguration {
        let configuration = NetworkConfiguration(
            environment: .production,
            interceptors: [
                RetryInterceptor(), AuthorizationInterceptor(tokens, for: origin),
                SingleFlightInterceptor(),
            ])

        return configuration
    }

    static func logging() -> NetworkConfiguration {
        let configuration = NetworkConfiguration(
            environment: .production,
            interceptors: [RetryInterceptor(), LoggingInterceptor()])

        return configuration
    }

    static func levels() {
        using {
            LoggingInterceptor(level: .trace, bodyLimit: 4_096)
        }
    }

    static func logEvents(_ configuration: inout NetworkConfiguration) {
        let log = LoggingInterceptor(level: .debug)
        configuration.interceptors = [log]
        configuration.observers = [log]
    }

    static func names() -> NetworkConfiguration {
        var configuration = NetworkConfiguration(environment: .production)
        configuration.sensitiveNames = ["till", "pin"]

        return configuration
    }

    static func curl(_ token: String) throws {
        print(
            try RecordService.One.fetch(sku: "LP-0042").call(
                in: .production, headers: ["Authorization": token]
            ).curl)
    }

    static func requestIDs() -> NetworkConfiguration {
        let configuration = NetworkConfiguration(
            environment: .production,
            interceptors: [RetryInterceptor(), TracingInterceptor()])

        return configuration
    }

    static func tracing(till: Int) {
        using {
            TracingInterceptor(
                header: "X-Correlation-ID", requestID: { call in "\(till)-\(UUID())" })
            TracingInterceptor(tracing: .begun(isSampled: true))
            TracingInterceptor(tracing: .continued)
        }
    }

    static func continued(
        _ records: NetworkManager<RecordService.One>, sku: String, traceparent: String, tracestate: String?
    ) async throws -> Record {
        let context = TraceContext(traceparent: traceparent, tracestate: tracestate)
        let record = try await TraceContext.$current.withValue(context) {
            try await records.value(for: .fetch(sku: sku))
        }

        return record
    }
}

enum CompressionExamples {
    static func network() -> NetworkConfiguration {
        let configuration = NetworkConfiguration(
            environment: .production,
            interceptors: [
                RetryInterceptor(), CompressionInterceptor(threshold: 4096),
            ])
        return configuration
    }

    struct Report: NetworkRequest {
        typealias ValueType = Void

        var path: RequestPath { "reports" }
        var options: RequestOptions {
            var options = RequestOptions()
            options.compressesBody = true
            return options
        }
    }
}
