import Foundation

/// Dates in the format of RFC 3339, a profile of ISO 8601, in UTC or with an offset.
enum DateText {
    static func date(_ text: String) -> Date? {
        if let date = try? Date(text, strategy: .iso8601) { return date }
        return try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    static func text(_ date: Date, hasFraction: Bool) -> String {
        date.formatted(hasFraction ? Date.ISO8601FormatStyle(includingFractionalSeconds: true) : .iso8601)
    }
}
