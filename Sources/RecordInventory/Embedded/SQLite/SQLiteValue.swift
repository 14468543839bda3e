/// A value bound to a statement's parameter.
enum SQLiteValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    /// Text that is already UTF-8.
    case utf8([UInt8])
}
