import CZlib
import Foundation

/// A compressor in gzip's format (RFC 1952), by the system's zlib.
final class Deflater {
    /// How much of the input must be in the output.
    enum Flush {
        /// Any part of it.
        case none
        /// All of it, so that the server can read what was written.
        case flush
        /// All of it, and the end of the stream.
        case finish

        fileprivate var code: Int32 {
            switch self {
            case .none: Z_NO_FLUSH
            case .flush: Z_SYNC_FLUSH
            case .finish: Z_FINISH
            }
        }
    }

    // zlib keeps the address of the stream, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    init() {
        stream.initialize(to: z_stream())
        // 15 bits of window, and 16 for gzip's header. It fails only if there is no memory, or with another zlib.
        let status = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib cannot compress: status \(status)")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Returns the compressed bytes that are complete with the input.
    func compress(_ input: Data, _ flush: Flush) -> Data {
        var output = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        // zlib counts in 32 bits.
        var rest = input[...]
        repeat {
            let part = rest.prefix(1 << 30)
            rest = rest.dropFirst(part.count)
            part.withUnsafeBytes { bytes in
                // zlib doesn't write to its input.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
                stream.pointee.avail_in = UInt32(bytes.count)
                repeat {
                    let count = buffer.withUnsafeMutableBufferPointer { space in
                        stream.pointee.next_out = space.baseAddress
                        stream.pointee.avail_out = UInt32(space.count)
                        _ = deflate(stream, rest.isEmpty ? flush.code : Z_NO_FLUSH)
                        return space.count - Int(stream.pointee.avail_out)
                    }
                    output.append(contentsOf: buffer[..<count])
                } while stream.pointee.avail_out == 0
            }
        } while !rest.isEmpty
        return output
    }

    /// Returns a gzip file with the data.
    static func gzip(_ data: Data) -> Data {
        Deflater().compress(data, .finish)
    }
}
