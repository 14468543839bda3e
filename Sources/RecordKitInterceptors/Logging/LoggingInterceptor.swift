import Foundation
public import RecordKit

/// Logs a line for each attempt, and on request its header and body.
///
/// ```
/// GET https://store.example/v1/records/LP-0042: 503, 0 bytes, 120 ms
/// GET https://store.example/v1/records/LP-0042 (attempt 2): 200, 1204 bytes,
/// 14 ms
/// ```
///
/// As the last interceptor it logs what is sent and received. As the first, it logs what the caller gets.
///
/// As an observer of the configuration, too, it logs what happens within an attempt, such as the use of a stored
/// response.
///
/// Redacts sensitive header fields, query items and body fields: the well-known ones, and those in
/// `NetworkConfiguration.sensitiveNames`. Bodies are logged if they are JSON or forms. Of other bodies, only the size
/// and the type are logged.
public struct LoggingInterceptor: NetworkInterceptor, NetworkObserver {
    private let log: any NetworkLog
    private let level: LogLevel
    private let bodyLimit: Int

    /// Creates an interceptor that logs.
    ///
    /// - Parameters:
    ///   - log: The destination of the messages. Default: the system's log.
    ///   - level: What is logged: `error` and `warning` only failed attempts, `info` all attempts, `debug` also their
    ///     header fields, `trace` also their bodies. Default: `info`.
    ///   - bodyLimit: The number of bytes of a body that are logged. Default: 16,384.
    public init(to log: any NetworkLog = SystemLog(), level: LogLevel = .info, bodyLimit: Int = 16_384) {
        self.log = log
        self.level = level
        self.bodyLimit = max(bodyLimit, 0)
    }

    /// It may stand behind interceptors that sign.
    public var role: NetworkInterceptorRole { .observes }

    /// Sends the call, and logs it.
    public func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        if level <= .debug { log.write(sent(call), at: .debug) }
        let start = call.clock.now()
        do {
            let response = try await next(call)
            let weight: LogLevel =
                response.statusCode >= 500 ? .error : response.statusCode >= 400 ? .warning : .info
            if level <= weight {
                log.write(received(response, call, call.clock.now() - start), at: weight)
            }
            return response
        } catch {
            let weight = error.isCancelled ? LogLevel.info : .error
            if level <= weight {
                log.write(failed(error, call, call.clock.now() - start), at: weight)
            }
            throw error
        }
    }

    /// Logs an event that has a detail at the level `debug`, but for those that an attempt's line shows.
    ///
    /// - Parameters:
    ///   - event: The event that has ended.
    ///   - call: The call as it was at the event.
    public func observe(_ event: NetworkEvent, of call: NetworkCall) {
        guard level <= .debug, let detail = event.detail, event.kind != .attempt, event.kind != .read else { return }
        log.write("\(title(call)): \(detail.printable()), \(event.duration.shortDescription)", at: .debug)
    }

    private func title(_ call: NetworkCall) -> String {
        "\(call.method) \(address(of: call))\(attempt(of: call))"
    }

    private func address(of call: NetworkCall) -> String {
        call.url.redacted(call.headers.sensitiveNames)
    }

    private func attempt(of call: NetworkCall) -> String {
        call.attempt > 1 ? " (attempt \(call.attempt))" : ""
    }

    private func sent(_ call: NetworkCall) -> String {
        var lines = ["\(title(call)) \(call.name)"]
        lines += headerLines(call.headers)
        if level <= .trace, let body = call.body {
            let type = call.headers["Content-Type"] ?? body.contentType
            lines.append(LoggedBody(call.headers.sensitiveNames, limit: bodyLimit).description(of: body, type: type))
        }
        return lines.joined(separator: "\n")
    }

    private func received(_ response: NetworkResponse, _ call: NetworkCall, _ time: Duration) -> String {
        let size = response.stream == nil ? "\(response.body.count) bytes" : "streamed"
        let line = "\(title(call)): \(response.statusCode), \(size), \(time.shortDescription)"
        guard level <= .debug else { return line }
        var headers = response.headers
        headers.markSensitive(call.headers.sensitiveNames)
        var lines = [line] + headerLines(headers)
        if level <= .trace, !response.body.isEmpty {
            lines.append(
                LoggedBody(headers.sensitiveNames, limit: bodyLimit).description(of: response.body, response.mediaType))
        }
        return lines.joined(separator: "\n")
    }

    private func failed(_ error: NetworkError, _ call: NetworkCall, _ time: Duration) -> String {
        "\(title(call)): \(error.description.printable()) After \(time.shortDescription)."
    }

    private func headerLines(_ headers: HTTPHeaders) -> [String] {
        headers.redacted().map { "  \($0.name): \($0.value.printable())" }
    }
}

/// Describes bodies for a log.
struct LoggedBody {
    private let sensitiveNames: Set<String>
    private let limit: Int

    /// Creates a description of bodies.
    ///
    /// - Parameters:
    ///   - sensitiveNames: The names that are sensitive in addition to the well-known ones.
    ///   - limit: The number of bytes of a body that are logged.
    init(_ sensitiveNames: Set<String>, limit: Int) {
        self.sensitiveNames = sensitiveNames
        self.limit = limit
    }

    func description(of body: EncodedBody, type: String) -> String {
        let type = MediaType(type)
        return switch body.content {
        case .data(let data): description(of: data, type)
        case .pieces: Self.count(body.length, type)
        }
    }

    /// Returns JSON and forms with sensitive fields redacted, and the size and type of other bodies.
    func description(of data: Data, _ type: MediaType?) -> String {
        guard let type, type.isJSON || type.isForm,
            let parts = RedactedPart.all(in: data.prefix(limit), type, sensitive: sensitiveNames)
        else {
            return Self.count(data.count, type)
        }
        let string = Self.string(of: parts).printable(onOneLine: false)
        return data.count > limit ? "\(string)… (\(data.count) bytes in total)" : string
    }

    private static func string(of parts: [RedactedPart]) -> String {
        var bytes: [UInt8] = []
        for part in parts {
            switch part {
            case .plain(let plain): bytes += plain
            case .sensitive: bytes += Array("redacted".utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func count(_ length: Int?, _ type: MediaType?) -> String {
        "  (\(length.map { "\($0) bytes" } ?? "a stream") of \(type?.essence ?? "unknown type"))"
    }
}
