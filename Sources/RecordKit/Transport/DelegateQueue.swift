#if canImport(FoundationNetworking)
import Dispatch
import Foundation

/// The queue of a session's callbacks, one after the other.
///
/// An operation is an object with a life of its own, and Linux's URLSession makes one for the head, each piece and the
/// end of every answer: a seventh of what a small request costs. A dispatch queue keeps the same order for a fraction.
final class DelegateQueue: OperationQueue, @unchecked Sendable {  // As its superclass; it adds a constant.
    private let queue = DispatchQueue(label: "RecordKit.session", qos: .userInitiated)

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        queue.async(execute: block)
    }
}
#endif
