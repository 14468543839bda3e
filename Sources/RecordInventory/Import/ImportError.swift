import RecordKitSQLite

/// Why a file cannot be imported at all. Errors in rows are ``RowError``.
enum ImportError: Error, Equatable, CustomStringConvertible {
    /// The file could not be read.
    case unreadable(FileError)
    /// The file is not UTF-8. The line is the first that shows it.
    case encoding(path: String, EncodingGuess, line: Int)
    /// The file is no text at all. Holds what it is.
    case kind(path: String, String)
    /// The file is not text in the encoding that was given.
    case notInEncoding(path: String, name: String)
    /// The file is UTF-8 that ends within a character.
    case cut(path: String, line: Int)
    /// The file has no header.
    case empty(path: String)
    /// The header is malformed.
    case header(CSVRow.Problem)
    /// Columns match no field, or required ones are missing.
    case columns(ColumnMismatch)
    /// The file lacks columns of the map, or the map lacks fields.
    case map(String)
    /// Two columns match the same field.
    case repeatedColumn(String)
    /// Required columns are missing.
    case missingColumns([String])
    /// The header has the SKUs of our own CSV and the listings of Discogs. One of them would be lost.
    case bothFormats
    /// Neither the file nor the caller gives a currency.
    case noCurrency
    /// The SKUs of the file could not be kept in a temporary file.
    case temporaryFile(SQLiteError)

    var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .encoding(let path, let guess, let line):
            "\(FileError.name(of: path, .read)) is not UTF-8: line \(line) looks like \(guess.rawValue); "
                + (guess.name.map { "give --encoding \($0), or " } ?? "")
                + "save or send it as CSV in UTF-8 and import it again"
        case .kind(let path, let kind):
            "\(FileError.name(of: path, .read)) is \(kind), and import reads CSV: open it in its program, and save or "
                + "export it as CSV in UTF-8"
        case .notInEncoding(let path, let name):
            "\(FileError.name(of: path, .read)) is not text in the encoding \(name): give another --encoding, or save "
                + "or send the file as CSV in UTF-8"
        case .cut(let path, let line):
            "\(FileError.name(of: path, .read)) ends within a character, in line \(line): it is incomplete; copy or "
                + "send it again"
        case .empty(let path):
            "\(FileError.name(of: path, .read)) is empty: its first row has to name the columns"
        case .header(let problem): "row 1, which names the columns, cannot be read: \(problem.description)"
        case .columns(let mismatch): mismatch.description
        case .map(let reason): reason
        case .repeatedColumn(let name): "the column \"\(name.shown)\" is there twice"
        case .missingColumns(let names): "row 1 has to name the columns; missing: \(names.joined(separator: ", "))"
        case .bothFormats:
            "Discogs' export has no column \"sku\", and our own CSV no \"listing_id\": rename \"sku\" to external_id, "
                + "and the file is Discogs'; or \"listing_id\" to discogs_listing, and it is our own"
        case .noCurrency:
            "the file does not name the currency of its prices: give it with --currency, such as --currency EUR"
        case .temporaryFile(let error):
            "the SKUs of the file cannot be kept in a temporary file (\(error.message)): make room in the folder for "
                + "temporary files, and import the file again"
        }
    }
}
