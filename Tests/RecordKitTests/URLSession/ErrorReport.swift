import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A report of URLSession on one of the systems, recorded or documented, and the error that it becomes.
struct ErrorReport {
    var code: URLError.Code
    var text = ""
    var hasResponse = false
    let expected: String

    init(_ code: URLError.Code, _ expected: String) {
        self.init(code, "", expected)
    }

    init(_ code: URLError.Code, _ text: String, hasResponse: Bool = false, _ expected: String) {
        self.code = code
        self.text = text
        self.hasResponse = hasResponse
        self.expected = expected
    }

    var error: URLError { URLError(code, userInfo: [NSLocalizedDescriptionKey: text]) }

    static let all = common + afterARefusal

    private static let common = [
        // Both systems.
        Self(.cancelled, "cancelled"),
        Self(.timedOut, "timed out: attempt"),
        Self(.notConnectedToInternet, "notConnected unsent"),
        Self(.dataNotAllowed, "notConnected unsent"),
        Self(.internationalRoamingOff, "notConnected unsent"),
        Self(.callIsActive, "notConnected unsent"),
        Self(.cannotFindHost, "Could not resolve host: x", "nameNotFound unsent"),
        Self(.networkConnectionLost, "CONNECT tunnel failed, response 403", "proxyRefused(status: 403) unsent"),
        Self(.unknown, "Received HTTP code 407 from proxy after CONNECT", "proxyRefused(status: 407) unsent"),
        Self(.dnsLookupFailed, "nameNotFound unsent"),
        Self(.cannotConnectToHost, "refused unsent"),
        Self(.networkConnectionLost, "Recv failure: Connection reset by peer", "lost"),
        Self(.badServerResponse, "bad response"),
        Self(.badURL, "invalid: baseURL"),
        // Apple's systems, where the code names the fault.
        Self(.serverCertificateHasBadDate, "tls(expired) unsent"),
        Self(.serverCertificateNotYetValid, "tls(expired) unsent"),
        Self(.serverCertificateUntrusted, "tls(untrusted) unsent"),
        Self(.serverCertificateHasUnknownRoot, "tls(untrusted) unsent"),
        Self(.clientCertificateRequired, "tls(clientCertificate) unsent"),
        Self(.clientCertificateRejected, "tls(clientCertificate) unsent"),
        Self(.secureConnectionFailed, "tls(other) unsent"),
        Self(.appTransportSecurityRequiresSecureConnection, "tls(other) unsent"),
        Self(.cannotParseResponse, "bad response"),
        Self(.cannotDecodeRawData, "", hasResponse: true, "bad response"),
        Self(.cannotDecodeContentData, "", hasResponse: true, "bad response"),
        // Linux, where only libcurl's message names the fault.
        Self(.unsupportedURL, "Received HTTP/0.9 when not allowed", "bad response"),
        Self(.unsupportedURL, "Unsupported HTTP version (9.9) in response", "bad response"),
        Self(.badServerResponse, "Empty reply from server", "lost"),
        Self(.unknown, "transfer closed with 3 bytes remaining to read", hasResponse: true, "lost"),
        Self(.unknown, "transfer closed with outstanding read data remaining", hasResponse: true, "lost"),
        Self(.unknown, "Recv failure: Connection reset by peer", "lost"),
        Self(.unknown, "Send failure: Broken pipe", "lost"),
        Self(.unknown, "OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0", "lost"),
        Self(.unknown, "OpenSSL SSL_read: SSL_ERROR_SYSCALL, errno 0", hasResponse: true, "lost"),
        Self(.unknown, "OpenSSL SSL_write: Broken pipe, errno 32", "lost"),
        Self(.unknown, "OpenSSL SSL_read: error:0A0003FC:SSL routines::sslv3 alert bad record mac, errno 0", "lost"),
        Self(
            .unknown, "OpenSSL SSL_read: error:0A0003FC:SSL routines::sslv3 alert bad record mac, errno 0",
            hasResponse: true, "lost"),
        Self(.unknown, "Failed to connect to h port 1 after 3070 ms: Couldn't connect to server", "refused unsent"),
        Self(.unknown, "Failed to connect to tls.h port 443: No route to host", "refused unsent"),
        Self(
            .cannotConnectToHost, "Failed to connect to h port 1 after 0 ms: Couldn't connect to server",
            "refused unsent"),
        Self(.unknown, "Could not resolve proxy: tls-proxy", "nameNotFound unsent"),
        // URLSession on Linux reports a proxy's response to CONNECT as if it were the server's.
        Self(.unknown, "SSL certificate problem: certificate has expired", hasResponse: true, "tls(expired)"),
        Self(.unknown, "Failed writing received data to disk/application", "bad response"),
        Self(.unknown, "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)", "lost"),
        // A server that closes the connection, and one that resets a stream.
        Self(.unknown, "Error in the HTTP2 framing layer", "lost"),
        Self(.unknown, "Error in the HTTP2 framing layer", hasResponse: true, "lost"),
        Self(.unknown, "Stream error in the HTTP/2 framing layer", "lost"),
        Self(
            .unknown,
            "h2_process_pending_input: nghttp2_session_mem_recv() returned -904:Flooding was detected in this HTTP/2 "
                + "session, and it must be closed",
            "bad response"),
        Self(
            .unknown, "Illegal or missing hexadecimal sequence in chunked-encoding", hasResponse: true, "bad response"),
        Self(.unknown, "Error while processing content unencoding: incorrect header check", "bad response"),
        Self(.unknown, "Unrecognized content encoding type. libcurl understands deflate, gzip", "bad response"),
        Self(.unknown, "Unrecognized or bad HTTP Content or Transfer-Encoding", "bad response"),
        Self(.unknown, "Header without colon", "bad response"),
        Self(.unknown, "Failed writing header", "bad response"),
        Self(.unknown, "Invalid Content-Length: value", "bad response"),
        Self(.unknown, "Out of memory", "bad response"),
        Self(.unknown, "SSL certificate problem: unable to get local issuer certificate", "tls(untrusted) unsent"),
        Self(.unknown, "SSL certificate problem: self-signed certificate", "tls(untrusted) unsent"),
        Self(
            .unknown, "SSL certificate problem: self signed certificate in certificate chain", "tls(untrusted) unsent"),
        Self(.unknown, "SSL certificate problem: certificate has expired", "tls(expired) unsent"),
        Self(.unknown, "SSL certificate problem: certificate is not yet valid", "tls(expired) unsent"),
        Self(
            .unknown, "SSL: no alternative certificate subject name matches target host name 'localhost'",
            "tls(wrongHost) unsent"),
        Self(
            .unknown, "SSL: certificate subject name 'a' does not match target host name 'b'", "tls(wrongHost) unsent"),
        Self(
            .unknown, "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
            "tls(clientCertificate) unsent"),
        Self(.unknown, "error:0A0000BF:SSL routines::no protocols available", "tls(other) unsent"),
        Self(.unknown, "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h:443", "tls(other) unsent"),
        Self(.unknown, "OpenSSL SSL_read: error:0A000418:SSL routines::tlsv1 alert unknown ca", "tls(other) unsent"),
        Self(.unknown, "something that nobody has seen", "unknown"),
        Self(.unknown, "something that nobody has seen", hasResponse: true, "bad response"),
    ]

    #if canImport(FoundationNetworking)
    /// If the first of a host's addresses refuses, a later failure has the code of the refusal.
    private static let afterARefusal = [
        Self(.cannotConnectToHost, "Empty reply from server", "lost"),
        Self(.cannotConnectToHost, "transfer closed with 3 bytes remaining to read", hasResponse: true, "lost"),
        Self(.cannotConnectToHost, "SSL certificate problem: certificate has expired", "tls(expired) unsent"),
        Self(.cannotConnectToHost, "something that nobody has seen", "unknown"),
    ]
    #else
    private static let afterARefusal: [Self] = []
    #endif
}
