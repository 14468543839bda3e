import Foundation
import TestSupport

/// A reserved port of the loopback address, which refuses connections until it is opened.
final class ClosedPort: Sendable {
    private let port: LoopbackPort
    var number: Int { port.number }

    init() throws {
        port = try LoopbackPort()
    }

    deinit { close(port.descriptor) }

    func open() { listen(port.descriptor, 4) }
}
