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
        if !options.addresses.isEmpty { require("addresses", set(CURLOPT_RESOLVE, options.addressLines)) }
        if let socket = options.unixSocket { require("unixSocket", set(CURLOPT_UNIX_SOCKET_PATH, socket)) }
        if let interface = options.interface { require("interface", set(CURLOPT_INTERFACE, interface)) }
        // Without TLS, https ends with an error.
        if CurlLibrary.has(.tls) { apply(options.tls) }
        apply(options.proxy)
    }

    private func apply(_ tls: CurlTransport.TLS) {
        apply(tls, CURLOPT_SSLVERSION, CURLOPT_CAINFO, CURLOPT_CAPATH)
        if CurlLibrary.has(.httpsProxy) {
            apply(tls, CURLOPT_PROXY_SSLVERSION, CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH)
        }
        if let certificate = tls.clientCertificate {
            require(
                "tls.clientCertificate",
                set(CURLOPT_SSLCERT, certificate.certificate.path) && set(CURLOPT_SSLKEY, certificate.key.path)
                    && certificate.password.map { set(CURLOPT_KEYPASSWD, $0) } ?? true)
        }
        if !tls.pins.isEmpty {
            let pins = tls.pins.map { "sha256//\($0)" }.joined(separator: ";")
            require("tls.pins", set(CURLOPT_PINNEDPUBLICKEY, pins))
        }
    }

    /// Sets the rules that apply to a server and to a proxy over https.
    private func apply(_ tls: CurlTransport.TLS, _ version: CURLoption, _ file: CURLoption, _ folder: CURLoption) {
        let minimum =
            switch tls.minimumVersion {
            case .tls12: Int(CURL_SSLVERSION_TLSv1_2)
            case .tls13: Int(CURL_SSLVERSION_TLSv1_3)
            }
        require("tls.minimumVersion", set(version, minimum))
        if let authorities = tls.authorities { require("tls.authorities", set(file, authorities.path)) }
        // Beside a file, the system's folder doesn't count: it would add to an app's authorities, and with a folder,
        // libcurl reads the file for each new connection, and keeps nothing (7.88.1).
        if tls.authorities != nil || CurlLibrary.hasBundle { ccurl_set_string(pointer, folder, nil) }
    }

    private func apply(_ proxy: CurlTransport.Proxy) {
        switch proxy {
        case .environment: break
        case .none: set(CURLOPT_PROXY, "")
        case .server(let server):
            uses(server)
            require(
                "proxy",
                set(CURLOPT_PROXY, server.url)
                    && set(CURLOPT_NOPROXY, server.exceptionList)
                    && server.user.map { set(CURLOPT_PROXYUSERNAME, $0) } ?? true
                    && server.password.map { set(CURLOPT_PROXYPASSWORD, $0) } ?? true)
        }
    }
}
