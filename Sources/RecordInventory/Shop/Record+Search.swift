import RecordKitJSON

extension Record {
    /// Returns whether artist, title, label, catalog number and barcode have the words.
    func matches(_ query: SearchQuery) -> Bool {
        let fields = [artist, title, label, catalogueNumber]
        // Some names are symbols alone, like those of the band "!!!".
        if query.hasNoWords {
            return fields.contains { $0?.contains(query.text) == true } || query.text.trimmed.isEmpty
        }
        return query.matches(Self.searchWords(fields, catalogueNumber: catalogueNumber, barcode: barcode?.ean13))
    }

    /// Returns the words of a record's JSON. Returns none if it is no record.
    static func searchWords(of json: JSONObject) -> [String] {
        let names: [RecordField] = [.artist, .title, .label, .catalogueNumber]
        func text(_ field: RecordField) -> String? { json[field.rawValue]?.string }
        let barcode = text(.barcode).map { text in (try? Barcode(text))?.ean13 ?? text }
        return searchWords(names.map(text), catalogueNumber: text(.catalogueNumber), barcode: barcode)
    }

    private static func searchWords(_ texts: [String?], catalogueNumber: String?, barcode: String?) -> [String] {
        var words = texts.flatMap { $0.map(SearchWords.words) ?? [] }
        if let catalogueNumber { words.append(SearchWords.joined(catalogueNumber)) }
        if let barcode {
            words.append(barcode)
            // A UPC-A begins with a zero as EAN-13.
            if barcode.hasPrefix("0") { words.append(String(barcode.drop { $0 == "0" })) }
        }
        return words.filter { !$0.isEmpty }
    }
}

extension SearchQuery {
    /// Creates a query from what was typed. A barcode may be typed with spaces or scanned as UPC-A.
    init(typed text: String) {
        self.init(text, barcode: (try? Barcode(text))?.ean13)
    }
}
