import Foundation
import RecordKit

/// A transport that sends one request a second, over all processes of this machine.
///
/// Each request takes the next free second from a file. A server that asks to wait moves that second for all of them.
struct SharedPace: NetworkTransport {
    let transport: any NetworkTransport
    /// Holds the milliseconds since 1970 from which the next request may be sent.
    let file: URL

    private static let interval: Int64 = 1_000
    /// A later time was written by a clock that was wrong.
    private static let longestWait: Int64 = 60_000

    var traits: TransportTraits { transport.traits }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        let now = Self.milliseconds(call.clock)
        if let turn = takeTurn(now), turn > now {
            do { try await call.clock.sleep(.milliseconds(turn - now)) } catch { throw .cancelled }
        }
        let response = try await transport.exchange(call)
        if [429, 503].contains(response.statusCode), let pause = response.headers["Retry-After"].flatMap({ Int64($0) })
        {
            _ = takeTurn(Self.milliseconds(call.clock), after: min(max(pause, 0), Self.longestWait / 1_000) * 1_000)
        }
        return response
    }

    /// Takes the next free time, and writes the one after it. Returns `nil` if the file cannot be used: then the process
    /// keeps the rate alone.
    ///
    /// - Parameter pause: How long all processes have to wait from now on, in place of taking a time.
    private func takeTurn(_ now: Int64, after pause: Int64? = nil) -> Int64? {
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let descriptor = open(file.path(percentEncoded: false), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        // Ends the lock too.
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else { return nil }
        var digits = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &digits, digits.count, 0)
        let free = Int64(String(decoding: digits.prefix(max(count, 0)), as: UTF8.self)) ?? now
        let turn = (now...now + Self.longestWait).contains(free) ? free : now
        let next = pause.map { max(turn, now + $0) } ?? turn + Self.interval
        let text = Array("\(next)".utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count else { return nil }
        return turn
    }

    private static func milliseconds(_ clock: NetworkClock) -> Int64 {
        Int64(clock.date().timeIntervalSince1970 * 1_000)
    }
}
