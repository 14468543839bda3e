import Foundation
public import RecordKit

/// An interceptor that compresses request bodies with gzip (RFC 9110 section 8.4.1.3).
///
/// ```swift
/// configuration.interceptors = [RetryInterceptor(), CompressionInterceptor()]
/// ```
///
/// Add it only for servers that accept compressed requests. Most don't, and refuse them with 400 or 415. To compress
/// the bodies of some requests only, set `isOnByDefault` to `false`, and ``RecordKit/RequestOptions/compressesBody`` in
/// those requests.
///
/// Bodies in memory stay there. Files and streams are compressed into a temporary file before they are sent, so that
/// they need little memory and have a length. A live stream is compressed while it is made.
///
/// These bodies are sent unchanged:
/// - Bodies that are shorter than the threshold.
/// - Bodies in memory that don't become smaller.
/// - Bodies of media types that are compressed already, such as images, audio, video and archives.
/// - Bodies of a request with a `Content-Encoding`.
///
/// `Content-Digest` is the digest of the compressed body (RFC 9530 section 2). So a call that has this field already
/// ends with `NetworkError.interceptor(_:)`.
public struct CompressionInterceptor: NetworkInterceptor {
    private let threshold: Int
    private let isOnByDefault: Bool

    /// Creates an interceptor. Put it after those that retry, so that each attempt is compressed again.
    ///
    /// - Parameters:
    ///   - threshold: The length in bytes from which bodies are compressed.
    ///   - isOnByDefault: Whether it compresses the bodies of requests that don't set
    ///     ``RecordKit/RequestOptions/compressesBody``.
    public init(threshold: Int = 1024, isOnByDefault: Bool = true) {
        self.threshold = threshold
        self.isOnByDefault = isOnByDefault
    }

    /// Compresses the body of the call, if it is to be compressed, and sends the call.
    public func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        guard let body = call.body, call.options.compressesBody ?? isOnByDefault,
            !call.headers.contains("Content-Encoding"), body.length ?? threshold >= threshold,
            !Self.isCompressed(call.headers["Content-Type"] ?? body.contentType)
        else { return try await next(call) }
        if call.headers.contains("Content-Digest") {
            throw .interceptor(
                NetworkError.InterceptorFailure(
                    interceptor: "CompressionInterceptor",
                    reason: "the call has the Content-Digest of the body before it is compressed; place "
                        + "CompressionInterceptor before the interceptor that sets this field",
                    mayHaveReachedServer: false))
        }
        var compressed = body
        switch body.content {
        case .data(let data):
            let gzipped = Deflater.gzip(data)
            if gzipped.count >= data.count { return try await next(call) }
            compressed.content = .data(gzipped)
        case .pieces:
            // A transport that doesn't send live bodies gets a file, which can be sent again.
            let isLive = body.isLive && !body.canBeSentAgain
            // Any other stream can be sent again only if it is read from its file each time.
            let source = isLive ? body : try await body.spooled()
            let stream = StreamBody(
                GzippedBody(body: source, flushesChunks: isLive), sending: isLive ? .live : .fromFile)
            compressed.content = .pieces([.stream(stream)])
        }
        var call = call
        call.body = compressed
        call.headers["Content-Encoding"] = "gzip"
        return try await next(call)
    }

    private static func isCompressed(_ contentType: String) -> Bool {
        guard let type = MediaType(contentType)?.essence else { return false }
        if ["image/svg+xml", "image/bmp", "audio/wav"].contains(type) { return false }
        return ["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
            || [
                "application/zip", "application/gzip", "application/zstd", "application/x-7z-compressed",
                "application/x-bzip2", "application/x-xz", "application/pdf",
            ].contains(type)
    }
}

/// Whether the body of a request is compressed.
private struct CompressionOption: RequestOption {
    let isOn: Bool
}

extension RequestOptions {
    /// Whether a ``CompressionInterceptor`` compresses the body of the request. `nil` takes the interceptor's default.
    public var compressesBody: Bool? {
        get { self[CompressionOption.self]?.isOn }
        set { self[CompressionOption.self] = newValue.map { CompressionOption(isOn: $0) } }
    }
}

/// The bytes of a body, compressed while they are read.
private struct GzippedBody: AsyncSequence, Sendable {
    let body: EncodedBody
    /// Whether the bytes of each chunk are sent at once, which makes the result longer.
    let flushesChunks: Bool

    func makeAsyncIterator() -> Iterator {
        Iterator(reader: EncodedBody.Reader(body), flushesChunks: flushesChunks)
    }

    struct Iterator: AsyncIteratorProtocol {
        var reader: EncodedBody.Reader
        let flushesChunks: Bool
        var deflater: Deflater? = Deflater()

        mutating func next() async throws -> Data? {
            while let current = deflater {
                let chunk = try await reader.next(upTo: 1 << 18)
                if chunk == nil { deflater = nil }
                let compressed = current.compress(
                    chunk ?? Data(), chunk == nil ? .finish : flushesChunks ? .flush : .none)
                if !compressed.isEmpty { return compressed }
            }
            return nil
        }
    }
}
