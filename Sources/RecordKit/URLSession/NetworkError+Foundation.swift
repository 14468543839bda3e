import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NetworkError {
    /// Creates the error that a URLSession, or the system, reported for a call. For transports.
    ///
    /// On Apple's systems a `URLError` is told by its code. On Linux most of libcurl's errors have the code `.unknown`, and
    /// are told by their text. Any other error is a ``NetworkError/ConnectionFailure``.
    ///
    /// - Parameters:
    ///   - error: What was reported.
    ///   - call: The call that was sent.
    ///   - hasResponse: Whether the head of a response had arrived.
    ///   - hasSentBody: Whether part of the body had been sent; `nil` if that is unknown. If it had, and no connection
    ///     could be made, that was the second connection: the first broke, and libcurl was about to send the request again.
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
            case .badURL where call.mayHaveReachedServer: connection(.unknown, reached: true)
            case .badURL:
                .invalidRequest(
                    NetworkError.InvalidRequest(
                        request: call.name, member: .baseURL,
                        reason:
                            "URLSession does not take the host of \(host); Linux's takes an IPv6 address without a zone, "
                            + "an IPv4 address with four numbers, or a name"))
            case _ where !hasResponse && Self.isUnreachable(error.text): connection(.refused, reached: false)
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
                .badResponse(host: host, cause: cause)
            default:
                if !hasResponse, let problem = call.body?.problem {
                    // Its file is no longer what it was, which shows when its head has been sent.
                    .invalidRequest(problem.named(call.name)).afterReachingServer()
                } else if let failure = Self.tlsFailure(error.text) {
                    // Behind a proxy, whose answer to CONNECT was taken for one.
                    connection(.tls(failure), reached: false)
                } else if hasResponse || Self.isMalformed(error.text) {
                    .badResponse(host: host, cause: cause)
                } else {
                    connection(.unknown, reached: true)
                }
            }
    }

    /// libcurl's words for a failed handshake; nil when it speaks of something else.
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

    /// Whether this code says so. On Linux all that fails after the first of a host's addresses has refused has it,
    /// and libcurl's words tell.
    private static func isRefusal(_ error: URLError) -> Bool {
        #if canImport(FoundationNetworking)
        let text = error.errorUserInfo[NSLocalizedDescriptionKey] as? String ?? ""
        return text.isEmpty || isUnreachable(text)
        #else
        true
        #endif
    }

    /// libcurl's words for a connection that was never made. The name of the host is among them, and may be anything.
    private static func isUnreachable(_ text: String) -> Bool {
        text.hasPrefix("Failed to connect to ") || text.hasPrefix("Couldn't connect to server")
    }

    /// Whether the system ended the connection, which Apple's URLSession says in the system's own words: so of an app that
    /// comes back from the background.
    private static func isLoss(_ error: any Error) -> Bool {
        guard let code = (error as? POSIXError)?.code else { return false }
        return [.ECONNABORTED, .ECONNRESET, .ENETDOWN, .ENOTCONN, .EPIPE].contains(code)
    }

    /// libcurl's words for a connection that broke.
    private static func isLoss(_ text: String) -> Bool {
        // OpenSSL reads and writes once the handshake is done, but for TLS 1.3 a server looks at the client's certificate
        // after that. Any other alert may come at any time.
        if text.contains("SSL_read") || text.contains("SSL_write"),
            !["certificate", "unknown ca", "access denied"].contains(where: text.contains)
        {
            return true
        }
        return [
            "transfer closed", "Empty reply", "Recv failure", "Send failure", "Connection reset", "was reset",
            "was not closed cleanly",
            // Also those of a server that goes away (RFC 9113 section 6.8), as each does that has had its fill of requests
            // on one connection.
            "HTTP2 framing layer", "HTTP/2 framing layer",
        ].contains(where: text.contains)
    }

    /// libcurl's words for bytes that break the rules of HTTP; it is out of memory when a header is past 100 KB, and
    /// fails to write what comes after the end of a gzip body.
    private static func isMalformed(_ text: String) -> Bool {
        [
            "header", "Header", "HTTP/0.9", "HTTP version", "chunk", "Chunk", "encoding", "Encoding", "decompress",
            "Content-Length", "Out of memory", "grew larger", "Failed writing received data",
            "nghttp2_session_mem_recv",
        ].contains(where: text.contains)
    }
}
