public import Foundation
public import RecordKit

// The streams of `NetworkClient`, for requests of which a manager knows the type.

extension NetworkManager where Request.ErrorType: NetworkFailure {
    /// Returns the body of a response in chunks. See ``RecordKit/NetworkClient/chunks(for:configure:)``.
    public func chunks(
        for request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) -> NetworkSequence<Data, Request.ErrorType> {
        client.chunks(for: request, configure: configure)
    }

    /// Returns the lines of a response. See ``RecordKit/NetworkClient/lines(for:configure:)``.
    public func lines(
        for request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) -> NetworkSequence<String, Request.ErrorType> {
        client.lines(for: request, configure: configure)
    }

    /// Returns the server-sent events of a response. See ``RecordKit/NetworkClient/events(for:reconnect:configure:)``.
    public func events(
        for request: Request, reconnect: ReconnectPolicy = .standard,
        configure: @escaping NetworkCall.Change = { _ in }
    ) -> NetworkSequence<ServerSentEvent, Request.ErrorType> {
        client.events(for: request, reconnect: reconnect, configure: configure)
    }

    /// Returns the elements of a list. See ``RecordKit/NetworkClient/elements(for:at:format:configure:)``.
    public func elements(
        for request: Request, at path: String? = nil, format: ElementFormat? = nil,
        configure: @escaping NetworkCall.Change = { _ in }
    ) -> NetworkSequence<Request.ValueType.Element, Request.ErrorType>
    where Request.ValueType: Collection, Request.ValueType.Element: Decodable & Sendable {
        client.elements(for: request, at: path, format: format, configure: configure)
    }

    /// Downloads the body of a response to a file. See
    /// ``RecordKit/NetworkClient/download(_:to:resuming:checksum:onProgress:configure:)``.
    public func download(
        _ request: Request, to target: URL, resuming: Bool = true, checksum: FileChecksum? = nil,
        onProgress: (@Sendable (NetworkProgress) -> Void)? = nil,
        configure: @escaping NetworkCall.Change = { _ in }
    ) async throws(Request.ErrorType) -> DownloadedFile {
        try await client.download(
            request, to: target, resuming: resuming, checksum: checksum, onProgress: onProgress, configure: configure)
    }
}

extension NetworkManager where Request: PagedRequest {
    /// Returns the pages of a list. See ``RecordKit/NetworkClient/pages(for:from:options:configure:)``.
    public func pages(
        for request: Request, from start: NextPage<Request>? = nil, options: PagingOptions = PagingOptions(),
        configure: @escaping NetworkCall.Change = { _ in }
    ) -> NetworkSequence<NetworkPage<Request>, Request.ErrorType> {
        client.pages(for: request, from: start, options: options, configure: configure)
    }

    /// Returns the elements of all pages of a list. See ``RecordKit/NetworkClient/items(for:from:options:configure:)``.
    public func items(
        for request: Request, from start: NextPage<Request>? = nil, options: PagingOptions = PagingOptions(),
        configure: @escaping NetworkCall.Change = { _ in }
    ) -> NetworkSequence<Request.Item, Request.ErrorType> {
        client.items(for: request, from: start, options: options, configure: configure)
    }
}
