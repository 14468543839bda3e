extension InventoryCSV {
    /// Why a row with this record would be refused, as what another program has stored may be; nil when it would not.
    func refusal(of record: Record) -> String? {
        var row = CSVRow(number: 1)
        for text in fields.map({ $0.text(of: record) }) {
            if let text { row.append(Array(text.utf8)[...]) }
            row.endCell(isQuoted: text != nil)
        }
        let errors = self.record(from: row).errors
        return errors.isEmpty ? nil : errors.joined(separator: "; ")
    }
}
