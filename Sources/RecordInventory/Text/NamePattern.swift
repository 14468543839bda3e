import Foundation

extension String {
    /// The name of a person as it is stored: composed (NFC), with one blank between its words.
    var personName: String {
        split(whereSeparator: \.isWhitespace).joined(separator: " ").precomposedStringWithCanonicalMapping
    }
}

/// A person's name, as texts may have it: in any case, with any white space between its words.
struct NamePattern: Sendable {
    private let words: [[String]]
    /// Whether the name is found within longer texts, too.
    private let isWithin: Bool

    /// - Parameter isWithin: Whether a name of fewer than three letters is found within longer texts. Others are.
    init(_ name: String, isWithin: Bool) {
        words = name.split(whereSeparator: \.isWhitespace).map { $0.map { $0.lowercased() } }
        self.isWithin = isWithin || name.count(where: \.isLetter) >= 3
    }

    /// Returns whether a text is the name.
    func isName(_ text: String) -> Bool {
        text.split(whereSeparator: \.isWhitespace).map { $0.map { $0.lowercased() } } == words
    }

    /// Returns a text with another word in place of the name, where no other letter or digit is next to it. `nil` if it
    /// does not have the name.
    func replaced(in text: String, with other: String) -> String? {
        if isName(text) { return other }
        guard isWithin else { return nil }
        var result = ""
        var rest = text[...]
        var isFound = false
        var before: Character?
        while let first = rest.first {
            if before.map({ $0.isLetter || $0.isNumber }) != true, let end = end(of: rest) {
                result += other
                before = rest[rest.startIndex..<end].last
                rest = rest[end...]
                isFound = true
            } else {
                result.append(first)
                before = rest.removeFirst()
            }
        }
        return isFound ? result : nil
    }

    /// Returns the end of the name at the start of a text, or `nil` if that begins otherwise.
    private func end(of text: Substring) -> String.Index? {
        var rest = text
        for (number, word) in words.enumerated() {
            if number > 0 {
                guard rest.first?.isWhitespace == true else { return nil }
                rest = rest.drop(while: \.isWhitespace)
            }
            for letter in word {
                guard let next = rest.popFirst(), next.lowercased() == letter else { return nil }
            }
        }
        return rest.first.map { $0.isLetter || $0.isNumber } == true ? nil : rest.startIndex
    }
}
