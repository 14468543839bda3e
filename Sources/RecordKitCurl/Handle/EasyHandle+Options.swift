import CCurl
import Foundation

extension EasyHandle {
    /// Sets what a transport's options say about connections. Every handle of the transport starts with this.
    func apply(_ options: CurlTransport.Options) {
        collectMessage()
        set(CURLOPT_NOSIGNAL, 1)
        ccurl_allow_http_only(pointer)
        ccurl_set_quick_exit(pointer)
        // Sends the path as it is in the URL: libcurl would resolve dots in it.
        set(CURLOPT_PATH_AS_IS, 1)
        // Sends no credentials because the URL contains some.
        set(CURLOPT_HTTPAUTH, 0)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if !options.addresses.isEmpty { set(CURLOPT_RESOLVE, options.addressLines) }
        if let socket = options.unixSocket { set(CURLOPT_UNIX_SOCKET_PATH, socket) }
        if let interface = options.interface { set(CURLOPT_INTERFACE, interface) }
        apply(options.tls)
        apply(options.proxy)
    }

    private func apply(_ tls: CurlTransport.TLS) {
        switch tls.minimumVersion {
        case .tls12: set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        case .tls13: set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_3))
        }
        if let file = tls.authorities {
            set(CURLOPT_CAINFO, file.path)
            // Without this, the system's folder of authorities would count, too.
            ccurl_set_string(pointer, CURLOPT_CAPATH, nil)
        }
        if let certificate = tls.clientCertificate {
            set(CURLOPT_SSLCERT, certificate.certificate.path)
            set(CURLOPT_SSLKEY, certificate.key.path)
            if let password = certificate.password { set(CURLOPT_KEYPASSWD, password) }
        }
        if !tls.pins.isEmpty {
            set(CURLOPT_PINNEDPUBLICKEY, tls.pins.map { "sha256//\($0)" }.joined(separator: ";"))
        }
    }

    private func apply(_ proxy: CurlTransport.Proxy) {
        switch proxy {
        case .environment: break
        case .none: set(CURLOPT_PROXY, "")
        case .server(let server):
            set(CURLOPT_PROXY, server.url.absoluteString)
            set(CURLOPT_NOPROXY, server.exceptions.joined(separator: ","))
            if let user = server.user { set(CURLOPT_PROXYUSERNAME, user) }
            if let password = server.password { set(CURLOPT_PROXYPASSWORD, password) }
        }
    }
}
