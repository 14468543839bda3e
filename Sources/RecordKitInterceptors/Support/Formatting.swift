import Foundation
import RecordKit

extension Duration {
    /// A short description of the duration: `0.4 ms`, `120 ms`, `2.0 s`.
    var shortDescription: String {
        let tenths = Int(limited / .microseconds(100))
        return switch tenths {
        case ..<100: "\(tenths / 10).\(tenths % 10) ms"
        case ..<10_000: "\(tenths / 10) ms"
        default: "\(tenths / 10_000).\(tenths / 1000 % 10) s"
        }
    }

    /// The duration, limited to the range from zero to a year. Arithmetic with it can't overflow.
    var limited: Duration {
        min(max(self, .zero), .seconds(366 * 86_400))
    }

    /// The duration in seconds.
    var timeInterval: Double {
        self / .seconds(1)
    }
}

extension String {
    /// Returns the string with control characters escaped, so that they can't control a terminal or forge lines in a
    /// log.
    func printable(onOneLine: Bool = true) -> String {
        var result = ""
        for scalar in unicodeScalars {
            if Self.isControl(scalar), onOneLine || scalar != "\n" && scalar != "\t" {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<32, 127..<160: true
        // Characters that change the writing direction, and line separators.
        case 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension UInt64 {
    /// The 16 lowercase hexadecimal digits of the number, leading zeros included.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
