import Foundation
import RecordKit
import Synchronization

/// A transport that sends one request a second, over all processes of this machine.
///
/// Each request takes the next free second from a file. A server that asks to wait moves that second for all of them.
/// A request that may not wait that long gets the server's 503 without being sent.
/// Without a file that can be used, the process keeps the pace alone.
final class SharedPace: NetworkTransport {
    private let transport: any NetworkTransport
    private let file: URL?
    /// The time in the file, for a process that can't use it.
    private let free = Mutex<Int64?>(nil)

    private static let interval: Int64 = 1_000
    /// A later time was written by a clock that was wrong.
    private static let longestWait: Int64 = 60_000

    /// - Parameters:
    ///   - transport: The transport that sends requests.
    ///   - file: Holds the milliseconds since 1970 from which the next request may be sent.
    init(transport: any NetworkTransport, file: URL?) {
        self.transport = transport
        self.file = file
    }

    var traits: TransportTraits { transport.traits }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        let now = Self.milliseconds(call.clock)
        let patience = [call.timeLeft, call.options.timeout].compactMap(\.self).min() ?? .seconds(Self.longestWait)
        let turn = takeTurn(now, within: Int64(patience / .milliseconds(1)))
        let wait = Duration.milliseconds(turn - now)
        if wait >= patience {
            let seconds = Int((wait / .seconds(1)).rounded(.up))
            return NetworkResponse(statusCode: 503, headers: ["Retry-After": "\(seconds)"], url: call.url)
        }
        if wait > .zero {
            do { try await call.clock.sleep(wait) } catch { throw .cancelled }
        }
        let response = try await transport.exchange(call)
        if [429, 503].contains(response.statusCode), let pause = response.headers["Retry-After"].flatMap({ Int64($0) })
        {
            _ = takeTurn(Self.milliseconds(call.clock), after: min(max(pause, 0), Self.longestWait / 1_000) * 1_000)
        }
        return response
    }

    /// Takes the next free time, and stores the one after it.
    ///
    /// - Parameters:
    ///   - limit: The time after which none is taken.
    ///   - pause: How long all processes have to wait from now on, in place of taking a time.
    private func takeTurn(_ now: Int64, within limit: Int64 = .max, after pause: Int64? = nil) -> Int64 {
        func turn(_ free: Int64?) -> (taken: Int64, next: Int64) {
            let taken = free.flatMap { (now...now + Self.longestWait).contains($0) ? $0 : nil } ?? now
            if taken - now >= limit { return (taken, taken) }
            return (taken, pause.map { max(taken, now + $0) } ?? taken + Self.interval)
        }
        let taken = file.flatMap { change($0) { turn($0) } }
        return taken
            ?? free.withLock { free in
                let (taken, next) = turn(free)
                free = next
                return taken
            }
    }

    /// Replaces the time in a file. Returns `nil` if the file cannot be used.
    private func change(_ file: URL, _ turn: (Int64?) -> (taken: Int64, next: Int64)) -> Int64? {
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
        let (taken, next) = turn(Int64(String(decoding: digits.prefix(max(count, 0)), as: UTF8.self)))
        let text = Array("\(next)".utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count else { return nil }
        return taken
    }

    private static func milliseconds(_ clock: NetworkClock) -> Int64 {
        Int64(clock.date().timeIntervalSince1970 * 1_000)
    }
}
