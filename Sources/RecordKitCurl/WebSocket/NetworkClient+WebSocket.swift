import Foundation
public import RecordKit
import Synchronization

extension NetworkClient {
    /// Opens a WebSocket. The transport of the session must be a ``CurlTransport``, or one around it.
    ///
    /// ```swift
    /// let socket = try await network.webSocket(for: Orders())
    /// ```
    ///
    /// The request is a GET without a body. Its base URL may begin with `wss://` or `ws://`, which are sent like `https://`
    /// and `http://`. The interceptors, cookies, redirects, proxies and the rules for TLS apply to it like to any other.
    /// Subprotocols are offered with the header field `Sec-WebSocket-Protocol`. There are no extensions.
    ///
    /// The socket counts as a call in flight until it is closed, and `cancelAll()` ends it. The timeout applies until
    /// the server has accepted. The deadline of the configuration doesn't apply. One of the request applies to the
    /// whole connection. A message may be as large as `RequestOptions.sizeLimit`.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - pingInterval: The time without anything from the server after which it is sent a ping. If it sends nothing
    ///     in that time again, the connection ends with `NetworkError.timedOut(_:)`. `nil` sends no pings. Default: 30
    ///     seconds.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The open WebSocket.
    /// - Throws: The error of the request, for `NetworkError.status(_:)` with the response of a server that refuses.
    public func webSocket<Request: NetworkRequest>(
        for request: Request, pingInterval: Duration? = .seconds(30),
        configure: @escaping NetworkCall.Change = { _ in }
    ) async throws(Request.ErrorType) -> WebSocket<Request.ErrorType> where Request.ErrorType: NetworkFailure {
        let upgrade = WebSocketUpgrade(pingInterval: pingInterval)
        let transport = session?.configuration.transport
        let outgoing = OutgoingRequest(request) { call throws(NetworkError) in
            if transport?.traits.upgradesConnections == false {
                throw call.invalid(.transport, "it cannot open a WebSocket; use a CurlTransport")
            }
            if let pingInterval, pingInterval <= .zero {
                throw call.invalid(.options, "the ping interval is \(pingInterval); it must be greater than zero")
            }
            // The deadline of all requests would end each connection. A deadline of this request applies.
            if request.options.deadline == nil { call.options.deadline = nil }
            try configure(&call)
            call.url = call.url.withHTTPScheme
            call.options[WebSocketUpgrade.self] = upgrade
            call.delivery = .upgraded
        }
        let response: NetworkResponse
        do throws(NetworkError) {
            switch await open(outgoing) {
            case .failure(let error, _): throw error
            case .response(let opened, let call):
                if opened.statusCode != 101 { throw .status(try await opened.collected(for: call)) }
                response = opened
            }
        } catch {
            throw Request.ErrorType(error)
        }
        guard let connection = upgrade.connection.withLock({ $0.take() }), let stream = response.stream else {
            // An interceptor made the response.
            throw Request.ErrorType(.status(response))
        }
        connection.follow(stream)
        var head = response
        head.content = .data(Data())
        return WebSocket(connection, head)
    }
}

extension NetworkManager where Request.ErrorType: NetworkFailure {
    /// Opens a WebSocket. See ``RecordKit/NetworkClient/webSocket(for:pingInterval:configure:)``.
    public func webSocket(
        for request: Request, pingInterval: Duration? = .seconds(30),
        configure: @escaping NetworkCall.Change = { _ in }
    ) async throws(Request.ErrorType) -> WebSocket<Request.ErrorType> {
        try await client.webSocket(for: request, pingInterval: pingInterval, configure: configure)
    }
}

/// Marks a call that opens a WebSocket for the transport, and receives the connection.
final class WebSocketUpgrade: RequestOption {
    let pingInterval: Duration?
    let connection = Mutex<WebSocketConnection?>(nil)

    init(pingInterval: Duration?) {
        self.pingInterval = pingInterval
    }

    static func == (one: WebSocketUpgrade, other: WebSocketUpgrade) -> Bool { one === other }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension NetworkCall {
    fileprivate func invalid(_ member: NetworkError.InvalidRequest.Member, _ reason: String) -> NetworkError {
        .invalidRequest(NetworkError.InvalidRequest(request: name, member: member, reason: reason))
    }
}

extension URL {
    /// The URL with the scheme http or https in place of ws or wss.
    fileprivate var withHTTPScheme: URL {
        guard let scheme = scheme?.lowercased(), scheme == "ws" || scheme == "wss" else { return self }
        let rest = absoluteString.dropFirst(scheme.utf8.count)
        return URL(string: "\(scheme == "ws" ? "http" : "https")\(rest)") ?? self
    }
}
