import Dispatch
import Foundation
import Synchronization

/// The thread that runs a server's loop, and the way to wait for its end.
final class LoopbackThread: Sendable {
    private let end = DispatchGroup()
    private let identity = Mutex<ObjectIdentifier?>(nil)

    init(_ loop: LoopbackLoop) {
        end.enter()
        Thread.detachNewThread { [self] in
            identity.withLock { $0 = ObjectIdentifier(Thread.current) }
            loop.run()
            identity.withLock { $0 = nil }
            end.leave()
        }
    }

    /// Returns when the loop has ended or the time is over; at once on the loop's own thread.
    func waitUntilOver(within limit: DispatchTimeInterval) {
        let own = ObjectIdentifier(Thread.current)
        guard identity.withLock({ $0 }) != own else { return }
        _ = end.wait(timeout: .now() + limit)
    }
}
