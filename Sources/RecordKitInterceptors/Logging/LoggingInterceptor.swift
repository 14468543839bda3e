import Foundation
public import RecordKit

/// Writes a line for each attempt, and on request its headers and bodies.
///
/// ```
/// GET https://store.example/v1/records/LP-0042: 503, 0 bytes, 120 ms
/// GET https://store.example/v1/records/LP-0042 (attempt 2): 200, 1204 bytes, 14 ms
/// ```
///
/// Last among the interceptors it writes what travels; first, what the caller gets.
///
/// Redacts sensitive header fields, query items and body fields: the well-known ones, and those that
/// ``NetworkConfiguration/sensitiveNames`` adds. Only the fields of JSON and of forms are known; any other body is logged as
/// its size and type.
public struct LoggingInterceptor: NetworkInterceptor {
    private let log: any NetworkLog
    private let level: LogLevel
    private let bodyLimit: Int

    /// - Parameters:
    ///   - log: where messages go.
    ///   - level: what is written: `error` and `warning` failed attempts alone, `info` all attempts, `debug` their
    ///     headers too, `trace` their bodies too.
    ///   - bodyLimit: how many bytes of a body are written, of JSON and forms.
    public init(to log: any NetworkLog = SystemLog(), level: LogLevel = .info, bodyLimit: Int = 16_384) {
        self.log = log
        self.level = level
        self.bodyLimit = max(bodyLimit, 0)
    }

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
            lines.append(LoggedBody(call.headers.sensitiveNames, limit: bodyLimit).text(body, type: type))
        }
        return lines.joined(separator: "\n")
    }

    private func received(_ response: NetworkResponse, _ call: NetworkCall, _ time: Duration) -> String {
        let size = response.stream == nil ? "\(response.body.count) bytes" : "streamed"
        let line = "\(title(call)): \(response.statusCode), \(size), \(time.shortText)"
        guard level <= .debug else { return line }
        var headers = response.headers
        headers.markSensitive(call.headers.sensitiveNames)
        var lines = [line] + headerLines(headers)
        if level <= .trace, !response.body.isEmpty {
            lines.append(LoggedBody(headers.sensitiveNames, limit: bodyLimit).text(response.body, response.mediaType))
        }
        return lines.joined(separator: "\n")
    }

    private func failed(_ error: NetworkError, _ call: NetworkCall, _ time: Duration) -> String {
        "\(title(call)): \(error.description.printable()) After \(time.shortText)."
    }

    private func headerLines(_ headers: HTTPHeaders) -> [String] {
        headers.redacted().fields.map { "  \($0.name): \($0.value.printable())" }
    }
}

/// Bodies as they are logged.
struct LoggedBody {
    private let sensitiveNames: Set<String>
    private let limit: Int

    /// - Parameters:
    ///   - sensitiveNames: the names that are sensitive besides the well-known ones.
    ///   - limit: how many bytes of a body are written.
    init(_ sensitiveNames: Set<String>, limit: Int) {
        self.sensitiveNames = sensitiveNames
        self.limit = limit
    }

    func text(_ body: EncodedBody, type: String) -> String {
        let type = MediaType(type)
        return switch body.content {
        case .data(let data): text(data, type)
        case .pieces, .stream: Self.count(body.length, type)
        }
    }

    /// Returns JSON and forms with sensitive fields redacted, of anything else the size and the type.
    func text(_ data: Data, _ type: MediaType?) -> String {
        guard let parts = RedactedPart.all(in: data.prefix(limit), type, sensitive: sensitiveNames) else {
            return Self.count(data.count, type)
        }
        let text = Self.text(of: parts).printable(onOneLine: false)
        return data.count > limit ? "\(text)… (\(data.count) bytes in all)" : text
    }

    private static func text(of parts: [RedactedPart]) -> String {
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
