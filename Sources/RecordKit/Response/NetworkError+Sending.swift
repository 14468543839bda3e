import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NetworkError {
    /// A connection that could not be established, or that was lost.
    public struct ConnectionFailure: Error, Sendable, TextConvertible {
        /// The kinds of connection failure.
        @nonexhaustive
        public enum Kind: Sendable, Equatable {
            /// The device is not connected to a network.
            case notConnected
            /// The host name could not be resolved.
            case nameNotFound
            /// The host refused the connection, or there is no route to it.
            case refused
            /// The connection was lost: it was reset or closed before the response was complete.
            case lost
            /// No secure connection could be established.
            case tls(TLSFailure)
            /// The proxy refused to connect to the host, or to pass on the request, with this status.
            ///
            /// Any response with the status 407 counts, whether or not a proxy is set: only proxies send it.
            case proxyRefused(status: Int)
            /// Any other error of the transport.
            case unknown

            /// Whether another attempt may succeed.
            var isTransient: Bool {
                switch self {
                case .notConnected, .nameNotFound, .refused, .lost: true
                case .tls, .proxyRefused, .unknown: false
                }
            }
        }

        /// The reasons why no secure connection could be established.
        @nonexhaustive
        public enum TLSFailure: Sendable, Hashable {
            /// No issuer of the certificate is trusted.
            case untrusted
            /// The certificate is not valid at this time.
            case expired
            /// The certificate is for another host.
            case wrongHost
            /// The certificate is trusted, but its key is none of those that the app accepts.
            case pinMismatch
            /// The server requires a client certificate.
            case clientCertificate
            /// Any other reason, such as no common protocol version.
            case other
        }

        /// The kind of the failure.
        public let kind: Kind
        /// The host and port, such as `store.example:443`.
        public let host: String
        /// Whether the server may have received the request, in this attempt or an earlier one.
        public internal(set) var mayHaveReachedServer: Bool
        /// The error of the transport, without URLs.
        public let cause: (any Error)?

        /// Creates the failure of one exchange.
        ///
        /// - Parameters:
        ///   - kind: The kind of the failure.
        ///   - host: The host and port, such as `store.example:443`.
        ///   - mayHaveReachedServer: Whether the server may have received the request.
        ///   - cause: The error of the transport, without URLs.
        public init(kind: Kind, host: String, mayHaveReachedServer: Bool, cause: (any Error)? = nil) {
            self.kind = kind
            self.host = host
            self.mayHaveReachedServer = mayHaveReachedServer
            self.cause = cause
        }

        /// The sentence with the host, the failure and what to do.
        var text: String {
            switch kind {
            case .notConnected: "This device is not connected to a network, so \(host) cannot be reached."
            case .nameNotFound: "The name of \(host) has no address; check its spelling and the network."
            case .refused:
                "\(host) cannot be reached: no server responds there. Check that the server is running, and check the "
                    + "proxy, if any."
            case .lost: "The connection to \(host) was lost before the response was complete."
            case .tls(.untrusted): "\(host) is not trusted: no issuer of its certificate is trusted on this device."
            case .tls(.expired): "\(host) is not trusted: its certificate is not valid at this time."
            case .tls(.wrongHost): "\(host) is not trusted: its certificate is for another host."
            case .tls(.pinMismatch): "\(host) is not trusted: its public key is none of the pinned ones."
            case .tls(.clientCertificate): "\(host) requires a client certificate."
            case .tls(.other) where causeText.contains("wrong version number"):
                "No secure connection to \(host) could be established\(causeText). The server may expect http."
            case .tls(.other): "No secure connection to \(host) could be established\(causeText)."
            case .proxyRefused(let status):
                "The proxy refused to connect to \(host), with the status \(status). Check the credentials for the "
                    + "proxy, and its rules."
            case .unknown: "The call to \(host) failed\(causeText)."
            }
        }

        /// The description of the cause after a colon, or an empty string.
        private var causeText: String {
            guard let text = cause?.localizedDescription else { return "" }
            // The surrounding sentence has a period.
            return ": " + (text.hasSuffix(".") ? String(text.dropLast()) : text)
        }

        /// A short description for logs.
        var label: String {
            switch kind {
            case .notConnected: "not connected"
            case .nameNotFound: "name not found"
            case .refused: "connection refused"
            case .lost: "connection lost"
            case .tls: "no secure connection"
            case .proxyRefused: "refused by the proxy"
            case .unknown: "connection failed"
            }
        }
    }

    /// An attempt or a call that exceeded its time limit.
    public struct Timeout: Error, Sendable, Equatable, TextConvertible {
        /// The time limits.
        @nonexhaustive
        public enum Limit: Sendable, Hashable {
            /// The timeout of one attempt. Another attempt may succeed.
            case attempt
            /// The deadline of the whole call, including retries and waits.
            case deadline
        }

        /// The limit that was exceeded.
        public let limit: Limit
        /// The length of the limit.
        public let after: Duration
        /// The host and port, such as `store.example:443`.
        public let host: String
        /// Whether the server may have received the request, in this attempt or an earlier one.
        public internal(set) var mayHaveReachedServer: Bool

        /// Creates a timeout.
        ///
        /// - Parameters:
        ///   - limit: The limit that was exceeded.
        ///   - after: The length of the limit.
        ///   - host: The host and port, such as `store.example:443`.
        ///   - mayHaveReachedServer: Whether the server may have received the request.
        public init(limit: Limit, after: Duration, host: String, mayHaveReachedServer: Bool = true) {
            self.limit = limit
            self.after = after
            self.host = host
            self.mayHaveReachedServer = mayHaveReachedServer
        }

        /// The sentence with the host and the limit.
        var text: String {
            switch limit {
            case .attempt: "\(host) did not respond in full within \(after.shortText)."
            case .deadline: "The call to \(host) was not done within \(after.shortText), including retries and waits."
            }
        }
    }

    /// A redirect that was not followed.
    public struct RedirectRefusal: Error, Sendable, TextConvertible {
        /// The reasons why a redirect was not followed.
        @nonexhaustive
        public enum Reason: Sendable, Equatable {
            /// The call was redirected more often than the policy allows.
            case tooMany(limit: Int)
            /// The call has requested the same method and URL before.
            case loop
            /// The redirect leads to another scheme, host or port, which the policy forbids.
            case otherOrigin
            /// The redirect leads from https to http.
            case insecure
            /// `Location` cannot be parsed, or its scheme is neither http nor https.
            case badLocation
            /// The body cannot be sent again, such as a stream that was read, or any body of a data task.
            case bodyCannotBeSentAgain
            /// The request is signed, and its signature is only valid for its own URL.
            case signed
        }

        /// The reason why the redirect was not followed.
        public let reason: Reason
        /// The response with the redirect.
        public let response: NetworkResponse
        /// The target of the redirect, without its credentials, query and fragment.
        public let location: String

        /// Creates a refusal.
        ///
        /// - Parameters:
        ///   - reason: The reason why the redirect was not followed.
        ///   - response: The response with the redirect.
        ///   - location: The target of the redirect, without its credentials, query and fragment.
        public init(reason: Reason, response: NetworkResponse, location: String) {
            self.reason = reason
            self.response = response
            self.location = location
        }

        /// The sentence with the redirect and the reason.
        var text: String {
            let why =
                switch reason {
                case .tooMany(let limit): "more than \(limit) redirects"
                case .loop: "the redirects form a loop"
                case .otherOrigin: "it leaves the origin"
                case .insecure: "it leaves https for http"
                case .badLocation: "its Location is not an http or https URL"
                case .bodyCannotBeSentAgain: "the body cannot be sent again"
                case .signed: "the request is signed for its own URL; send it to the other one"
                }
            return "The redirect \(response.statusCode) to \(location) was not followed: \(why)."
        }
    }
}

extension NetworkError {
    /// Returns a copy of an error of Foundation without its URL.
    ///
    /// The `userInfo` of such an error contains the URL of the request, including sensitive query items.
    static func withoutAddresses(_ error: any Error) -> any Error {
        if let error = error as? POSIXError { return POSIXError(error.code) }
        guard let error = error as? URLError else { return error }
        return URLError(error.code, userInfo: [NSLocalizedDescriptionKey: error.text])
    }
}

extension URLError {
    /// The description of the error, without the URL of a proxy.
    ///
    /// For an unsupported proxy, libcurl quotes the URL, which may contain a password. It omits the closing quote if
    /// the URL is too long.
    var text: String {
        let text = (errorUserInfo[NSLocalizedDescriptionKey] as? String) ?? "error \(code.rawValue)"
        guard text.hasPrefix("Unsupported proxy"), let quote = text.firstIndex(of: "'") else { return text }
        return "\(text[..<quote])\(SensitiveNames.replacement)"
    }
}
