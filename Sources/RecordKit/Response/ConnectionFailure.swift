import Foundation

/// No connection, or one that broke.
public struct ConnectionFailure: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable, Equatable {
        /// This machine has no network.
        case notConnected
        /// The host's name has no address.
        case nameNotFound
        /// The host is there and nothing listens on the port, or there is no way to it.
        case refused
        /// The connection broke: reset, or closed before the answer was whole.
        case lost
        /// No secure connection could be made.
        case tls(TLSFailure)
        /// The transport reported something that it does not name.
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
        /// Nobody this machine trusts vouches for the certificate.
        case untrusted
        /// The certificate is not valid at this time.
        case expired
        /// The certificate is for another host.
        case wrongHost
        /// The server wants a certificate of the client's.
        case clientCertificate
        /// Anything else, such as no protocol version in common.
        case other
    }

    public let kind: Kind
    /// Host and port, such as `store.example:443`.
    public let host: String
    /// Whether the server may have seen the request, in this attempt or an earlier one.
    public internal(set) var mayHaveReachedServer: Bool
    /// What the transport reported, without addresses.
    public let cause: (any Error)?

    public init(kind: Kind, host: String, mayHaveReachedServer: Bool, cause: (any Error)? = nil) {
        self.kind = kind
        self.host = host
        self.mayHaveReachedServer = mayHaveReachedServer
        self.cause = cause
    }

    public var description: String {
        switch kind {
        case .notConnected: "This machine is not connected to a network, so \(host) cannot be reached."
        case .nameNotFound: "The name of \(host) has no address; check its spelling and the network."
        case .refused:
            "\(host) cannot be reached: nothing answers there. Check that the server is running, and the proxy if one is "
                + "set."
        case .lost: "The connection to \(host) was lost before the answer was whole."
        case .tls(.untrusted): "\(host) is not trusted: nobody this machine trusts vouches for its certificate."
        case .tls(.expired): "\(host) is not trusted: its certificate is not valid at this time."
        case .tls(.wrongHost): "\(host) is not trusted: its certificate is for another host."
        case .tls(.clientCertificate): "\(host) wants a client certificate."
        case .tls(.other): "No secure connection to \(host) could be made\(causeText)."
        case .unknown: "The call to \(host) failed\(causeText)."
        }
    }

    private var causeText: String {
        guard let text = cause?.localizedDescription else { return "" }
        // The sentence ends with a period of its own.
        return ": " + (text.hasSuffix(".") ? String(text.dropLast()) : text)
    }
}
