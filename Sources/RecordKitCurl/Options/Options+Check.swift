import Foundation

extension CurlTransport.Options {
    /// What is wrong with the options, and what to do. `nil` if libcurl can apply them all.
    ///
    /// Files are checked by libcurl when they are used, since they may be replaced meanwhile.
    var invalidReason: String? {
        if !CurlLibrary.isReady { return "libcurl could not be initialized; check the installation of libcurl4" }
        if CurlLibrary.versionNumber < 0x07_44_00 {
            return "libcurl \(CurlLibrary.version) is too old; install 7.68 or later"
        }
        if http2 == .priorKnowledge, !CurlLibrary.has(.http2) { return lacking("HTTP/2", "set `http2` to `.never`") }
        if http2 == .priorKnowledge, !CurlLibrary.noticesCutBodiesOverHTTP2 {
            return "libcurl \(CurlLibrary.version) takes a body that is cut short over HTTP/2 for a complete one; "
                + "install 7.76 or later, or set `http2` to `.overTLS`"
        }
        if unixSocket != nil, !CurlLibrary.has(.unixSockets) {
            return lacking("Unix-domain sockets", "remove `unixSocket`")
        }
        if let unixSocket, unixSocket.isEmpty || unixSocket.utf8.count > 107 {
            return "the path of the Unix-domain socket takes \(unixSocket.utf8.count) bytes; it may take 1 to 107"
        }
        if headLimit < 1 || connectionLimit ?? 1 < 1 {
            return "a limit is \(min(headLimit, connectionLimit ?? 1)); it must be greater than zero"
        }
        return addressProblem ?? tls.invalidReason ?? proxy.invalidReason ?? refusal
    }

    /// The reason why libcurl doesn't take an option whose lack would be unsafe, such as a pin that its TLS library
    /// doesn't check.
    private var refusal: String? {
        guard let handle = EasyHandle() else { return nil }
        handle.apply(self)
        return handle.refusedOption.map {
            "libcurl \(CurlLibrary.version) does not take `\($0)`; install another one, or change the option"
        }
    }

    private func lacking(_ feature: String, _ remedy: String) -> String {
        "libcurl \(CurlLibrary.version) was built without \(feature); install another one, or \(remedy)"
    }

    private var addressProblem: String? {
        for (name, addresses) in addresses {
            let parts = name.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, let port = UInt16(parts[1]), port > 0 else {
                return "\"\(name)\" in `addresses` is not a name and a port; write it like \"store.example:443\""
            }
            if addresses.isEmpty { return "\"\(name)\" has no addresses; add some, or remove the name" }
            for address in addresses where !Self.isAddress(address) {
                return "\"\(address)\" of \"\(name)\" is neither an IPv4 nor an IPv6 address"
            }
        }
        return nil
    }

    /// Returns whether a string is an IP address, without brackets or a zone.
    static func isAddress(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1
    }

    /// The addresses in the form that libcurl reads.
    var addressLines: [String] {
        addresses.map { name, addresses in
            "\(name):" + addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
        }
    }
}

extension CurlTransport.TLS {
    fileprivate var invalidReason: String? {
        if self != Self(), !CurlLibrary.has(.tls) {
            return "libcurl \(CurlLibrary.version) was built without TLS; install another one"
        }
        for file in [authorities, clientCertificate?.certificate, clientCertificate?.key] {
            if let file, !file.isFileURL { return "\(file.scheme ?? "a relative URL") is not the scheme of a file URL" }
        }
        for pin in pins where Data(base64Encoded: pin)?.count != 32 {
            return "the pin \"\(pin)\" is not a SHA-256 hash in Base64, which has 44 characters"
        }
        return nil
    }
}

extension CurlTransport.Proxy {
    fileprivate var invalidReason: String? {
        guard case .server(let server) = self else { return nil }
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        guard let url = URL(string: server.url) else {
            return "the proxy is not a URL; write it like \"http://proxy.example:3128\""
        }
        guard let scheme = url.scheme?.lowercased(), schemes.contains(scheme) else {
            return "the scheme of the proxy is \(url.scheme ?? "missing"); it must be one of "
                + schemes.joined(separator: ", ")
        }
        if url.host()?.isEmpty ?? true { return "the URL of the proxy has no host" }
        if url.user() != nil {
            return "the URL of the proxy contains a user; set `user` and `password` of the ProxyServer"
        }
        if scheme == "https", !CurlLibrary.has(.httpsProxy) {
            return "libcurl \(CurlLibrary.version) does not support proxies over https; use another scheme"
        }
        return server.exceptionProblem
    }
}
