public import Foundation
public import RecordKit

/// Why the collector didn't receive some spans or metrics.
public struct TelemetryFailure: LocalizedError, Sendable, CustomStringConvertible {
    /// What happened. It quotes nothing that the collector sent.
    public let description: String
    /// The error of the export. `nil` if the collector rejected a part of it, or if nothing was sent.
    public let cause: NetworkError?
    /// The words of a collector that rejected a part of an export.
    public let message: String?

    /// The description.
    public var errorDescription: String? { description }

    private init(_ description: String, cause: NetworkError? = nil, message: String? = nil) {
        self.description = description
        self.cause = cause
        self.message = message
    }

    init(_ error: NetworkError) {
        self.init("The collector didn't receive an export. \(error.localizedDescription)", cause: error)
    }

    static func rejected(_ rejected: Int, of count: Int, _ message: String?) -> TelemetryFailure {
        TelemetryFailure("The collector rejected \(rejected) of \(count) items of an export.", message: message)
    }

    static func queueIsFull(_ size: Int) -> TelemetryFailure {
        TelemetryFailure("Spans were dropped, since \(size) waited already. Raise queueSize, or lower spanInterval.")
    }

    static func tooSlow(_ limit: Duration) -> TelemetryFailure {
        TelemetryFailure("The collector didn't receive everything within \(limit.seconds) seconds. The rest waits.")
    }
}
