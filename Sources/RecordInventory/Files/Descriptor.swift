import Foundation

/// An open file descriptor. Closes when it is released.
final class Descriptor {
    let number: Int32
    private let isOwned: Bool

    /// Borrows a descriptor, which stays open.
    init(borrowing number: Int32) {
        self.number = number
        isOwned = false
    }

    /// Opens a file. Returns `nil` if that fails; `errno` has the reason.
    init?(opening path: String, _ flags: Int32, mode: mode_t = 0) {
        var number: Int32
        repeat {
            number = open(path, flags | O_CLOEXEC, mode)
        } while number < 0 && errno == EINTR
        guard number >= 0 else { return nil }
        self.number = number
        isOwned = true
    }

    deinit {
        if isOwned { close(number) }
    }

    /// The size of a regular file, or `nil` for anything else.
    var fileSize: Int? {
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Waits for bytes or the end. Returns false if the task is cancelled meanwhile. Call it before `read`, which
    /// cannot be cancelled.
    func waitForBytes() -> Bool {
        while !Task.isCancelled {
            var wanted = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            let ready = poll(&wanted, 1, 100)
            if ready > 0 || (ready < 0 && errno != EINTR) { return true }
        }
        return false
    }

    /// Waits for bytes and appends at most `count` of them. Returns their number, 0 at the end, or `nil` if reading
    /// fails; `errno` has the reason.
    func read(_ count: Int, into bytes: inout [UInt8]) -> Int? {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: count))
        let number = number
        let received = bytes.withUnsafeMutableBytes { buffer in
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
            return Self.retrying(number, for: POLLIN) { Foundation.read(number, room.baseAddress, room.count) }
        }
        bytes.removeLast(count - (received ?? 0))
        return received
    }

    /// Writes all bytes. Returns false if that fails; `errno` has the reason.
    func write(_ bytes: [UInt8]) -> Bool {
        let number = number
        return bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let written = Self.retrying(number, for: POLLOUT) {
                    Foundation.write(number, part.baseAddress, part.count)
                }
                guard let written else { return false }
                rest = rest.dropFirst(written)
            }
            return true
        }
    }

    /// Repeats an operation after a signal, and after waiting if the descriptor is non-blocking.
    private static func retrying(_ number: Int32, for event: Int32, _ operation: () -> Int) -> Int? {
        while true {
            let result = operation()
            if result >= 0 { return result }
            guard errno == EINTR || errno == EAGAIN else { return nil }
            if errno == EAGAIN {
                var ready = pollfd(fd: number, events: Int16(event), revents: 0)
                poll(&ready, 1, -1)
            }
        }
    }
}
