import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Passes every request of a session to the server of its class.
class StubURLProtocol: URLProtocol {
    private var delivery: StubDelivery?

    override class func canInit(with request: URLRequest) -> Bool {
        true
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        request
    }

    // This must not block: on Linux, all sessions of the process share this queue. There it is called again when a
    // response is ready, and when a suspended task is resumed.
    override func startLoading() {
        if let delivery, !delivery.isStopped { return delivery.deliver() }
        guard let client else { return }
        guard let server = StubRegistry.server(of: type(of: self)) else {
            return client.urlProtocol(self, didFailWithError: StubError.stubIsGone)
        }
        let delivery = StubDelivery(self, client, clock: server.clock)
        self.delivery = delivery
        server.respond(to: request, through: delivery)
    }

    // On Linux, this is called when the task is cancelled, but not when it is complete.
    override func stopLoading() {
        delivery?.stop()
    }
}

/// The existing servers, and the URLProtocol class of each.
///
/// URLSession creates the protocol objects itself, and only their class leads from a configuration to them: on Linux
/// they don't see `httpAdditionalHeaders`. So every server has its own class, and this table finds the server of a
/// class. It is the only thing that servers share.
enum StubRegistry {
    private struct Servers {
        var count = 0
        var live: [ObjectIdentifier: Entry] = [:]
    }

    private struct Entry {
        weak var server: StubServer?
    }

    private static let servers = Mutex(Servers())

    /// Creates a new class.
    static func makeClass() -> StubURLProtocol.Type {
        let number = servers.withLock { servers in
            servers.count += 1
            return servers.count
        }
        return makeClass(number, End.self)
    }

    static func add(_ server: StubServer, _ type: StubURLProtocol.Type) {
        servers.withLock { $0.live[ObjectIdentifier(type)] = Entry(server: server) }
    }

    static func remove(_ type: StubURLProtocol.Type) {
        servers.withLock { $0.live[ObjectIdentifier(type)] = nil }
    }

    static func server(of type: StubURLProtocol.Type) -> StubServer? {
        servers.withLock { $0.live[ObjectIdentifier(type)]?.server }
    }

    // The binary digits of a number, written as a type, make a class of a generic one.
    private enum End {}
    private enum Zero<Digits> {}
    private enum One<Digits> {}
    private final class Numbered<Digits>: StubURLProtocol {}

    private static func makeClass<Digits>(_ number: Int, _: Digits.Type) -> StubURLProtocol.Type {
        if number == 0 { return Numbered<Digits>.self }
        if number % 2 == 0 { return makeClass(number / 2, Zero<Digits>.self) }
        return makeClass(number / 2, One<Digits>.self)
    }
}
