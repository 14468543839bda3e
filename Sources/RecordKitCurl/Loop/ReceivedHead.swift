import Foundation
import RecordKit

/// The response of a transfer as far as it has arrived: its head, its trailers, and how much of its body.
struct ReceivedHead {
    private var reader: HeadReader
    private var response: NetworkResponse?
    /// The length of the body as it is delivered, if the head says it.
    private(set) var announced: Int?
    /// The number of bytes of the body that were taken from libcurl.
    private var taken = 0
    /// Whether the head is that of a redirect, whose body isn't waited for.
    private(set) var isRedirect = false
    /// Whether the status is 2xx.
    private(set) var isSuccess = false
    /// Whether a response has begun to arrive over HTTP/2.
    private(set) var isOverHTTP2 = false

    /// Begins before the first line.
    ///
    /// - Parameter limit: The limit on the bytes of heads and trailers.
    init(limit: Int) {
        reader = HeadReader(limit: limit)
    }

    var isComplete: Bool { response != nil }

    /// Handles a line of a head, or of the trailers. After the last line of a head comes ``complete(_:for:)``.
    ///
    /// - Parameters:
    ///   - line: The bytes of the line.
    ///   - status: Returns the status of the head. Called for its last line.
    mutating func receive(_ line: UnsafeRawBufferPointer, status: () -> Int) -> HeadReader.Progress {
        if line.first == UInt8(ascii: "H"), line.starts(with: "HTTP/2".utf8) { isOverHTTP2 = true }
        return reader.add(line, status: status)
    }

    /// Completes the head, and returns the response, whose body is to come.
    mutating func complete(_ status: Int, for call: NetworkCall) throws(NetworkError) -> NetworkResponse {
        let response = NetworkResponse(statusCode: status, headers: HTTPHeaders(reader.fields), url: call.url)
        announced = try response.announcedLength(for: call)
        (isSuccess, isRedirect) = (response.isSuccess, response.isRedirect(for: call))
        self.response = response
        return response
    }

    /// Notes bytes of the body that were taken from libcurl.
    mutating func tookBody(_ count: Int) {
        taken += count
    }

    /// Returns whether the response has arrived, with all bytes of a body of known length.
    func hasWholeBody(for call: NetworkCall) -> Bool {
        guard let response, let length = try? response.contentLength(for: call) else { return false }
        return taken == length
    }

    /// Returns whether the response is complete, although libcurl ended with an error.
    ///
    /// An HTTP/2 server may reset the stream after its response, if it doesn't need the rest of the request (RFC 9113
    /// section 8.1). libcurl (7.88.1) then fails to send that rest.
    func isWhole(for call: NetworkCall) -> Bool { isRedirect || isOverHTTP2 && hasWholeBody(for: call) }

    /// The fields after the body.
    var trailers: HTTPHeaders { HTTPHeaders(reader.trailers) }

    /// Returns the response with a body, or `nil` if its head isn't complete.
    func delivered(_ content: NetworkResponse.Content) -> NetworkResponse? {
        guard var response else { return nil }
        response.content = content
        if case .data = content, !isRedirect { response.trailers = trailers }
        return response
    }
}
