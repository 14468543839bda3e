import RecordKitJSON
import Foundation
import RecordKit

/// A response of Kinto: to a request, or to a part of a batch.
struct KintoResponse: Sendable {
    let status: Int
    let body: JSONView
    private let wholeHeaders: HTTPHeaders
    private let part: JSONView?

    /// Reads a response. Throws if it is not JSON.
    init(_ response: NetworkResponse) throws {
        status = response.statusCode
        body = try JSONView(stored: response.body)
        wholeHeaders = response.headers
        part = nil
    }

    /// Reads a part of the response to a batch.
    fileprivate init(part: JSONView) throws {
        status = try part.value("status")
        // Without a body it has no data either.
        body = part.last("body") ?? part
        wholeHeaders = [:]
        self.part = part
    }

    /// The header fields. Those of a part are read when they are needed, since few are.
    var headers: HTTPHeaders {
        guard let part else { return wholeHeaders }
        return HTTPHeaders(
            (part.last("headers")?.members ?? []).compactMap { field in
                field.value.string.map { HTTPHeaders.Field(name: field.name, value: $0) }
            })
    }

    var isSuccess: Bool { 200..<300 ~= status }

    /// Reads the member `data`, in which Kinto wraps what it returns.
    func data<Value: JSONReadable>(as type: Value.Type = Value.self) throws -> Value {
        try body.value("data")
    }

    /// The query of the next page of a list. Takes only the query of the URL, so that credentials are never sent to
    /// another server.
    var nextQuery: RequestQuery? {
        guard let url = headers["Next-Page"], let mark = url.firstIndex(of: "?") else { return nil }
        // Kinto encodes a space as a plus sign, as in forms, and a plus sign as `%2B`.
        return RequestQuery(parsing: String(url[mark...].dropFirst()))
    }

    /// Why the request failed.
    ///
    /// - Parameter url: The URL of the batch.
    func failure(_ url: URL) -> InventoryError {
        InventoryError(statusCode: status, KintoProblem(body), retryAfter: headers["Retry-After"])
            ?? .network(.status(NetworkResponse(statusCode: status, headers: headers, url: url)))
    }
}

/// A value that is read from a response of Kinto.
protocol KintoReadable: Sendable {
    init(_ response: KintoResponse) throws
}

extension KintoReadable where Self: JSONReadable {
    /// Reads the object that Kinto wraps.
    init(_ response: KintoResponse) throws { self = try response.data() }
}

extension KintoResponse: KintoReadable {
    init(_ response: KintoResponse) { self = response }
}

/// The responses to the requests of a batch.
struct BatchResults: Sendable {
    let responses: [KintoResponse]
    private let whole: NetworkResponse

    /// Throws if there are not as many responses as requests.
    init(_ response: NetworkResponse, count: Int) throws {
        let parts: [JSONView] = try JSONView(stored: response.body).value("responses")
        guard parts.count == count else {
            throw JSONFault.invalid("\(parts.count) responses to \(count) requests").within("responses")
        }
        responses = try parts.map { try KintoResponse(part: $0) }
        whole = NetworkResponse(statusCode: response.statusCode, headers: response.headers, url: response.url)
    }

    var url: URL { whole.url }

    /// Reads the value of a request, as if its response had come alone.
    func result<Request: InventoryEndpoint>(
        of request: Request, at index: Int
    ) -> Result<Request.ValueType, InventoryError> where Request.ValueType: KintoReadable {
        let response = responses[index]
        guard response.isSuccess else { return .failure(response.failure(url)) }
        return request.accept(whole) { _ in try Request.ValueType(response) }
    }
}
