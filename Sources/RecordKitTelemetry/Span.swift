import Foundation

/// A span in OTLP's JSON. Identifiers are in hexadecimal, times in nanoseconds since 1970, as decimal strings.
struct Span: Encodable {
    var traceId: String
    let spanId: String
    var parentSpanId: String?
    var traceState: String?
    let name: String
    let kind: Kind
    let startTimeUnixNano: String
    let endTimeUnixNano: String
    let attributes: [Attribute]
    let status: Status?

    enum Kind: Int, Encodable {
        // `SPAN_KIND_INTERNAL` and `SPAN_KIND_CLIENT`.
        case call = 1
        case attempt = 3
    }

    struct Status: Encodable {
        /// `STATUS_CODE_ERROR`.
        var code = 2
        var message: String?
    }

    /// Returns a random identifier of a number of bytes.
    static func randomID(bytes: Int) -> String {
        (0..<bytes / 8).map { _ in
            let number = String(UInt64.random(in: 1 ... .max), radix: 16)
            return String(repeating: "0", count: 16 - number.count) + number
        }.joined()
    }
}

extension Date {
    /// The nanoseconds since 1970, as OTLP's JSON has them.
    var unixNano: String { String(UInt64(max(timeIntervalSince1970, 0) * 1_000_000) * 1000) }
}

extension Duration {
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
