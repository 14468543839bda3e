import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionTask {
    /// Whether any of the body has been sent, on a connection that may be gone by now.
    var hasSentBody: Bool {
        #if canImport(FoundationNetworking)
        // Linux does not count what it sends from a stream.
        if let stream = originalRequest?.httpBodyStream as? PieceStream, stream.wasRead { return true }
        #endif
        return countOfBytesSent > 0
    }
}
