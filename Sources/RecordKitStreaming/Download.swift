import Foundation
import RecordKit
import RecordKitDigest

/// A download to a file: the requests for it, one after the other, until the file is complete.
struct Download<Request: NetworkRequest> {
    let manager: NetworkManager<Request>
    let request: Request
    let target: URL
    let resuming: Bool
    /// The checksum that the caller expects.
    let checksum: FileChecksum?
    let onProgress: (@Sendable (NetworkProgress) -> Void)?
    let configure: NetworkCall.Change

    /// How often an interrupted body is requested again. Each request must have brought at least one byte.
    private static var mostContinuations: Int { 10 }

    /// The number of bytes from which on a part of the rest doesn't count as an interruption.
    private static var leastPart: Int { 1 << 16 }

    /// Runs the download.
    func run() async throws(NetworkError) -> DownloadedFile {
        let file = try PartialFile(of: target)
        // The caller may have started from a file that can be continued. Every failure keeps such a file.
        var version = resuming ? file.version : nil
        do throws(NetworkError) {
            return try await run(file, &version)
        } catch {
            if version == nil || file.size == 0 { file.remove() }
            throw error
        }
    }

    private func run(_ file: PartialFile, _ version: inout DownloadVersion?) async throws(NetworkError)
        -> DownloadedFile
    {
        /// The first call. Its deadline is that of the whole download.
        let firstCall = Box<NetworkCall?>(nil)
        /// The last call, whose response is being read.
        let sent = Box<(version: DownloadVersion?, start: Int)>((nil, 0))
        var resumedBytes: Int?
        var continuations = 0
        while true {
            var body: StreamedResponse
            do throws(NetworkError) {
                body = try await manager.opened(request) { [version, size = file.size] call throws(NetworkError) in
                    try prepare(&call, firstCall)
                    var version = version
                    if version?.url != DownloadVersion.name(of: call.url) || call.method != .get { version = nil }
                    sent.value = (version, version?.start(after: size) ?? 0)
                    change(&call, sent.value.version, sent.value.start)
                }
                version = sent.value.version
            } catch {
                guard sent.value.start > 0, [412, 416].contains(error.response?.statusCode) else { throw error }
                version = nil
                continue
            }
            let head = body.head
            let first = firstCall.value ?? body.call
            var start = sent.value.start
            /// The length of the file after this response, if it is known.
            var end: Int?
            if head.statusCode == 206, start > 0 {
                guard let range = version?.range(in: head, from: start) else {
                    // Another version, or a server that doesn't support ranges well.
                    version = nil
                    continue
                }
                try file.truncate(to: start)
                resumedBytes = resumedBytes ?? start
                version?.total = range.total
                end = range.end
            } else {
                guard head.isWhole(length: body.total) else {
                    if start > 0, head.statusCode == 200 {
                        // Perhaps the rest, but without the status that says so.
                        version = nil
                        continue
                    }
                    throw body.failed(head.statusCode == 206 ? badResponse(first) : notWhole(head))
                }
                let known = version.flatMap { $0.isContained(in: head) ? $0.total : nil }
                end = head.wholeLength ?? body.total
                version = DownloadVersion(head, total: end, of: first)
                if let known, end != known {
                    // A body of unknown length may be the rest only, so that a later response can't continue it.
                    version = nil
                    if end != nil { throw body.failed(notWhole(head)) }
                    end = known
                }
                start = 0
                resumedBytes = 0
                try file.startOver(version)
                firstCall.value = withProgress(first)
            }
            let total = version?.total ?? end
            let reported = firstCall.value ?? first
            reported.report(.receiving, bytes: start, of: total)
            do throws(NetworkError) {
                while let chunk = try await body.next() {
                    try file.write(chunk)
                    if let end, file.size > end { break }
                    reported.report(.receiving, bytes: file.size, of: total)
                }
                if let end, file.size > end {
                    version = nil
                    throw badResponse(first)
                }
                if let end, file.size < end { throw lost(first) }
                try await verify(head.contentDigest, of: file, from: start, &version)
                if let total, file.size < total {
                    // A server may send less than the rest that was requested (RFC 9110 section 15.3.7).
                    if file.size - start >= Self.leastPart { continue }
                    throw lost(first)
                }
            } catch {
                guard error.isTransient, version != nil, file.size > start, continuations < Self.mostContinuations
                else { throw error }
                continuations += 1
                continue
            }
            reported.report(.receiving, bytes: file.size, of: file.size)
            return try await finish(file, head, &version, resumedBytes ?? 0)
        }
    }

    /// Configures a call, checks it, and gives it the deadline of the first one.
    private func prepare(_ call: inout NetworkCall, _ first: Box<NetworkCall?>) throws(NetworkError) {
        try configure(&call)
        do throws(NetworkError.InvalidRequest) {
            try checksum?.check()
        } catch {
            throw .invalidRequest(error)
        }
        for name in ["Range", "If-Range"] where call.headers.contains(name) {
            throw .invalidRequest(
                NetworkError.InvalidRequest(
                    request: call.name, member: .headers, reason: "\(name) is set by the download; remove it"))
        }
        if let first = first.value { call.deadlineTime = first.deadlineTime } else { first.value = withProgress(call) }
    }

    /// Returns the call with the receiver of the whole download's progress.
    private func withProgress(_ call: NetworkCall) -> NetworkCall {
        var call = call
        call.onProgress = onProgress ?? call.onProgress
        return call
    }

    /// Makes a call request the rest of the file.
    private func change(_ call: inout NetworkCall, _ version: DownloadVersion?, _ start: Int) {
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
        try await verify(checksum, of: file, &version)
        // The digest of an encoded body isn't that of the file (RFC 9530 section 2).
        let isEncoded = head.headers.contains("Content-Encoding")
        let field = isEncoded ? nil : head.headers["Repr-Digest"] ?? version?.digest
        try await verify(field.flatMap { FileChecksum(digestField: $0) }, of: file, &version)
        if Task.isCancelled { throw .cancelled }
        try file.moveIntoPlace()
        return DownloadedFile(file: target, size: file.size, resumedBytes: resumedBytes, response: head)
    }

    /// Checks that the bytes of the file from a position on have a checksum.
    private func verify(
        _ expected: FileChecksum?, of file: PartialFile, from start: Int = 0, _ version: inout DownloadVersion?
    ) async throws(NetworkError) {
        guard let expected else { return }
        var (position, digest) = (start, MessageDigest(expected.algorithm))
        while let bytes = try file.read(at: position) {
            if Task.isCancelled { throw .cancelled }
            digest.update(bytes)
            position += bytes.count
            await Task.yield()
        }
        let actual = FileChecksum(digest)
        if actual == expected { return }
        version = nil
        throw failure(.verify, .wrongChecksum(expected: expected.description, actual: actual.description))
    }

    /// The error for a connection that ended before the file was complete.
    private func lost(_ call: NetworkCall) -> NetworkError {
        .connection(
            NetworkError.ConnectionFailure(kind: .lost, host: call.origin.hostAndPort, mayHaveReachedServer: true))
    }

    /// The error for a response that contradicts itself, or the request.
    private func badResponse(_ call: NetworkCall) -> NetworkError {
        .badResponse(NetworkError.BadResponse(host: call.origin.hostAndPort))
    }

    /// The error for a response whose body isn't certainly the whole file.
    private func notWhole(_ head: NetworkResponse) -> NetworkError {
        failure(.write, .notTheWholeFile(status: head.statusCode))
    }

    private func failure(
        _ action: NetworkError.FileFailure.Action, _ reason: NetworkError.FileFailure.Reason
    ) -> NetworkError {
        .file(NetworkError.FileFailure(fileName: target.lastPathComponent, action: action, reason: reason))
    }
}
