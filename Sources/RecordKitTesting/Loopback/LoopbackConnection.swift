import Foundation
import RecordKit

/// A connection of a server. Reads requests, and performs the steps of their responses, without blocking.
///
/// It is used only on the server's thread.
final class LoopbackConnection {
    /// What the connections of a server share.
    struct Service: Sendable {
        let bodies: BodyHandling
        let onHead: (@Sendable (LoopbackRequest) -> StubResponse?)?
        let onRequest: @Sendable (LoopbackRequest) throws -> StubResponse
        let journal: Journal<LoopbackEntries>
        let bell: LoopbackBell
    }

    private enum Pause {
        case until(ContinuousClock.Instant)
        case gate(ResponseGate, id: Int)
        case forever
    }

    private enum Sending {
        case done, blocked, ended
    }

    let socket: Socket
    let number: Int
    private let service: Service
    private var parser: RequestParser
    private var steps: ArraySlice<StubResponse.Step> = []
    private var unsent = Data()
    private var pause: Pause?
    private var isHead = false
    private var hasResponded = false
    private var isMalformed = false
    private var closesWhenDone = false
    private var peerHasClosed = false
    private var isDraining = false

    init(socket: Socket, number: Int, service: Service) {
        self.socket = socket
        self.number = number
        self.service = service
        parser = RequestParser(connection: number, bodies: service.bodies)
    }

    /// Whether to poll for reading.
    var wantsToRead: Bool { !peerHasClosed && (isDraining || parser.hasRoom) }
    /// Whether to poll for writing.
    var wantsToWrite: Bool { pause == nil && !isDraining && !(unsent.isEmpty && steps.isEmpty) }

    /// The end of a delay in the response.
    var deadline: ContinuousClock.Instant? {
        if case .until(let deadline) = pause { deadline } else { nil }
    }

    /// Reads the bytes that have arrived. Returns `false` if the connection has ended.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        switch socket.receive(into: buffer) {
        case .bytes(let count):
            if !isDraining { parser.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        case .later:
            break
        case .ended:
            if peerHasClosed || isDraining { return false }
            peerHasClosed = true
        }
        return true
    }

    /// Does everything that is possible without waiting. Returns `false` if the connection has ended.
    func advance(now: ContinuousClock.Instant) -> Bool {
        while !isDraining {
            switch send(now: now) {
            case .ended: return false
            // A client that closes the connection during a pause doesn't want the response anymore.
            case .blocked: return !(peerHasClosed && pause != nil)
            case .done: break
            }
            // Bytes after an invalid request aren't a request.
            if isMalformed, isDraining { return true }
            if closesWhenDone, !parser.isInsideBody { return false }
            do {
                guard let event = try parser.next() else { return !peerHasClosed }
                respond(to: event)
            } catch {
                isMalformed = true
                isHead = false
                steps =
                    StubResponse.text("This isn't an HTTP request: \(error.reason).\n", status: 400)
                    .then(.close).steps[...]
            }
        }
        return true
    }

    /// Closes the connection, and ends its wait for a gate.
    func end() {
        if case .gate(let gate, let id) = pause { gate.giveUp(id) }
        socket.release()
    }

    private func respond(to event: RequestParser.Event) {
        switch event {
        case .head(let request):
            if let response = service.onHead?(request) {
                hasResponded = true
                begin(response, to: request)
            } else if parser.awaitsBody, request.header("Expect", holds: "100-continue") {
                steps = [.head(100)]
            }
        case .request(let request):
            service.journal.note { $0.requests.append(request) }
            guard !hasResponded else {
                hasResponded = false
                return
            }
            do {
                begin(try service.onRequest(request), to: request)
            } catch {
                begin(.text("The handler threw: \(error)\n", status: 500), to: request)
            }
        }
    }

    private func begin(_ response: StubResponse, to request: LoopbackRequest) {
        steps = response.steps[...]
        isHead = request.method == .head
        closesWhenDone = request.endsConnection
    }

    /// Performs steps of the response as far as possible.
    private func send(now: ContinuousClock.Instant) -> Sending {
        var allowance = 1 << 20
        while true {
            switch pause {
            case .forever: return .blocked
            case .until(let deadline) where deadline > now: return .blocked
            case .gate(let gate, _) where !gate.isOpen: return .blocked
            case nil, .until, .gate: pause = nil
            }
            if !unsent.isEmpty {
                // A client that reads fast must not keep others waiting.
                guard allowance > 0 else { return .blocked }
                switch unsent.withUnsafeBytes(socket.transmit) {
                case .bytes(let count):
                    unsent = unsent.dropFirst(count)
                    allowance -= count
                case .later: return .blocked
                case .ended: return .ended
                }
                continue
            }
            guard let step = steps.popFirst() else { return .done }
            switch step.action {
            case .send(let bytes): unsent = bytes
            case .head(let bytes, let endsConnection):
                unsent = bytes
                closesWhenDone = closesWhenDone || endsConnection
            case .body(let bytes), .chunk(let bytes): unsent = isHead ? Data() : bytes
            case .delay(let duration): pause = .until(now + duration)
            case .wait(let gate): wait(at: gate)
            case .hold: pause = .forever
            case .reset:
                socket.resetWhenReleased()
                return .ended
            case .close:
                // Closing a connection with unread bytes would send RST, and the client might lose the response (RFC
                // 9112 section 9.6).
                guard parser.isInsideBody || isMalformed else { return .ended }
                socket.finishSending()
                isDraining = true
                return .done
            }
        }
    }

    private func wait(at gate: ResponseGate) {
        let id = gate.newID()
        pause = .gate(gate, id: id)
        gate.notify(id) { [bell = service.bell] _ in bell.ring() }
    }
}
