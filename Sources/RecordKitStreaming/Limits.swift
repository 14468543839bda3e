import RecordKit

extension NetworkCall {
    /// The error for a line, an event or an element that exceeds the size limit.
    var tooLarge: NetworkError {
        .tooLarge(NetworkError.TooLarge(limit: sizeLimit, host: origin.hostAndPort))
    }
}

extension Duration {
    /// The duration clamped to the range from zero to a year. A much longer one traps when it is added to a time.
    var limited: Duration { min(max(self, .zero), .seconds(366 * 86_400)) }
}

extension Substring {
    /// The number that consists only of ASCII digits. `nil` for anything else, or if it is too large.
    var decimal: Int? {
        utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } ? Int(self) : nil
    }
}
