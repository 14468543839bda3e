import Foundation

/// The name of a type, as messages have it.
enum TypeName {
    /// With its module. In that of a private type Swift writes an address, which differs from run to run.
    static func of(_ type: Any.Type) -> String {
        let parts = String(reflecting: type).components(separatedBy: "(unknown context at ")
        return parts[0] + parts.dropFirst().map { $0.drop { $0 != "." }.dropFirst() }.joined()
    }
}
