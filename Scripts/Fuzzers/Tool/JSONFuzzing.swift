import Foundation
import RecordKitJSON

#if !FUZZER
@testable import RecordInventory
#endif

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
        // Foundation reads no number that is too large for a `Double`.
        guard fits(value) else { return }
        if (try? JSONSerialization.jsonObject(with: Data(written), options: .fragmentsAllowed)) == nil {
            violation("others can read the JSON that is written", String(decoding: written, as: UTF8.self))
        }
    }

    private static func fits(_ value: JSONValue) -> Bool {
        switch value {
        case .number(let number): number.double?.isFinite == true
        case .array(let elements): elements.allSatisfy(fits)
        case .object(let object): object.members.allSatisfy { fits($0.value) }
        case .null, .bool, .string: true
        }
    }
}
