import Foundation
import Synchronization

/// A 2xx response whose body is read in chunks.
struct StreamedResponse: Sendable {
    /// The response without its body.
    let head: NetworkResponse
    private var chunks: NetworkBytes.Iterator?
    /// The body, if the transport or an interceptor returned it as data.
    private var data: Data?
    private var count = 0
    /// The length of the body in bytes, if it is known.
    let total: Int?
    private let reading: BodyReading

    init(_ response: NetworkResponse, of call: NetworkCall) {
        reading = BodyReading(of: call)
        total = response.stream == nil ? response.body.count : try? response.announcedLength(for: call)
        switch response.content {
        case .data(let body): data = body
        case .stream(let bytes): chunks = bytes.makeAsyncIterator()
        }
        var head = response
        head.body = Data()
        self.head = head
    }

    var call: NetworkCall { reading.call }

    /// Returns the next chunk, or `nil` at the end of the body.
    mutating func next() async throws(NetworkError) -> Data? {
        do throws(NetworkError) {
            let chunk = try await chunks?.next() ?? data.take()
            if let chunk {
                count += chunk.count
                call.report(.receiving, bytes: count, of: total)
            } else {
                chunks = nil
                call.report(.receiving, bytes: count, of: count)
                reading.end()
            }
            return chunk?.isEmpty == true ? try await next() : chunk
        } catch {
            chunks = nil
            throw reading.end(error)
        }
    }

    /// Reports an error that ends the reading, unless the end has been reported, and returns it.
    func failed(_ error: NetworkError) -> NetworkError { reading.end(error) }

    /// Returns the error for a body that can't be read as the elements of a sequence.
    func unreadable(as type: String, _ cause: any Error) -> NetworkError {
        // The content is a stream that has ended, so that the error doesn't say that the body is empty.
        var response = head
        let (ended, writer) = NetworkBytes.makeStream {}
        writer.finish()
        response.content = .stream(ended)
        return .decoding(NetworkError.DecodingFailure(type: type, response: response, cause: cause))
    }
}

/// The reading of a body. Reports its end once: as cancelled if it is released before.
private final class BodyReading: Sendable {
    let call: NetworkCall
    private let start: Duration
    private let hasEnded = Atomic(false)

    init(of call: NetworkCall) {
        self.call = call
        start = call.clock.now()
    }

    deinit {
        _ = end(.cancelled)
    }

    func end() {
        hasEnded.store(true, ordering: .relaxed)
        call.report(.read, since: start)
    }

    func end(_ error: NetworkError) -> NetworkError {
        hasEnded.exchange(true, ordering: .relaxed) ? error : call.readFailed(error, since: start)
    }
}

extension NetworkConfiguration {
    /// Sends a request and returns its response as soon as the head has arrived.
    ///
    /// - Parameters:
    ///   - type: The media type that the response must have. `nil` for any type.
    /// - Throws: ``NetworkError/status(_:)`` with the collected body if the status isn't 2xx.
    func open<Request: NetworkRequest>(
        _ request: Request, accepting type: String? = nil, _ lifetime: StreamLifetime,
        _ configure: (inout NetworkCall) -> Void
    ) async throws(NetworkError) -> StreamedResponse {
        var call = try builtCall(for: request, accepting: type)
        call.delivery = .streamed
        configure(&call)
        let start = call.clock.now()
        do throws(NetworkError) {
            let response = try await outcome(of: call, lifetime.begin).get()
            if !response.isSuccess { throw .status(response) }
            return StreamedResponse(response, of: call)
        } catch {
            throw call.readFailed(error, since: start)
        }
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
struct ParsedBody<Request: NetworkRequest, Parser: ChunkParser>: ElementProducer
where Request.ErrorType: NetworkFailure {
    typealias Element = Parser.Element
    typealias Failure = Request.ErrorType

    let open: @Sendable (StreamLifetime) async throws(NetworkError) -> StreamedResponse
    let makeParser: @Sendable (StreamedResponse) throws(NetworkError) -> Parser
    private var body: StreamedResponse?
    private var parser: Parser?

    init(
        open: @escaping @Sendable (StreamLifetime) async throws(NetworkError) -> StreamedResponse,
        makeParser: @escaping @Sendable (StreamedResponse) throws(NetworkError) -> Parser
    ) {
        self.open = open
        self.makeParser = makeParser
    }

    mutating func open(_ lifetime: StreamLifetime) async throws(Failure) -> NetworkResponse {
        do throws(NetworkError) {
            let body = try await open(lifetime)
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
