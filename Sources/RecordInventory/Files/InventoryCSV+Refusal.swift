extension InventoryCSV {
    /// Why a row with these cells would be refused, as what another program has stored may be; nil when it would not.
    func refusal(of texts: [String?]) -> String? {
        var row = CSVRow(number: 1)
        for text in texts {
            if let text { row.append(Array(text.utf8)[...]) }
            row.endCell(isQuoted: text != nil)
        }
        let errors = self.record(from: row).errors
        return errors.isEmpty ? nil : errors.joined(separator: "; ")
    }
}
