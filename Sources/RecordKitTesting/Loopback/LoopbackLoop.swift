import Dispatch
import Foundation
import Synchronization

/// The loop of a server: waits for all its descriptors at once with poll(2), and serves those that are ready.
struct LoopbackLoop: Sendable {
    let listener: Socket
    /// The reading end of the bell's pipe.
    let ringing: Socket
    let service: LoopbackConnection.Service

    /// Serves connections until the server is stopped. Closes all descriptors at the end.
    func run() {
        var connections: [LoopbackConnection] = []
        var acceptsAgain: ContinuousClock.Instant?
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
        defer {
            listener.release()
            connections.forEach { $0.end() }
            let numbers = connections.map(\.number)
            service.journal.note { $0.endedConnections.formUnion(numbers) }
            buffer.deallocate()
            // The writing end is closed first, because writing into a pipe without a reader raises SIGPIPE.
            service.bell.close()
            ringing.release()
            service.journal.finish()
        }
        var accepted = 0
        while !service.bell.isStopped {
            let events = wait(for: connections, acceptsAgain: acceptsAgain)
            if events[0] != 0 { _ = ringing.receive(into: buffer) }
            let now = ContinuousClock.now
            var open: [LoopbackConnection] = []
            for (connection, event) in zip(connections, events.dropFirst(2)) {
                let isAlive = (event == 0 || event == Int16(POLLOUT) || connection.receive(into: buffer))
                if isAlive, connection.advance(now: now) {
                    open.append(connection)
                } else {
                    connection.end()
                    service.journal.note { $0.endedConnections.insert(connection.number) }
                }
            }
            connections = open
            acceptsAgain = nil
            if events[1] != 0 {
                do {
                    while let socket = try listener.accepted() {
                        connections.append(LoopbackConnection(socket: socket, number: accepted, service: service))
                        accepted += 1
                        service.journal.note { $0.connectionCount += 1 }
                    }
                } catch {
                    // There is no descriptor left. The client waits in the backlog.
                    acceptsAgain = now + .milliseconds(20)
                }
            }
        }
    }

    /// Waits for an event. Returns the events of the bell, the listener and the connections, in this order.
    private func wait(for connections: [LoopbackConnection], acceptsAgain: ContinuousClock.Instant?) -> [Int16] {
        let accepting = acceptsAgain == nil ? Int16(POLLIN) : 0
        var polled = [
            pollfd(fd: ringing.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: listener.descriptor, events: accepting, revents: 0),
        ]
        var deadline = acceptsAgain
        for connection in connections {
            let reading = connection.wantsToRead ? Int16(POLLIN) : 0
            let writing = connection.wantsToWrite ? Int16(POLLOUT) : 0
            polled.append(pollfd(fd: connection.socket.descriptor, events: reading | writing, revents: 0))
            if let due = connection.deadline { deadline = min(due, deadline ?? due) }
        }
        let ready = poll(&polled, nfds_t(polled.count), timeout(until: deadline))
        return polled.map { ready > 0 ? $0.revents : 0 }
    }

    /// Returns milliseconds, rounded up so that poll(2) doesn't return too early, or -1 without a deadline.
    private func timeout(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let left = max(.zero, deadline - .now) / .milliseconds(1)
        return Int32(min(left.rounded(.up), 86_400_000))
    }
}

/// The thread of a server's loop.
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

    /// Waits until the loop has ended, or the limit is reached. Returns at once on the loop's own thread.
    func waitUntilOver(within limit: DispatchTimeInterval) {
        let own = ObjectIdentifier(Thread.current)
        guard identity.withLock({ $0 }) != own else { return }
        _ = end.wait(timeout: .now() + limit)
    }
}

/// Wakes a server's thread from poll(2), and stops it: the writing end of a pipe.
final class LoopbackBell: Sendable {
    private struct State {
        /// The writing end, or `nil` after it was closed. Its number may belong to another file then.
        var writer: Socket?
        var isStopped = false
    }

    private let state: Mutex<State>

    init(_ writer: Socket) {
        state = Mutex(State(writer: writer))
    }

    var isStopped: Bool {
        state.withLock { $0.isStopped }
    }

    func ring() {
        state.withLock { $0.writer?.signal() }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.writer?.signal()
        }
    }

    func close() {
        state.withLock { state in
            state.writer?.release()
            state.writer = nil
        }
    }
}
