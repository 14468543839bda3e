extension String {
    /// The text as a message or a terminal may show it: on one line, without control characters.
    var printable: String {
        var printable = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: printable += "·"
            default: printable.unicodeScalars.append(scalar)
            }
        }
        return printable
    }

    /// The first 60 code points, printable.
    var shown: String {
        let rest = unicodeScalars.dropFirst(60)
        return rest.isEmpty ? printable : String(unicodeScalars.prefix(60)).printable + "…"
    }
}
