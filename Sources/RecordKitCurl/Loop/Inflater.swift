import CZlib

/// Decompresses gzip (RFC 1952) or deflate (RFC 1950, RFC 1951) as it arrives, by the system's zlib.
///
/// It isn't Sendable: only the thread of the event loop uses it.
final class Inflater {
    /// The reason why the data can't be decompressed.
    struct Fault: Error {
        let reason: String
    }

    enum Format: String {
        case gzip, deflate
    }

    private let format: Format
    // zlib keeps the address of the stream, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private var isReady = false
    /// Whether the end of the data, or of a member of gzip, was reached.
    private var hasEnded = false
    /// Whether zlib may hold more bytes, since the buffer was full.
    private var mayHoldMore = false

    init(_ format: Format) {
        self.format = format
        stream.initialize(to: z_stream())
    }

    deinit {
        if isReady { inflateEnd(stream) }
        stream.deallocate()
        buffer.deallocate()
    }

    /// Whether the data may end here. Data without a byte are complete, too: servers label empty bodies.
    var isComplete: Bool { hasEnded || !isReady }

    /// Decompresses the next bytes.
    ///
    /// - Parameters:
    ///   - input: The bytes that follow those taken before. They may be empty.
    ///   - write: Takes a part of the output. Returns false to stop after it.
    /// - Returns: The number of bytes taken, which is the count of `input` unless `write` stopped.
    func take(
        _ input: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) throws(Fault) -> Bool
    ) throws(Fault) -> Int {
        // zlib counts in 32 bits, and doesn't write to its input.
        let bytes = input.bindMemory(to: UInt8.self)
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.pointee.avail_in = UInt32(bytes.count)
        while stream.pointee.avail_in > 0 || mayHoldMore {
            if !isReady { try begin(with: bytes[0]) }
            if hasEnded, try !beginMember() { break }
            let space = buffer.bindMemory(to: UInt8.self)
            stream.pointee.next_out = space.baseAddress
            stream.pointee.avail_out = UInt32(space.count)
            let status = inflate(stream, Z_NO_FLUSH)
            // The last one only says that zlib needs more input.
            guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status) else { throw fault }
            hasEnded = status == Z_STREAM_END
            mayHoldMore = !hasEnded && stream.pointee.avail_out == 0
            let count = space.count - Int(stream.pointee.avail_out)
            if count > 0, try !write(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { break }
        }
        return bytes.count - Int(stream.pointee.avail_in)
    }

    private func begin(with first: UInt8) throws(Fault) {
        // 16 stands for gzip's header. Data of deflate often lack zlib's, which names the method 8 (RFC 1950 section
        // 2.2).
        let bits: Int32 =
            switch format {
            case .gzip: 15 + 16
            case .deflate: first & 15 == 8 ? 15 : -15
            }
        let status = inflateInit2_(stream, bits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        if status != Z_OK { throw Fault(reason: "zlib cannot decompress: status \(status)") }
        isReady = true
    }

    /// Skips zeros, and begins another member of gzip (RFC 1952 section 2.2). Returns false if there is none.
    private func beginMember() throws(Fault) -> Bool {
        while stream.pointee.avail_in > 0, let next = stream.pointee.next_in, next.pointee == 0 {
            stream.pointee.next_in = next + 1
            stream.pointee.avail_in -= 1
        }
        if stream.pointee.avail_in == 0 { return false }
        if format != .gzip { throw fault }
        inflateReset(stream)
        return true
    }

    private var fault: Fault { Fault(reason: "the body is not valid \(format.rawValue)") }
}
