/// Whose file it is.
enum ImportFormat: String, CaseIterable, Sendable {
    /// Discogs' inventory export.
    case discogs
    /// Our own, with a column for each field.
    case csv

    /// Guesses from the names of the columns. Discogs has no column for a SKU that is called so.
    init(columns: [String]) {
        self = columns.contains("listing_id") && !columns.contains("sku") ? .discogs : .csv
    }
}
