import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NetworkError {
    /// Creates the error for a failure that URLSession or the system reports. Custom transports can use it.
    ///
    /// On Apple platforms, the code of a `URLError` identifies the failure. On Linux (Swift 6.3.1), most errors of
    /// libcurl have the code `.unknown`, so their message identifies it. Any other error becomes a
    /// ``NetworkError/ConnectionFailure``.
    ///
    /// - Parameters:
    ///   - error: The reported error.
    ///   - call: The call that was sent.
    ///   - hasResponse: Whether the head of a response had arrived.
    ///   - hasSentBody: Whether part of the body was sent, or `nil` if that is unknown. A failure to connect after that
    ///     concerns a second connection: the first one broke, and libcurl was about to send the request again.
    public init(_ error: any Error, for call: NetworkCall, hasResponse: Bool = false, hasSentBody: Bool? = nil) {
        let host = call.origin.hostAndPort
        let cause = Self.withoutAddresses(error)
        func connection(_ kind: NetworkError.ConnectionFailure.Kind, reached: Bool) -> NetworkError {
            .connection(
                NetworkError.ConnectionFailure(
                    kind: hasSentBody == true && !reached ? .lost : kind, host: host,
                    mayHaveReachedServer: reached || hasResponse
                        || hasSentBody ?? !call.method.isIdempotent || call.mayBeSentAgainUnseen,
                    cause: cause))
        }
        if let error = error as? NetworkError {
            self = error
            return
        }
        if error is CancellationError {
            self = .cancelled
            return
        }
        guard let error = error as? URLError else {
            self = connection(Self.isLoss(error) ? .lost : .unknown, reached: true)
            return
        }
        self =
            switch error.code {
            case .cancelled: .cancelled
            case .timedOut: call.timedOut
            case .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed, .callIsActive:
                connection(.notConnected, reached: false)
            case .cannotFindHost, .dnsLookupFailed: connection(.nameNotFound, reached: false)
            case _ where error.text.hasPrefix("Could not resolve proxy"): connection(.nameNotFound, reached: false)
            case .cannotConnectToHost where Self.isRefusal(error): connection(.refused, reached: false)
            case .badURL:
                call.invalid(
                    .baseURL,
                    "URLSession does not accept the host of \(host); on Linux, use an IPv6 address without a zone, an "
                        + "IPv4 address with four numbers, or a name")
            case _ where !hasResponse && Self.isUnreachable(error.text): connection(.refused, reached: false)
            case _ where Self.proxyStatus(error.text) != nil:
                connection(.proxyRefused(status: Self.proxyStatus(error.text) ?? 0), reached: false)
            case .networkConnectionLost: connection(.lost, reached: true)
            case .serverCertificateHasBadDate, .serverCertificateNotYetValid: connection(.tls(.expired), reached: false)
            case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
                connection(.tls(.untrusted), reached: false)
            case .clientCertificateRejected, .clientCertificateRequired:
                connection(.tls(.clientCertificate), reached: false)
            case .secureConnectionFailed, .appTransportSecurityRequiresSecureConnection:
                connection(.tls(Self.tlsFailure(error.text) ?? .other), reached: false)
            case _ where Self.isLoss(error.text): connection(.lost, reached: true)
            case .badServerResponse, .unsupportedURL, .cannotParseResponse, .cannotDecodeRawData,
                .cannotDecodeContentData:
                .badResponse(NetworkError.BadResponse(host: host, cause: cause))
            default:
                if !hasResponse, let change = call.body?.change {
                    // A file of the body has changed, which is noticed after the head was sent.
                    .invalidRequest(change.named(call.name)).afterReachingServer()
                } else if let failure = Self.tlsFailure(error.text) {
                    // With a proxy, the head may be that of the response to CONNECT.
                    connection(.tls(failure), reached: false)
                } else if hasResponse || Self.isMalformed(error.text) {
                    .badResponse(NetworkError.BadResponse(host: host, cause: cause))
                } else {
                    connection(.unknown, reached: true)
                }
            }
    }

    /// Returns the status with which a proxy refused to connect, according to a message of libcurl. `nil` if the
    /// message reports something else.
    private static func proxyStatus(_ text: String) -> Int? {
        guard text.hasPrefix("CONNECT tunnel failed") || text.hasSuffix("from proxy after CONNECT") else { return nil }
        return text[...].parts(between: " ").compactMap { $0.number() }.last
    }

    /// Returns the TLS failure in a message of libcurl, or `nil` if the message reports something else.
    private static func tlsFailure(_ text: String) -> NetworkError.ConnectionFailure.TLSFailure? {
        let text = text.lowercased()
        guard ["ssl", "tls", "certificate"].contains(where: text.contains) else { return nil }
        if text.contains("expired") || text.contains("not yet valid") { return .expired }
        if text.contains("subject name") || text.contains("does not match") { return .wrongHost }
        if text.contains("certificate required") || text.contains("bad certificate") { return .clientCertificate }
        if text.contains("self-signed") || text.contains("self signed") || text.contains("issuer")
            || text.contains("verif")
        {
            return .untrusted
        }
        return .other
    }

    /// Returns whether an error with the code `.cannotConnectToHost` means that the host refused the connection.
    ///
    /// Linux's URLSession (Swift 6.3.1) uses this code for every failure after the first address of a host has refused
    /// the connection. The message of libcurl contains the actual failure.
    private static func isRefusal(_ error: URLError) -> Bool {
        #if canImport(FoundationNetworking)
        let text = error.errorUserInfo[NSLocalizedDescriptionKey] as? String ?? ""
        return text.isEmpty || isUnreachable(text)
        #else
        true
        #endif
    }

    /// Returns whether a message of libcurl reports that no connection was made.
    ///
    /// Compares only the start of the message. The rest contains the name of the host, which can be any string.
    private static func isUnreachable(_ text: String) -> Bool {
        text.hasPrefix("Failed to connect to ") || text.hasPrefix("Couldn't connect to server")
    }

    /// Returns whether the system ended the connection.
    ///
    /// Apple's URLSession reports this as a POSIX error, for example when an app returns from the background.
    private static func isLoss(_ error: any Error) -> Bool {
        guard let code = (error as? POSIXError)?.code else { return false }
        return [.ECONNABORTED, .ECONNRESET, .ENETDOWN, .ENOTCONN, .EPIPE].contains(code)
    }

    /// Returns whether a message of libcurl reports a broken connection.
    private static func isLoss(_ text: String) -> Bool {
        // OpenSSL names these functions in errors after the handshake, so the connection was lost. In TLS 1.3, a server
        // also checks the client's certificate after the handshake. Alerts about that are TLS failures.
        if text.contains("SSL_read") || text.contains("SSL_write"),
            !["certificate", "unknown ca", "access denied"].contains(where: text.contains)
        {
            return true
        }
        return [
            "transfer closed", "Empty reply", "Recv failure", "Send failure", "Connection reset", "was reset",
            "was not closed cleanly",
            // Also reported for a server that sends GOAWAY (RFC 9113 section 6.8), as servers do after a number of
            // requests.
            "HTTP2 framing layer", "HTTP/2 framing layer",
        ].contains(where: text.contains)
    }

    /// Returns whether a message of libcurl reports invalid HTTP.
    ///
    /// libcurl reports "Out of memory" for a header above 100 KB. It reports "Failed writing received data" for bytes
    /// after the end of a gzip body.
    private static func isMalformed(_ text: String) -> Bool {
        [
            "header", "Header", "HTTP/0.9", "HTTP version", "chunk", "Chunk", "encoding", "Encoding", "decompress",
            "Content-Length", "Out of memory", "grew larger", "Failed writing received data",
            "nghttp2_session_mem_recv",
        ].contains(where: text.contains)
    }
}
