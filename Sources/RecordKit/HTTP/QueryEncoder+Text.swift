import Foundation

extension QueryEncoder {
    /// Returns the string of a scalar value, or `nil` for a value that consists of other values.
    ///
    /// - Throws: `EncodingError` if the value has no string, such as a number that is not finite.
    func text(of value: any Encodable, at node: QueryNode) throws -> String? {
        switch value {
        case let value as String: return value
        case let value as Bool: return String(value)
        case let value as any BinaryInteger: return value.description
        case let value as Double: return try digits(of: value, at: node)
        case let value as Float:
            // Converts the shortest decimal form, since `Double(value)` has more digits.
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

    /// Returns a number as in JSON. A whole number has no fraction.
    private func digits(of number: Double, at node: QueryNode) throws -> String {
        guard number.isFinite else { throw node.misfit(number, "is not finite") }
        return Int(exactly: number).map { String($0) } ?? number.description
    }

    /// Returns a date in the format of `dates`.
    private func date(_ date: Date, at node: QueryNode) throws -> String {
        let seconds = date.timeIntervalSince1970
        switch dates {
        case .iso8601, .iso8601WithFractionalSeconds:
            // The format has four digits, for the years 0 to 9999.
            guard (-62_167_219_200..<253_402_300_800).contains(seconds) else {
                throw node.misfit(date, "has no four-digit year")
            }
            if case .iso8601 = dates { return date.formatted(.iso8601) }
            return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        case .secondsSince1970: return try digits(of: seconds, at: node)
        case .millisecondsSince1970: return try digits(of: (seconds * 1000).rounded(), at: node)
        case .formatted(let format): return format(date)
        }
    }
}

extension String {
    /// The string in snake case: `firstPressingURL` becomes `first_pressing_url`.
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
