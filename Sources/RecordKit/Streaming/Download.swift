import Foundation

/// A download to a file: the requests for it, one after the other, until the file is complete.
struct Download<Request: NetworkRequest> {
    let configuration: NetworkConfiguration
    let request: Request
    let target: URL
    let resuming: Bool
    /// The checksum that the caller expects.
    let checksum: FileChecksum?
    let onProgress: (@Sendable (NetworkProgress) -> Void)?
    let configure: @Sendable (inout NetworkCall) -> Void

    /// How often an interrupted body is requested again. Each request must have brought at least one byte.
    private static var mostContinuations: Int { 10 }

    /// The number of bytes from which on a part of the rest doesn't count as an interruption.
    private static var leastPart: Int { 1 << 16 }

    /// Runs the download.
    func run() async throws(NetworkError) -> DownloadedFile {
        let first = try firstCall()
        let file = try PartialFile(of: target)
        // The caller may have started from a file that can be continued. Every failure keeps such a file.
        var version = resuming ? file.version : nil
        if version?.url != DownloadVersion.name(of: first.url) || first.method != .get { version = nil }
        do throws(NetworkError) {
            return try await run(first, file, &version)
        } catch {
            if version == nil || file.size == 0 { file.remove() }
            throw error
        }
    }

    private func run(
        _ first: NetworkCall, _ file: PartialFile, _ version: inout DownloadVersion?
    ) async throws(NetworkError) -> DownloadedFile {
        let lifetime = StreamLifetime()
        let meter = (onProgress ?? first.onProgress).map { ProgressMeter(first.clock, $0) }
        var resumedBytes: Int?
        var continuations = 0
        while true {
            var start = version?.start(after: file.size) ?? 0
            var body: StreamedResponse
            do throws(NetworkError) {
                body = try await configuration.open(request, lifetime) { call in
                    change(&call, first, version, start)
                }
            } catch {
                guard start > 0, [412, 416].contains(error.response?.statusCode) else { throw error }
                version = nil
                continue
            }
            /// The length of the file after this response, if it is known.
            let end: Int?
            if body.head.statusCode == 206 {
                guard start > 0 else { throw .badResponse(host: first.origin.hostAndPort, cause: nil) }
                guard let range = version?.range(in: body.head, from: start) else {
                    // Another version, or a server that doesn't support ranges well.
                    version = nil
                    continue
                }
                try file.truncate(to: start)
                resumedBytes = resumedBytes ?? start
                version?.total = range.total
                end = range.end
            } else {
                start = 0
                resumedBytes = 0
                version = DownloadVersion(body.head, total: body.total, of: first)
                try file.startOver(version)
                end = body.total
                meter?.restart()
            }
            let total = version?.total ?? end
            meter?.update(.receiving, start, total)
            do throws(NetworkError) {
                while let chunk = try await body.next() {
                    try file.write(chunk)
                    if let end, file.size > end { break }
                    meter?.update(.receiving, file.size, total)
                }
                if let end, file.size > end {
                    version = nil
                    throw .badResponse(host: first.origin.hostAndPort, cause: nil)
                }
                if let total, file.size < total {
                    // A server may send less than the rest that was requested (RFC 9110 section 15.3.7).
                    if file.size == end, file.size - start >= Self.leastPart { continue }
                    throw first.connectionLost
                }
            } catch {
                guard error.isTransient, version != nil, file.size > start, continuations < Self.mostContinuations
                else { throw error }
                continuations += 1
                continue
            }
            meter?.update(.receiving, file.size, file.size)
            return try await finish(file, body.head, &version, resumedBytes ?? 0)
        }
    }

    /// Returns the call before any change of the download. Its deadline is that of the whole download.
    private func firstCall() throws(NetworkError) -> NetworkCall {
        var call = try configuration.call(for: request)
        configure(&call)
        do throws(NetworkError.InvalidRequest) {
            try checksum?.check()
        } catch {
            throw .invalidRequest(error.named(call.name))
        }
        for name in ["Range", "If-Range"] where call.headers.contains(name) {
            throw call.invalid(.headers, "\(name) is set by the download; remove it")
        }
        return call
    }

    /// Makes a call request the rest of the file.
    private func change(_ call: inout NetworkCall, _ first: NetworkCall, _ version: DownloadVersion?, _ start: Int) {
        configure(&call)
        call.delivery = .streamed
        call.deadline = first.deadline
        // The progress is that of the whole.
        call.onProgress = nil
        // The positions in an encoded body aren't those in the file.
        if !call.headers.contains("Accept-Encoding") { call.headers["Accept-Encoding"] = "identity" }
        guard start > 0, let validator = version?.validator else { return }
        call.headers["Range"] = "bytes=\(start)-"
        call.headers["If-Range"] = validator
    }

    /// Verifies the file and moves it into place.
    private func finish(
        _ file: PartialFile, _ head: NetworkResponse, _ version: inout DownloadVersion?, _ resumedBytes: Int
    ) async throws(NetworkError) -> DownloadedFile {
        // The digest of an encoded body isn't that of the file (RFC 9530 section 2).
        let field = head.headers.contains("Content-Encoding") ? nil : head.headers["Repr-Digest"] ?? version?.digest
        for expected in [checksum, field.flatMap { FileChecksum(reprDigest: $0) }].compactMap({ $0 }) {
            var position = 0
            let actual = try await FileChecksum.of(expected.algorithm) { () async throws(NetworkError) in
                if Task.isCancelled { throw .cancelled }
                await Task.yield()
                let bytes = try file.read(at: position)
                position += bytes?.count ?? 0
                return bytes
            }
            if actual != expected {
                version = nil
                throw .file(
                    NetworkError.FileFailure(
                        file: target.lastPathComponent, action: .verify,
                        reason: .wrongChecksum(expected: expected.text, actual: actual.text)))
            }
        }
        if Task.isCancelled { throw .cancelled }
        try file.moveIntoPlace()
        return DownloadedFile(file: target, size: file.size, resumedBytes: resumedBytes, response: head)
    }
}
