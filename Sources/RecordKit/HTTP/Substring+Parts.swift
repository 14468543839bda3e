import Foundation

extension Substring {
    /// The substring without leading and trailing spaces and tabs (RFC 9110 section 5.6.3).
    var trimmed: Substring {
        var rest = self
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }

    /// Splits the substring at each of these ASCII characters. Includes empty parts.
    func parts(between separators: String) -> [Substring] {
        utf8.split(omittingEmptySubsequences: false) { separators.utf8.contains($0) }.map { Substring($0) }
    }

    /// Splits the substring at an ASCII character outside quoted strings (RFC 9110 section 5.6.4), and trims the parts.
    func parts(betweenUnquoted separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var rest = self
        while let end = rest.firstUnquoted(separator) {
            parts.append(rest[..<end].trimmed)
            rest = rest[rest.utf8.index(after: end)...]
        }
        return parts + [rest.trimmed]
    }

    /// Returns the index of the first occurrence of an ASCII character outside quoted strings.
    func firstUnquoted(_ character: Character) -> Index? {
        let sought = character.asciiValue
        var (quoted, escaped) = (false, false)
        for index in utf8.indices {
            switch utf8[index] {
            case _ where escaped: escaped = false
            case UInt8(ascii: "\\") where quoted: escaped = true
            case UInt8(ascii: "\""): quoted.toggle()
            case sought where !quoted: return index
            default: break
            }
        }
        return nil
    }

    /// The content of a quoted string (RFC 9110 section 5.6.4), or the substring itself if it is not quoted.
    ///
    /// `nil` if the substring is empty, or if the closing quote is missing or not at the end.
    var unquoted: String? {
        guard first == "\"" else { return isEmpty ? nil : String(self) }
        var rest = dropFirst()
        var result = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return rest.isEmpty ? result : nil
            case "\\": result += rest.popFirst().map { String($0) } ?? ""
            default: result.append(character)
            }
        }
        return nil
    }

    /// Parses a number that consists only of ASCII digits. Returns `nil` if it is empty or too large.
    func number(radix: Int = 10) -> Int? {
        first == "+" || first == "-" ? nil : Int(self, radix: radix)
    }
}

extension String {
    /// Returns the field lines that URLSession has joined with commas to one value.
    ///
    /// - Parameter begins: Returns whether what follows a comma begins a line.
    func lines(beginning begins: (Substring) -> Bool) -> [Substring] {
        var lines: [Substring] = []
        var (start, searched) = (startIndex, startIndex)
        while let comma = self[searched...].range(of: ", ") {
            searched = comma.upperBound
            if !begins(self[searched...]) { continue }
            lines.append(self[start..<comma.lowerBound])
            start = searched
        }
        return lines + [self[start...]]
    }
}
