import CCurl
import Foundation
import RecordKit

/// What was known about a transfer when it failed.
struct CurlFailureContext {
    /// Whether the head of a response had arrived.
    let hasResponse: Bool
    /// Whether any of the request was sent.
    let hasSent: Bool
    /// The number of times that libcurl began to send the request.
    let sendings: Int
    /// The result of OpenSSL's check of the certificate, or zero.
    let certificateResult: Int
    /// The status of the proxy's response to CONNECT, or zero.
    let proxyStatus: Int
    /// The handle, which has the proxy.
    private let handle: EasyHandle

    /// Whether the request was sent over HTTP/2.
    let wasSentOverHTTP2: Bool

    init(_ handle: EasyHandle, hasResponse: Bool, hasSent: Bool, sendings: Int, wasSentOverHTTP2: Bool = false) {
        self.wasSentOverHTTP2 = wasSentOverHTTP2
        self.hasResponse = hasResponse
        self.hasSent = hasSent
        self.sendings = sendings
        self.handle = handle
        certificateResult = handle.number(CURLINFO_SSL_VERIFYRESULT)
        proxyStatus = handle.number(CURLINFO_HTTP_CONNECTCODE)
    }

    /// Returns the address of the proxy whose certificate was refused. `nil` for any other failure.
    func distrustedProxy(_ code: CURLcode, _ cause: CurlTransport.Failure, _ call: NetworkCall) -> String? {
        guard code == CURLE_PEER_FAILED_VERIFICATION else { return nil }
        return handle.distrustedProxy(cause, besides: call.url.host() ?? "")
    }

    var mayHaveSent: Bool { hasSent || sendings > 0 }
}

extension NetworkError {
    /// Creates the error for a transfer that libcurl ended.
    init(
        _ code: CURLcode, _ cause: CurlTransport.Failure, for call: NetworkCall, _ context: CurlFailureContext
    ) {
        let proxy = Self.proxyAddress(cause.message, call) ?? context.distrustedProxy(code, cause, call)
        let host = proxy ?? call.origin.hostAndPort
        func connection(_ kind: ConnectionFailure.Kind, reached: Bool) -> NetworkError {
            .connection(
                ConnectionFailure(
                    kind: kind, host: host,
                    mayHaveReachedServer: reached || context.hasResponse || context.hasSent || context.sendings > 1,
                    cause: cause))
        }
        func invalid(_ member: InvalidRequest.Member, _ reason: String) -> NetworkError {
            .invalidRequest(InvalidRequest(request: call.name, member: member, reason: reason, cause: cause))
        }
        self =
            switch code {
            case _ where context.proxyStatus >= 300 && !context.hasResponse:
                connection(.proxyRefused(status: context.proxyStatus), reached: false)
            case CURLE_URL_MALFORMAT: invalid(.baseURL, "libcurl does not accept the URL; check its host and its port")
            case CURLE_SSL_CERTPROBLEM:
                invalid(.transport, "the client certificate cannot be used; check its files and its password")
            case CURLE_SSL_CACERT_BADFILE:
                invalid(.transport, "the file with the trusted authorities cannot be read; check that it is a PEM file")
            case CURLE_INTERFACE_FAILED:
                invalid(.transport, "connections cannot be made from this interface; check `interface`")
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: connection(.nameNotFound, reached: false)
            // The request was sent on a kept connection, and its server doesn't accept a second one.
            case CURLE_COULDNT_CONNECT where context.sendings > 0: connection(.lost, reached: true)
            // 97 is CURLE_PROXY, since libcurl 7.73.
            case CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT, CURLcode(97): connection(.refused, reached: false)
            case CURLE_PEER_FAILED_VERIFICATION: connection(.tls(Self.mistrust(cause, context)), reached: false)
            case CURLE_SSL_PINNEDPUBKEYNOTMATCH: connection(.tls(.pinMismatch), reached: false)
            case CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ISSUER_ERROR:
                connection(.tls(.untrusted), reached: false)
            case _ where Self.isClientCertificateAlert(cause.message):
                .connection(
                    ConnectionFailure(
                        kind: .tls(.clientCertificate), host: host, mayHaveReachedServer: false, cause: cause))
            case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED:
                connection(.tls(.other), reached: false)
            // libcurl (7.88.1) reports a field that nghttp2 refuses because of its length as no response at all, and
            // other heads above nghttp2's limits as a failed read.
            case CURLE_GOT_NOTHING where context.wasSentOverHTTP2,
                CURLE_RECV_ERROR where !context.hasResponse && cause.message.contains("nghttp2_session_mem_recv"):
                .badResponse(NetworkError.BadResponse(host: host, cause: cause))
            case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_SEND_FAIL_REWIND,
                CURLE_HTTP2, CURLE_HTTP2_STREAM:
                // Before anything is sent, a proxy refused to connect.
                connection(
                    Self.isMalformed(cause.message) ? .unknown : context.mayHaveSent ? .lost : .refused,
                    reached: context.mayHaveSent)
            // A line above 100 KB, a head that begins with a space, and a field name with a carriage return are
            // reported like this, too.
            case CURLE_OUT_OF_MEMORY where context.hasResponse || !context.mayHaveSent,
                CURLE_BAD_FUNCTION_ARGUMENT where context.hasResponse || !context.mayHaveSent:
                connection(.unknown, reached: false)
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR,
                CURLE_OUT_OF_MEMORY, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_FILESIZE_EXCEEDED, CURLE_RANGE_ERROR,
                CURLcode(100):
                .badResponse(NetworkError.BadResponse(host: host, cause: cause))
            default: connection(.unknown, reached: false)
            }
        // Over HTTP/1.1, a chunk that is none is an error of the receiver.
        if case .connection(let failure) = self, failure.kind == .unknown, Self.isMalformed(cause.message) {
            self = .badResponse(NetworkError.BadResponse(host: host, cause: cause))
        }
    }

    /// The error for an exchange that libcurl has no memory for.
    static func outOfMemory(_ call: NetworkCall) -> NetworkError {
        .connection(
            ConnectionFailure(
                kind: .unknown, host: call.origin.hostAndPort, mayHaveReachedServer: false,
                cause: CurlTransport.Failure(code: 27, message: "libcurl cannot create a transfer")))
    }

    /// The error for a request whose connection was lost.
    static func lost(_ call: NetworkCall, mayHaveReachedServer: Bool) -> NetworkError {
        .connection(
            ConnectionFailure(
                kind: .lost, host: call.origin.hostAndPort, mayHaveReachedServer: mayHaveReachedServer))
    }

    /// The error for a body that can't be decoded.
    static func undecodable(_ call: NetworkCall, _ reason: String) -> NetworkError {
        let cause = CurlTransport.Failure(code: Int(CURLE_BAD_CONTENT_ENCODING.rawValue), message: reason)
        return .badResponse(BadResponse(host: call.origin.hostAndPort, cause: cause))
    }

    /// The error for a body above the limit of the call.
    static func tooLarge(_ call: NetworkCall) -> NetworkError {
        .tooLarge(TooLarge(limit: call.sizeLimit, host: call.origin.hostAndPort))
    }

    /// Returns the error of a request whose body failed while it was sent.
    func whileSending(_ call: NetworkCall) -> NetworkError {
        guard case .invalidRequest(let invalid) = self else { return self }
        return .invalidRequest(
            InvalidRequest(
                request: call.name, member: invalid.member, reason: invalid.reason, cause: invalid.cause,
                mayHaveReachedServer: true))
    }

    /// Returns the address of the proxy that libcurl could not connect to. `nil` for any other failure.
    private static func proxyAddress(_ message: String, _ call: NetworkCall) -> String? {
        let (unresolved, refused) = ("Could not resolve proxy: ", "Failed to connect to ")
        if message.hasPrefix(unresolved) { return String(message.dropFirst(unresolved.count)) }
        let words = message.dropFirst(refused.count).split(separator: " ")
        guard message.hasPrefix(refused), words.count > 2, words[1] == "port" else { return nil }
        let (name, port) = (words[0], words[2])
        let defaultPort = call.url.scheme == "https" ? 443 : 80
        if name == call.url.host() ?? "", port == "\(call.url.port ?? defaultPort)" { return nil }
        return name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)"
    }

    /// Returns why a server isn't trusted, according to OpenSSL's result (X509_V_ERR in x509_vfy.h) or to the message.
    private static func mistrust(
        _ failure: CurlTransport.Failure, _ context: CurlFailureContext
    ) -> ConnectionFailure.TLSFailure {
        let text = failure.message.lowercased()
        // The name is checked last. OpenSSL's result is then that of an earlier connection.
        if ["subject name", "does not match", "subjectaltname"].contains(where: text.contains) { return .wrongHost }
        // Not yet valid, expired.
        if [9, 10].contains(context.certificateResult) || text.contains("expired") || text.contains("not yet valid") {
            return .expired
        }
        return .untrusted
    }

    /// Returns whether a server ended the connection because of the client's certificate.
    ///
    /// In TLS 1.3, it does so after the client has sent its request, but before it reads it.
    private static func isClientCertificateAlert(_ text: String) -> Bool {
        let text = text.lowercased()
        return text.contains("alert")
            && ["certificate required", "bad certificate", "unknown ca", "certificate unknown", "access denied"]
                .contains(where: text.contains)
    }

    /// Returns whether a message about received data says that they are not HTTP.
    private static func isMalformed(_ text: String) -> Bool {
        text.contains("chunk") || text.contains("Chunk")
    }
}

extension CurlTransport.Failure {
    /// The cause of an error after libcurl has dropped a response.
    static var droppedHead: CurlTransport.Failure {
        CurlTransport.Failure(
            code: Int(CURLE_HTTP2_STREAM.rawValue),
            message: "the server responded before it had the whole request, and libcurl \(CurlLibrary.version) "
                + "dropped the response; update libcurl, or set `http2` to `.never`")
    }
}
