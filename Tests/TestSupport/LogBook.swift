public import Foundation
import RecordKit
public import RecordKitInterceptors
import RecordKitTesting
import Synchronization

/// Records log messages.
public final class LogBook: NetworkLog {
    public struct Entry: Equatable {
        public var level: LogLevel
        public var message: String

        public init(level: LogLevel, message: String) {
            self.level = level
            self.message = message
        }
    }

    public init() {}

    private let state = Mutex<[Entry]>([])

    public var entries: [Entry] { state.withLock { $0 } }
    public var messages: [String] { entries.map(\.message) }

    public func write(_ message: String, at level: LogLevel) {
        state.withLock { $0.append(Entry(level: level, message: message)) }
    }

    /// Returns a response body as it is logged. `Till`, `pin` and `door code` are sensitive.
    public static func body(_ body: Data, _ type: String?, limit: Int = 10_000) async -> String {
        let book = LogBook()
        var network = NetworkConfiguration(
            CannedTransport { call throws(NetworkError) in
                NetworkResponse(statusCode: 200, headers: ["Content-Type": type], body: body, url: call.url)
            },
            [LoggingInterceptor(to: book, level: .trace, bodyLimit: limit)], clock: ManualClock())
        network.sensitiveNames = ["Till", "pin", "door code"]
        _ = await NetworkSession(network).outcome(of: Ask())
        return String(book.messages[1].split(separator: "\n", maxSplits: 2).last ?? "")
    }

    public static func body(_ body: String, _ type: String?, limit: Int = 10_000) async -> String {
        await Self.body(Data(body.utf8), type, limit: limit)
    }
}
