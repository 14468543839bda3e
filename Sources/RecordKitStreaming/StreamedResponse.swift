import Foundation
import RecordKit

/// A 2xx response whose body is read in chunks.
struct StreamedResponse: Sendable {
    /// The response without its body.
    let head: NetworkResponse
    let call: NetworkCall
    /// The length of the body in bytes, if it is known.
    let total: Int?
    private var body: (bytes: NetworkBytes, chunks: NetworkBytes.Iterator)?

    /// Takes the response that a client has opened.
    ///
    /// - Throws: The error that ended the call, or `NetworkError.status(_:)` if the status isn't 2xx.
    init(_ opening: NetworkOpening) throws(NetworkError) {
        switch opening {
        case .failure(let error, _): throw error
        case .response(let response, let call):
            if !response.isSuccess { throw .status(response) }
            let bytes = response.stream ?? NetworkBytes(response.body)
            self.call = call
            total = response.stream == nil ? response.body.count : try? response.announcedLength(for: call)
            body = (bytes, bytes.makeAsyncIterator())
            head = response.withoutBody
        }
    }

    /// The body, until it has been read.
    var bytes: NetworkBytes? { body?.bytes }

    /// Returns the next chunk, or `nil` at the end of the body.
    mutating func next() async throws(NetworkError) -> Data? {
        do throws(NetworkError) {
            let chunk = try await body?.chunks.next()
            if chunk == nil { body = nil }
            return chunk
        } catch {
            body = nil
            throw error
        }
    }

    /// Ends the reading with an error, and returns it.
    func failed(_ error: NetworkError) -> NetworkError {
        body?.bytes.cancel(error)
        return error
    }

    /// Returns the error for a body that can't be read as the elements of a sequence.
    func unreadable(as type: String, _ cause: any Error) -> NetworkError {
        // The content is a stream that has ended, so that the error doesn't say that the body is empty.
        var response = head
        response.content = .stream(NetworkBytes(Data()))
        return .decoding(NetworkError.DecodingFailure(type: type, response: response, cause: cause))
    }
}

extension NetworkOpening {
    /// The call that was sent. `nil` if it could not be made.
    var call: NetworkCall? {
        switch self {
        case .response(_, let call): call
        case .failure(_, let call): call
        }
    }
}

extension NetworkClient {
    /// Sends a request and returns its response as soon as the head has arrived, in a task that the lifetime cancels.
    func opened(
        _ request: some NetworkRequest, _ lifetime: StreamLifetime, _ configure: @escaping NetworkCall.Change
    ) async -> NetworkOpening {
        let opening = await lifetime.run { await open(OutgoingRequest(request, configure: configure)) }
        if case .response(let response, _) = opening { lifetime.setStream(response.stream) }
        return opening
    }
}

extension NetworkResponse {
    /// The response without its body.
    var withoutBody: NetworkResponse {
        var head = self
        head.body = Data()
        return head
    }
}

/// A parser of a body that arrives in chunks.
protocol ChunkParser: Sendable {
    associatedtype Element: Sendable

    /// Appends the elements that are complete with the next chunk.
    mutating func parse(_ chunk: Data, into elements: inout [Element]) throws(NetworkError)

    /// Appends the elements that the end of the body completes.
    mutating func finish(into elements: inout [Element]) throws(NetworkError)
}

/// The elements that a parser finds in the body of a response.
struct ParsedBody<Failure: NetworkFailure, Parser: ChunkParser>: ElementProducer {
    typealias Element = Parser.Element

    let open: @Sendable (StreamLifetime) async -> NetworkOpening
    let makeParser: @Sendable (StreamedResponse) throws(NetworkError) -> Parser
    private var body: StreamedResponse?
    private var parser: Parser?

    init(
        open: @escaping @Sendable (StreamLifetime) async -> NetworkOpening,
        makeParser: @escaping @Sendable (StreamedResponse) throws(NetworkError) -> Parser
    ) {
        self.open = open
        self.makeParser = makeParser
    }

    mutating func open(_ lifetime: StreamLifetime) async throws(Failure) -> NetworkResponse {
        do throws(NetworkError) {
            let body = try StreamedResponse(await open(lifetime))
            self.body = body
            do throws(NetworkError) {
                parser = try makeParser(body)
            } catch {
                throw body.failed(error)
            }
            return body.head
        } catch {
            throw Failure(error)
        }
    }

    mutating func next(_ lifetime: StreamLifetime) async -> ElementBatch<Element, Failure> {
        var elements: [Element] = []
        do throws(NetworkError) {
            while let chunk = try await body?.next() {
                try parser?.parse(chunk, into: &elements)
                if !elements.isEmpty { return ElementBatch(elements: elements) }
            }
            try parser?.finish(into: &elements)
            return ElementBatch(elements: elements, end: .success(()))
        } catch {
            return ElementBatch(elements: elements, end: .failure(Failure(body?.failed(error) ?? error)))
        }
    }
}
