import Foundation

extension QueryEncoder {
    /// The text of a value that has one; nil for what is made of other values.
    func text(of value: any Encodable, at node: QueryNode) throws -> String? {
        switch value {
        case let value as String: return value
        case let value as Bool: return booleans == .words ? String(value) : value ? "1" : "0"
        case let value as any BinaryInteger: return value.description
        case let value as Double: return try digits(of: value, at: node)
        case let value as Float:
            // By way of its shortest decimal form: the same number as a Double has more digits.
            return try digits(of: Double(value.description) ?? Double(value), at: node)
        case let value as Date: return try date(value, at: node)
        case let value as Data: return value.base64EncodedString()
        case let value as URL: return value.absoluteString
        case let value as Decimal:
            if value.isNaN { throw node.misfit(value, "is not a number") }
            return value.description
        default: return nil
        }
    }

    /// As JSON has it: a whole number without a fraction.
    private func digits(of number: Double, at node: QueryNode) throws -> String {
        guard number.isFinite else { throw node.misfit(number, "is not finite") }
        return Int(exactly: number).map { String($0) } ?? number.description
    }

    private func date(_ date: Date, at node: QueryNode) throws -> String {
        let seconds = date.timeIntervalSince1970
        switch dates {
        case .iso8601:
            // The years 0 to 9999: the format has four digits.
            guard (-62_167_219_200..<253_402_300_800).contains(seconds) else {
                throw node.misfit(date, "has no four-digit year")
            }
            return date.formatted(.iso8601)
        case .secondsSince1970: return try digits(of: seconds, at: node)
        case .millisecondsSince1970: return try digits(of: (seconds * 1000).rounded(), at: node)
        case .formatted(let format): return format(date)
        }
    }
}

extension String {
    /// `firstPressingURL` as `first_pressing_url`.
    var snakeCased: String {
        let letters = Array(self)
        var result = ""
        for (index, letter) in letters.enumerated() {
            let isStart =
                letter.isUppercase && index > 0
                && (letters[index - 1].isLowercase || letters[index - 1].isNumber
                    || letters[index - 1].isUppercase && letters[(index + 1)...].first?.isLowercase == true)
            if isStart, letters[index - 1] != "_" { result += "_" }
            result += letter.lowercased()
        }
        return result
    }
}
