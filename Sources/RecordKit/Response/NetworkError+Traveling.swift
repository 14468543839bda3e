import Foundation

extension NetworkError {
    /// A connection that could not be made, or that broke.
    public struct ConnectionFailure: Error, Sendable, TextConvertible {
        /// What became of the connection.
        public enum Kind: Sendable, Equatable {
            /// This machine has no network.
            case notConnected
            /// The host's name has no address.
            case nameNotFound
            /// The host refused the connection, or there is no route to it.
            case refused
            /// The connection broke: it was reset, or closed before the response was complete.
            case lost
            /// No secure connection could be made.
            case tls(TLSFailure)
            /// The transport reported an error that has no kind of its own.
            case unknown

            var isTransient: Bool {
                switch self {
                case .notConnected, .nameNotFound, .refused, .lost: true
                case .tls, .unknown: false
                }
            }
        }

        /// Why no secure connection could be made.
        public enum TLSFailure: Sendable, Hashable {
            /// The certificate has no issuer that this machine trusts.
            case untrusted
            /// The certificate is not valid at this time.
            case expired
            /// The certificate is for another host.
            case wrongHost
            /// The server requires a client certificate.
            case clientCertificate
            /// Any other reason, such as no protocol version in common.
            case other
        }

        /// What became of the connection.
        public let kind: Kind
        /// The host and port, such as `store.example:443`.
        public let host: String
        /// Whether the server may have seen the request, in this attempt or an earlier one.
        public internal(set) var mayHaveReachedServer: Bool
        /// What the transport reported, without addresses.
        public let cause: (any Error)?

        /// Creates the failure of one exchange.
        public init(kind: Kind, host: String, mayHaveReachedServer: Bool, cause: (any Error)? = nil) {
            self.kind = kind
            self.host = host
            self.mayHaveReachedServer = mayHaveReachedServer
            self.cause = cause
        }

        var text: String {
            switch kind {
            case .notConnected: "This machine is not connected to a network, so \(host) cannot be reached."
            case .nameNotFound: "The name of \(host) has no address; check its spelling and the network."
            case .refused:
                "\(host) cannot be reached: nothing answers there. Check that the server is running, and the proxy if "
                    + "one is set."
            case .lost: "The connection to \(host) was lost before the response was complete."
            case .tls(.untrusted): "\(host) is not trusted: this machine trusts no issuer of its certificate."
            case .tls(.expired): "\(host) is not trusted: its certificate is not valid at this time."
            case .tls(.wrongHost): "\(host) is not trusted: its certificate is for another host."
            case .tls(.clientCertificate): "\(host) requires a client certificate."
            case .tls(.other): "No secure connection to \(host) could be made\(causeText)."
            case .unknown: "The call to \(host) failed\(causeText)."
            }
        }

        private var causeText: String {
            guard let text = cause?.localizedDescription else { return "" }
            // The sentence ends with a period of its own.
            return ": " + (text.hasSuffix(".") ? String(text.dropLast()) : text)
        }

        /// The kind in a few words, for logs.
        var label: String {
            switch kind {
            case .notConnected: "not connected"
            case .nameNotFound: "name not found"
            case .refused: "connection refused"
            case .lost: "connection lost"
            case .tls: "no secure connection"
            case .unknown: "connection failed"
            }
        }
    }

    /// An attempt or a call that took too long.
    public struct Timeout: Error, Sendable, Equatable, TextConvertible {
        /// The limits on time.
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
        /// Whether the server may have seen the request, in this attempt or an earlier one.
        public internal(set) var mayHaveReachedServer: Bool

        /// Creates a timeout.
        public init(limit: Limit, after: Duration, host: String, mayHaveReachedServer: Bool = true) {
            self.limit = limit
            self.after = after
            self.host = host
            self.mayHaveReachedServer = mayHaveReachedServer
        }

        var text: String {
            switch limit {
            case .attempt: "\(host) did not respond in full within \(after.shortText)."
            case .deadline: "The call to \(host) was not done within \(after.shortText), including retries and waits."
            }
        }
    }

    /// A redirect that is not followed.
    public struct RedirectRefusal: Error, Sendable, TextConvertible {
        /// Why the redirect is not followed.
        public enum Reason: Sendable, Equatable {
            /// The redirects are more than the policy allows.
            case tooMany(limit: Int)
            /// The redirect leads to a method and address that were requested already.
            case loop
            /// The redirect leads to another scheme, host or port, which the policy forbids.
            case otherOrigin
            /// The redirect leads from https to http.
            case insecure
            /// `Location` cannot be parsed, or its scheme is neither http nor https.
            case badLocation
            /// The body would have to be sent again, and it cannot be: a stream that was read, or any body of a data task.
            case bodyCannotBeSentAgain
        }

        /// Why the redirect is not followed.
        public let reason: Reason
        /// The response that redirects.
        public let response: NetworkResponse
        /// The address that the redirect leads to, redacted.
        public let location: String

        /// Creates a refusal.
        public init(reason: Reason, response: NetworkResponse, location: String) {
            self.reason = reason
            self.response = response
            self.location = location
        }

        var text: String {
            let why =
                switch reason {
                case .tooMany(let limit): "more than \(limit) redirects"
                case .loop: "the redirects form a loop"
                case .otherOrigin: "it leaves the origin"
                case .insecure: "it leaves https for http"
                case .badLocation: "its Location is no http or https address"
                case .bodyCannotBeSentAgain: "the body would have to be sent again, and cannot be"
                }
            return "The redirect \(response.statusCode) to \(location) was not followed: \(why)."
        }
    }
}
