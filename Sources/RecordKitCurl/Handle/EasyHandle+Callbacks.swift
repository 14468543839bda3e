import CCurl
import Foundation
import RecordKit

extension EasyHandle {
    /// Sets the functions that libcurl calls for a transfer, which must live as long as the handle is in use.
    func setCallbacks(of transfer: CurlTransfer) {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        for option in [CURLOPT_PRIVATE, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA] {
            set(option, context)
        }
        ccurl_set_data_function(pointer, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return transferOf(context).receive(headerLine: line) ? line.count : 0
        }
        ccurl_set_data_function(pointer, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            transferOf(context).receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        ccurl_set_data_function(pointer, CURLOPT_READFUNCTION) { bytes, size, count, context in
            transferOf(context).send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        }
        ccurl_set_seek_function(pointer) { context, offset, origin in
            offset == 0 && origin == 0 && transferOf(context).rewind() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
        }
        if transfer.exchange.call.body?.hasTrailers == true {
            ccurl_set_trailer_function(
                pointer,
                { list, context in
                    list?.pointee = transferOf(context).trailerLines
                    return CURL_TRAILERFUNC_OK
                }, context)
        }
        if CurlLibrary.reportsSending {
            ccurl_set_prereq_function(
                pointer, { context, _, _, _, port in transferOf(context).willSend(from: port) ? 0 : 1 }, context)
            ccurl_set_sockopt_function(
                pointer,
                { context, socket, _ in
                    transferOf(context).opens(socket)
                    return CURL_SOCKOPT_OK
                }, context)
        } else if !transfer.exchange.call.method.isIdempotent {
            // Without the callback, a second sending isn't noticed. There is none on a new connection.
            set(CURLOPT_FRESH_CONNECT, 1)
        }
    }
}

private func transferOf(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
    // libcurl passes the pointer that was set with the function.
    Unmanaged<CurlTransfer>.fromOpaque(context!).takeUnretainedValue()
}

extension CurlTransfer {
    /// Returns the transfer of a handle.
    static func of(_ pointer: UnsafeMutableRawPointer) -> CurlTransfer? {
        var context: UnsafeMutableRawPointer?
        guard ccurl_get_pointer(pointer, CURLINFO_PRIVATE, &context) == CURLE_OK else { return nil }
        return context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }
}
