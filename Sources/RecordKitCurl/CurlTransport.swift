import CCurl
public import Foundation
public import RecordKit

/// A transport on the system's libcurl: fast, with backpressure, and with TLS and proxies by configuration.
///
/// ```swift
/// let network = NetworkSession(
///     NetworkConfiguration(environment: environment, transport: CurlTransport())
/// )
/// ```
///
/// Responses and errors are the same as those of `URLSessionTransport`, except that some responses that
/// URLSession refuses on Linux are accepted. One thread runs all transfers. It starts with the first exchange, and ends
/// when the transport is released and the last stream has ended. While no data moves, it uses no processor time.
///
/// A stream whose reader is slow pauses its transfer, before `RequestOptions.bufferLimit` is reached.
public final class CurlTransport: NetworkTransport {
    /// The options of the transport.
    public let options: Options
    /// The limit on concurrent exchanges per host, live bodies and WebSocket. See ``Options/exchangesPerHost``.
    public let traits: TransportTraits
    private let loop: EventLoop
    private let sockets: WebSocketLoop
    /// The reason why the transport can't send calls as configured. `nil` if it can.
    private let invalidReason: String?

    /// Creates a transport.
    ///
    /// - Parameter options: The options. If they are not valid, or if the system's libcurl doesn't support them, every
    ///   call ends with `NetworkError.invalidRequest(_:)` before anything is sent.
    public init(_ options: Options = Options()) {
        self.options = options
        invalidReason = options.invalidReason
        traits = TransportTraits(
            slots: HostSlots(limit: options.exchangesPerHost), sendsLiveBodies: true, upgradesConnections: true)
        loop = EventLoop(options)
        sockets = WebSocketLoop(options)
    }

    deinit {
        loop.finish()
    }

    /// The version of the libcurl that this process uses, such as `7.88.1`.
    public static var version: String { CurlLibrary.version }

    /// Performs one exchange as a transfer of libcurl.
    ///
    /// The body of a redirect that the policy of the call follows is left out.
    public func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        if let invalidReason {
            throw .invalidRequest(
                NetworkError.InvalidRequest(request: call.name, member: .transport, reason: invalidReason))
        }
        if let upgrade = call.options[WebSocketUpgrade.self] { return try await sockets.open(call, upgrade) }
        let exchange = CurlExchange(call)
        return try await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if exchange.begin(continuation) { loop.start(exchange) }
            }
        } onCancel: {
            if exchange.end(.failure(.cancelled)) { loop.remove(exchange) }
        }.get()
    }
}

extension CurlTransport {
    /// An error that libcurl reports. It is the cause of a `NetworkError`.
    public struct Failure: LocalizedError, Sendable, Hashable, CustomStringConvertible {
        /// The code of libcurl, such as 7 for `CURLE_COULDNT_CONNECT`.
        public let code: Int
        /// The message of libcurl. It contains no URL.
        public let message: String

        /// The message and the code.
        public var description: String { "\(message) (libcurl \(code))" }
        /// The same as `description`.
        public var errorDescription: String? { description }
    }
}

extension CurlTransport: CustomReflectable {
    /// The options. The transfers are left out, since they contain what was sent.
    public var customMirror: Mirror { Mirror(self, children: ["options": options]) }
}
