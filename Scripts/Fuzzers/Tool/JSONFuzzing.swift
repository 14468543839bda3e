import Foundation
import RecordKitJSON

/// Checks a JSON text. A value that was read is written so that it is read as the same value, by other parsers too.
enum JSONFuzzing {
    static func check(_ bytes: [UInt8]) {
        guard let value = try? JSONValue(stored: bytes) else { return }
        let written = value.bytes()
        if (try? JSONValue(stored: written)) != value {
            violation(
                "JSON is read as it was written", String(decoding: bytes, as: UTF8.self),
                String(decoding: written, as: UTF8.self))
        }
        if (try? JSONSerialization.jsonObject(with: Data(written), options: .fragmentsAllowed)) == nil {
            violation("others can read the JSON that is written", String(decoding: written, as: UTF8.self))
        }
    }
}
