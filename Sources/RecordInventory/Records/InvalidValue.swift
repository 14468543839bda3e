/// Why a text is no barcode, price, SKU … in words for the person who typed it.
struct InvalidValue: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

extension String {
    /// The text as a message may show it: on one line, no control characters, at most 60 characters.
    var shown: String {
        var shown = ""
        for scalar in unicodeScalars.prefix(60) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown += "·"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return unicodeScalars.dropFirst(60).isEmpty ? shown : shown + "…"
    }
}

extension StringProtocol {
    /// Without the white space at both ends.
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
