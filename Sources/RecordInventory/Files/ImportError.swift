/// Why a file cannot be imported at all. A bad row is no such error.
enum ImportError: Error, Equatable, CustomStringConvertible {
    /// The system would not read it.
    case unreadable(FileError)
    /// It is not UTF-8 text; the line is the first one that shows it.
    case encoding(path: String, EncodingGuess, line: Int)
    /// It is UTF-8 text that ends within a character.
    case cut(path: String, line: Int)
    /// It has no first row with the names of the columns.
    case empty(path: String)
    /// The first row is broken.
    case header(CSVRow.Problem)
    /// A column that no field is named for.
    case unknownColumn(UnknownName)
    /// Two columns for one field.
    case repeatedColumn(String)
    /// Columns that have to be there.
    case missingColumns([String])
    /// Discogs' column of listings and our own of SKUs, of which one would be lost.
    case bothFormats
    /// Neither the file nor the caller names a currency.
    case noCurrency

    var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .encoding(let path, let guess, let line):
            "\(FileError.name(of: path, .read)) is not UTF-8: line \(line) looks like \(guess.rawValue); "
                + "save or send it as CSV in UTF-8 and import it again"
        case .cut(let path, let line):
            "\(FileError.name(of: path, .read)) ends within a character, in line \(line): it is not whole; copy or send it "
                + "again"
        case .empty(let path):
            "\(FileError.name(of: path, .read)) is empty: its first row has to name the columns"
        case .header(let problem): "row 1, which names the columns, cannot be read: \(problem.description)"
        case .unknownColumn(let name):
            "\(name) (rename or remove that column; there are: "
                + RecordField.allCases.map(\.rawValue).joined(separator: ", ") + ")"
        case .repeatedColumn(let name): "the column \"\(name.shown)\" is there twice"
        case .missingColumns(let names): "row 1 has to name the columns; missing: \(names.joined(separator: ", "))"
        case .bothFormats:
            "Discogs' export has no column \"sku\", and our own CSV no \"listing_id\": rename \"sku\" to external_id, and "
                + "the file is Discogs'; or \"listing_id\" to discogs_listing, and it is our own"
        case .noCurrency:
            "the file does not say which currency its prices are in: say it with --currency, like --currency EUR"
        }
    }
}
