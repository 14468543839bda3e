import CCurl
import Foundation

extension EasyHandle {
    /// Whether OpenSSL holds decrypted bytes of the current connection that libcurl hasn't read.
    ///
    /// They stood in one TLS record with the end of the last response, so they aren't on the socket any more. False
    /// without TLS, and if libcurl uses another TLS library.
    var holdsUnreadBytes: Bool {
        guard let session = ccurl_openssl_session(pointer), let function = OpenSSL.hasPending else { return false }
        return ccurl_openssl_has_pending(function, session) != 0
    }

    /// Whether the current connection uses HTTP/2, as TLS negotiated it (RFC 7301). False if libcurl uses another TLS
    /// library than OpenSSL.
    var hasNegotiatedHTTP2: Bool {
        guard let session = ccurl_openssl_session(pointer), let function = OpenSSL.selectedProtocol else {
            return false
        }
        return ccurl_openssl_selected_http2(function, session) != 0
    }
}

/// The functions of the OpenSSL that libcurl is linked with, if any.
private enum OpenSSL {
    // Addresses of functions don't change.
    nonisolated(unsafe) static let hasPending = function("SSL_has_pending")
    nonisolated(unsafe) static let selectedProtocol = function("SSL_get0_alpn_selected")

    /// Finds a function in libcurl and the libraries that it needs: an app may contain another OpenSSL.
    private static func function(_ name: String) -> UnsafeMutableRawPointer? {
        guard let library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_NOLOAD) else { return nil }
        return dlsym(library, name)
    }
}
