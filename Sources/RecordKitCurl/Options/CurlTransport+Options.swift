public import Foundation

extension CurlTransport {
    /// The options of a ``CurlTransport``. The defaults are safe for any server.
    ///
    /// Three rules have no option: only http and https are allowed, no credentials are read from `.netrc` or sent
    /// because a URL contains them, and libcurl follows no redirect by itself.
    public struct Options: Sendable, Hashable {
        /// The limit on concurrent exchanges for each scheme, host and port. The others wait in order, outside their
        /// timeout. A WebSocket counts until it is open. Default: 64.
        public var exchangesPerHost: Int
        /// The limit on open connections, to all hosts, without those of WebSockets. Exchanges above it wait within
        /// their timeout. Default: `nil`, no limit.
        public var connectionLimit: Int?
        /// The use of HTTP/2. Default: where the server offers it over TLS.
        public var http2: HTTP2
        /// The addresses of names, in place of DNS, by name and port.
        ///
        /// ```swift
        /// options.addresses = ["store.example:443": ["192.0.2.1", "2001:db8::1"]]
        /// ```
        public var addresses: [String: [String]]
        /// The path of a Unix-domain socket to which all connections are made, such as `/run/docker.sock`. The host of
        /// a URL is then only sent in `Host`. Default: `nil`.
        public var unixSocket: String?
        /// The network interface, the host name or the address that connections are made from. Default: `nil`, as the
        /// system decides.
        public var interface: String?
        /// The rules for secure connections.
        public var tls: TLS
        /// The proxy. Default: none, whatever the environment says.
        public var proxy: Proxy
        /// The limit on the head of a response in bytes, with its interim responses and trailers. Default: 256 KiB.
        ///
        /// A larger head ends the call with `NetworkError.badResponse(_:)`. libcurl itself accepts
        /// lines of up to 100 KiB, and since version 8.3 heads of up to 300 KiB. Over HTTP/2, it accepts fields of up
        /// to 64 KiB, and heads of some 128 KiB.
        public var headLimit: Int

        /// Creates options.
        ///
        /// - Parameters:
        ///   - exchangesPerHost: The limit on concurrent exchanges for each scheme, host and port.
        ///   - connectionLimit: The limit on open connections, to all hosts.
        ///   - http2: The use of HTTP/2.
        ///   - addresses: The addresses of names, in place of DNS, by name and port.
        ///   - unixSocket: The path of a Unix-domain socket to which all connections are made.
        ///   - interface: The network interface, the host name or the address that connections are made from.
        ///   - tls: The rules for secure connections.
        ///   - proxy: The proxy.
        ///   - headLimit: The limit on the head of a response in bytes.
        public init(
            exchangesPerHost: Int = 64, connectionLimit: Int? = nil, http2: HTTP2 = .overTLS,
            addresses: [String: [String]] = [:], unixSocket: String? = nil, interface: String? = nil, tls: TLS = TLS(),
            proxy: Proxy = .none, headLimit: Int = 256 << 10
        ) {
            self.exchangesPerHost = exchangesPerHost
            self.connectionLimit = connectionLimit
            self.http2 = http2
            self.addresses = addresses
            self.unixSocket = unixSocket
            self.interface = interface
            self.tls = tls
            self.proxy = proxy
            self.headLimit = headLimit
        }
    }

    /// The use of HTTP/2.
    ///
    /// libcurl before 7.76 takes a body that is cut short over HTTP/2 for a complete one, unless its length is known.
    /// With it, HTTP/1.1 is used.
    @nonexhaustive
    public enum HTTP2: Sendable, Hashable {
        /// HTTP/1.1 alone.
        case never
        /// HTTP/2 where a server offers it over TLS. All exchanges with its host then share a connection.
        case overTLS
        /// HTTP/2 over http, too, from the first byte. For servers that are known to support it.
        ///
        /// libcurl 7.88.0 and 7.88.1 can't use such a connection twice (fixed in 8.0). With them, each exchange over
        /// http opens one.
        case priorKnowledge
    }

    /// The rules for secure connections.
    ///
    /// The authorities and the minimum version also apply to a proxy over https.
    public struct TLS: Sendable, Hashable {
        /// The PEM file with the trusted authorities, in place of the system's. Default: `nil`.
        public var authorities: URL?
        /// The certificate that identifies the client, if a server asks for one. Default: `nil`.
        public var clientCertificate: ClientCertificate?
        /// The accepted public keys: each the SHA-256 hash of a key's SubjectPublicKeyInfo in Base64, as in RFC 7469.
        ///
        /// A server whose certificate has another key ends the call with
        /// `TLSFailure.pinMismatch`. Its certificate must be valid, too. Empty,
        /// the default, accepts any key.
        public var pins: Set<String>
        /// The minimum version. Default: TLS 1.2.
        public var minimumVersion: Version

        /// The versions of TLS.
        @nonexhaustive
        public enum Version: Sendable, Hashable {
            /// TLS 1.2 (RFC 5246).
            case tls12
            /// TLS 1.3 (RFC 8446).
            case tls13
        }

        /// Creates rules. The defaults are the system's authorities, and TLS 1.2 or later.
        ///
        /// - Parameters:
        ///   - authorities: The PEM file with the trusted authorities.
        ///   - clientCertificate: The certificate that identifies the client.
        ///   - pins: The accepted public keys.
        ///   - minimumVersion: The minimum version.
        public init(
            authorities: URL? = nil, clientCertificate: ClientCertificate? = nil, pins: Set<String> = [],
            minimumVersion: Version = .tls12
        ) {
            self.authorities = authorities
            self.clientCertificate = clientCertificate
            self.pins = pins
            self.minimumVersion = minimumVersion
        }
    }

    /// A certificate and its private key, in files.
    public struct ClientCertificate: Sendable, Hashable {
        /// The PEM file with the certificate, and the certificates that signed it.
        public var certificate: URL
        /// The PEM file with the private key.
        public var key: URL
        /// The password of the private key. `nil` if the key isn't encrypted.
        public var password: String?

        /// Creates a certificate.
        ///
        /// - Parameters:
        ///   - certificate: The PEM file with the certificate.
        ///   - key: The PEM file with the private key.
        ///   - password: The password of the private key.
        public init(certificate: URL, key: URL, password: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.password = password
        }
    }

    /// The use of a proxy.
    ///
    /// ```swift
    /// options.proxy = .server("http://proxy.example:3128")
    /// ```
    @nonexhaustive
    public enum Proxy: Sendable, Hashable {
        /// No proxy, whatever the environment says.
        case none
        /// The proxy of the environment: `http_proxy`, `https_proxy` and `all_proxy`, except for the hosts in
        /// `no_proxy`.
        case environment
        /// A proxy server.
        case server(ProxyServer)

        /// Creates the use of a proxy server.
        ///
        /// - Parameters:
        ///   - url: The URL of the proxy, such as `http://proxy.example:3128`. See ``CurlTransport/ProxyServer/url``.
        ///   - user: The user name.
        ///   - password: The password.
        ///   - exceptions: The hosts that are reached without the proxy. See ``CurlTransport/ProxyServer/exceptions``.
        public static func server(
            _ url: String, user: String? = nil, password: String? = nil, exceptions: [String] = []
        ) -> Proxy {
            .server(ProxyServer(url, user: user, password: password, exceptions: exceptions))
        }
    }

    /// A proxy server.
    public struct ProxyServer: Sendable, Hashable {
        /// The URL, such as `http://proxy.example:3128`.
        ///
        /// Its scheme is `http`, `https`, `socks4`, `socks5`, or one of `socks4a` and `socks5h`, with which the proxy
        /// resolves names. It contains no user and no password. A string that isn't such a URL ends each call with
        /// `NetworkError.invalidRequest(_:)`.
        public var url: String
        /// The user name. `nil` for a proxy that asks for none.
        public var user: String?
        /// The password.
        public var password: String?
        /// The hosts that are reached without the proxy: domains with their subdomains, addresses, or networks such as
        /// `192.168.0.0/16`. `*` is every host.
        ///
        /// An exception applies to all ports, and contains no other wildcard. Networks need libcurl 7.86.
        public var exceptions: [String]

        /// Creates a proxy server.
        ///
        /// - Parameters:
        ///   - url: The URL of the proxy.
        ///   - user: The user name.
        ///   - password: The password.
        ///   - exceptions: The hosts that are reached without the proxy.
        public init(_ url: String, user: String? = nil, password: String? = nil, exceptions: [String] = []) {
            self.url = url
            self.user = user
            self.password = password
            self.exceptions = exceptions
        }
    }
}

extension CurlTransport.ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path of the certificate. The password is left out.
    public var description: String { "certificate \(certificate.path)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The paths of the files. The password is left out.
    public var customMirror: Mirror { Mirror(self, children: ["certificate": certificate, "key": key]) }
}

extension CurlTransport.ProxyServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme, host and port. The user and the password are left out.
    public var description: String {
        guard let url = URL(string: url), let host = url.host() else { return "a proxy" }
        return "\(url.scheme ?? "")://\(host)\(url.port.map { ":\($0)" } ?? "")"
    }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The address and the exceptions. The user and the password are left out.
    public var customMirror: Mirror { Mirror(self, children: ["url": description, "exceptions": exceptions]) }
}
