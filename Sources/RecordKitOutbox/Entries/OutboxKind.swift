import Foundation
public import RecordKit

/// A type of request that an ``Outbox`` sends, with the name under which it is stored, and the handler of its results.
///
/// ```swift
/// OutboxKind("sale", PostSale.self) { reply in
///     switch reply.result {
///     case .success(let receipt):
///         try await book.settle(reply.entry.key, receipt.number)
///     case .failure(let error):
///         try await book.flag(reply.entry.key, error)
///     }
/// }
/// ```
public struct OutboxKind: Sendable {
    /// The name under which requests are stored.
    public let name: String
    /// The names under which requests may be stored.
    let names: [String]
    let type: ObjectIdentifier
    /// Reads a stored request.
    let job: @Sendable (Data, EntryFolder) throws -> any OutboxJob

    /// Creates a kind.
    ///
    /// - Parameters:
    ///   - name: The name under which requests are stored. Never change it without adding the old one to `formerNames`.
    ///   - formerNames: Names under which earlier versions of the app have stored these requests.
    ///   - type: The type of the requests. Its `Codable` form is a file format: new properties are optional. A type
    ///     that changes otherwise gets a kind of its own, and the old one stays until its last entry is sent.
    ///   - tryAgain: Returns whether the domain reads a response as "try again later", such as in the body of a 200.
    ///     Gets the result and the response. The entry then waits as after a failure. Default: it never does.
    ///   - handle: Handles a result. It is called until it returns without an error, so it may be called more than once
    ///     with the same `reply.entry.key`: store the key with the effect, or make the effect repeatable. If it throws,
    ///     it is called again after a wait, and the request isn't sent again. After five times, or ten if the process
    ///     ended in it, the entry is set aside.
    public init<Request: NetworkRequest & Codable>(
        _ name: String, formerNames: [String] = [], _ type: Request.Type,
        tryAgain: @escaping @Sendable (Request.ResultType, NetworkResponse) -> Bool = { _, _ in false },
        handle: @escaping @Sendable (OutboxReply<Request>) async throws -> Void
    ) {
        self.name = name
        names = [name] + formerNames
        self.type = ObjectIdentifier(type)
        job = { data, folder in
            TypedJob(
                request: try RequestCoding.request(type, from: data, in: folder), tryAgain: tryAgain, handler: handle)
        }
    }
}

/// The result of a request, as the handler of its kind gets it.
public struct OutboxReply<Request: NetworkRequest>: Sendable {
    /// The entry. Its key is the same each time.
    public let entry: OutboxEntry
    /// The request, as it was added.
    public let request: Request
    /// The value or the error.
    ///
    /// The error is made from a `NetworkError`. For an outbox, three of them have a meaning of their own:
    /// - `timedOut` with the limit `deadline`: the request wasn't sent before its expiry.
    /// - `cancelled`: the request may be sent only once, and whether the server has received it is unknown.
    /// - `file`: the server has responded, and the response could not be kept.
    public let result: Request.ResultType
    /// The response, or `nil` if there was none. It has only header fields that are safe to store, such as
    /// `Content-Type`, `Date`, `ETag` and `Location`.
    public let response: NetworkResponse?
}

/// How requests are stored: as JSON, with the names of their attachments.
enum RequestCoding {
    static func data(_ request: some Encodable, in folder: EntryFolder) throws -> Data {
        let encoder = JSONEncoder()
        encoder.userInfo[EntryFolder.codingKey] = folder
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try encoder.encode(request)
    }

    static func request<Request: Decodable>(
        _ type: Request.Type, from data: Data, in folder: EntryFolder
    ) throws -> Request {
        let decoder = JSONDecoder()
        decoder.userInfo[EntryFolder.codingKey] = folder
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(type, from: data)
    }
}
