import Foundation
@testable import RecordKit
@testable import RecordKitInterceptors

/// Checks header values, and short strings that are printed. A value that was read is written so that it is read as the
/// same value.
enum HeaderFuzzing {
    static func check(_ text: String) {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        if let date = HTTPDate(text, now: now), HTTPDate(date.description, now: now) != date {
            violation("a date is read as it was written", text, date.description)
        }
        if let type = MediaType(text), MediaType(type.essence)?.essence != type.essence {
            violation("a media type is read as it was written", text, type.essence)
        }
        let lines = text.split(separator: "\n", maxSplits: 1).map(String.init)
        if let first = lines.first { _ = TraceContext(traceparent: first, tracestate: lines.dropFirst().first) }
        _ = RequestQuery(parsing: text)
        _ = BaseURL.redacted(text)
        _ = HTTPHeaders(["Location": text]).redacted()
        let printable = PlainText.printable(text, onOneLine: true)
        if printable.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            violation("what is printed holds no control characters", text, printable)
        }
    }
}
