import Foundation
import RecordKit

/// Whether two errors are of the same case.
enum SameCase {
    static func holds<Failure: Error>(_ one: Failure, _ other: Failure) -> Bool {
        let labels = (label(one), label(other))
        // Only a case that carries something has a label.
        if labels.0 != nil || labels.1 != nil { return labels.0 == labels.1 }
        // As an error it would pass for an NSError, which is.
        let value: Any = one
        if let one = value as? any Equatable { return equal(one, other) }
        // Two cases may describe themselves alike; the code of an enum tells which it is.
        return "\(one)" == "\(other)" && one._code == other._code
    }

    /// Returns the name of the case, such as `InventoryError.notFound`, without what it carries.
    static func name(_ value: any Sendable) -> String {
        NetworkCall(url: URL(filePath: "/"), request: value).name
    }

    private static func label(_ error: any Error) -> String? {
        let mirror = Mirror(reflecting: error)
        return mirror.displayStyle == .enum ? mirror.children.first?.label : nil
    }

    private static func equal<Value: Equatable>(_ one: Value, _ other: Any) -> Bool {
        one == other as? Value
    }
}
