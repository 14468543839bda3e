import Foundation
import RecordKit
import RecordKitDigest

/// A download to a file: the requests for it, one after the other, until the file is complete.
struct Download<Request: NetworkRequest> {
    let client: any NetworkClient
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

    /// The part of the file that a response contains.
    private struct Part {
        let start: Int
        /// The length of the file after this response, if it is known.
        let end: Int?
        /// The length of the whole file, if it is known.
        let total: Int?
    }

    /// Runs the download.
    func run() async throws(NetworkError) -> DownloadedFile {
        let file = try PartialFile(of: target)
        if !resuming { file.version = nil }
        do throws(NetworkError) {
            return try await complete(file)
        } catch {
            // Every failure keeps a file that can be continued.
            if file.version == nil || file.size == 0 { file.remove() }
            throw error
        }
    }

    /// Sends requests until the file is complete, and moves it into place.
    private func complete(_ file: PartialFile) async throws(NetworkError) -> DownloadedFile {
        /// The first call. Its deadline is that of the whole download.
        var first: NetworkCall?
        var progress: NetworkCall?
        var resumedBytes: Int?
        var continuations = 0
        while true {
            let opening = await opening(of: file, since: first?.startTime)
            first = first ?? opening.call
            guard var body = try accepted(opening), let part = try begin(body, in: file) else {
                // Another version, or a server that doesn't support ranges well. The next request is for the whole.
                file.version = nil
                continue
            }
            if part.start == 0 { resumedBytes = 0 }
            resumedBytes = resumedBytes ?? part.start
            let reported = reporting(first ?? body.call, continuing: part.start == 0 ? nil : progress)
            progress = reported
            do throws(NetworkError) {
                try await read(&body, part, into: file, reported)
                if let total = part.total, file.size < total {
                    // A server may send less than the rest that was requested (RFC 9110 section 15.3.7).
                    if file.size - part.start >= Self.leastPart { continue }
                    throw lost(body.call)
                }
            } catch {
                guard error.isTransient, file.version != nil, file.size > part.start,
                    continuations < Self.mostContinuations
                else { throw error }
                continuations += 1
                continue
            }
            reported.report(.receiving, bytes: file.size, of: file.size)
            return try await finish(file, body.head, resumedBytes ?? 0)
        }
    }

    // MARK: Before a response

    /// Requests the rest of the file, or the whole.
    private func opening(of file: PartialFile, since start: Duration?) async -> NetworkOpening {
        let (version, size) = (file.version, file.size)
        let outgoing = OutgoingRequest(request) { call throws(NetworkError) in
            try prepare(&call)
            if let start { call.startTime = start }
            // The positions in an encoded body aren't those in the file.
            if !call.headers.contains("Accept-Encoding") { call.headers["Accept-Encoding"] = "identity" }
            if let version, version.isOf(call), let validator = version.validator, version.start(after: size) > 0 {
                call.headers["Range"] = "bytes=\(version.start(after: size))-"
                call.headers["If-Range"] = validator
            }
        }
        return await client.open(outgoing)
    }

    /// Configures a call, and checks it.
    private func prepare(_ call: inout NetworkCall) throws(NetworkError) {
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
        // The progress is that of the whole.
        let receiver = onProgress ?? call.onProgress
        _ = call.shared(ProgressReceiver.self) { ProgressReceiver.Value(action: receiver) }
        call.onProgress = nil
    }

    /// Returns a call that reports the progress of the whole download. If the download starts over, so does the
    /// progress.
    private func reporting(_ first: NetworkCall, continuing earlier: NetworkCall?) -> NetworkCall {
        if let earlier { return earlier }
        var call = first
        call.onProgress = call.shared(ProgressReceiver.self) { ProgressReceiver.Value(action: onProgress) }.action
        return call
    }

    // MARK: The head of a response

    /// Returns the response, or `nil` if the server has refused the range.
    private func accepted(_ opening: NetworkOpening) throws(NetworkError) -> StreamedResponse? {
        if case .failure(let error, let call?) = opening, call.headers.contains("Range"),
            [412, 416].contains(error.response?.statusCode)
        {
            return nil
        }
        return try StreamedResponse(opening)
    }

    /// Prepares the file for the body of a response. Returns `nil` if the body can't be used.
    private func begin(_ body: StreamedResponse, in file: PartialFile) throws(NetworkError) -> Part? {
        if file.version?.isOf(body.call) == false { file.version = nil }
        let start = body.call.headers.contains("Range") ? file.version?.start(after: file.size) ?? 0 : 0
        if start > 0, body.head.statusCode == 206 { return try continued(by: body.head, from: start, file) }
        // Perhaps the rest, but without the status that says so.
        if start > 0, body.head.statusCode == 200, !body.head.isWhole(length: body.total) { return nil }
        return try startedOver(by: body, file)
    }

    /// Prepares the file for the rest of the same version. Returns `nil` if the response is something else.
    private func continued(
        by head: NetworkResponse, from start: Int, _ file: PartialFile
    ) throws(NetworkError) -> Part? {
        guard let range = file.version?.range(in: head, from: start) else { return nil }
        try file.truncate(to: start)
        file.version?.total = range.total
        return Part(start: start, end: range.end, total: range.total)
    }

    /// Prepares the file for a whole response.
    private func startedOver(by body: StreamedResponse, _ file: PartialFile) throws(NetworkError) -> Part {
        let head = body.head
        guard head.isWhole(length: body.total) else {
            throw body.failed(head.statusCode == 206 ? badResponse(body.call) : notWhole(head))
        }
        let known = file.version.flatMap { $0.isContained(in: head) ? $0.total : nil }
        let length = head.wholeLength ?? body.total
        if let known, let length, length != known {
            file.version = nil
            throw body.failed(notWhole(head))
        }
        // A body of unknown length may be the rest only, so that a later response can't continue it.
        let isSure = known == nil || length != nil
        let end = length ?? known
        try file.startOver(isSure ? DownloadVersion(head, total: end, of: body.call) : nil)
        return Part(start: 0, end: end, total: end)
    }

    // MARK: The body and the end

    /// Writes a body to the file, and checks it.
    private func read(
        _ body: inout StreamedResponse, _ part: Part, into file: PartialFile, _ progress: NetworkCall
    ) async throws(NetworkError) {
        progress.report(.receiving, bytes: part.start, of: part.total)
        while let chunk = try await body.next() {
            try file.write(chunk)
            if let end = part.end, file.size > end {
                file.version = nil
                throw body.failed(badResponse(body.call))
            }
            progress.report(.receiving, bytes: file.size, of: part.total)
        }
        if let end = part.end, file.size < end { throw lost(body.call) }
        try await verify(body.head.contentDigest, of: file, from: part.start)
    }

    /// Verifies the file and moves it into place.
    private func finish(
        _ file: PartialFile, _ head: NetworkResponse, _ resumedBytes: Int
    ) async throws(NetworkError) -> DownloadedFile {
        try await verify(checksum, of: file)
        // The digest of an encoded body isn't that of the file (RFC 9530 section 2).
        let isEncoded = head.headers.contains("Content-Encoding")
        let field = isEncoded ? nil : head.headers["Repr-Digest"] ?? file.version?.digest
        try await verify(field.flatMap { FileChecksum(digestField: $0) }, of: file)
        if Task.isCancelled { throw .cancelled }
        try file.moveIntoPlace()
        return DownloadedFile(file: target, size: file.size, resumedBytes: resumedBytes, response: head)
    }

    /// Checks that the bytes of the file from a position on have a checksum.
    private func verify(
        _ expected: FileChecksum?, of file: PartialFile, from start: Int = 0
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
        file.version = nil
        throw failure(.wrongChecksum(expected: expected.description, actual: actual.description))
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
        failure(.notTheWholeFile(status: head.statusCode))
    }

    private func failure(_ reason: NetworkError.FileFailure.Reason) -> NetworkError {
        .file(NetworkError.FileFailure(fileName: target.lastPathComponent, reason: reason))
    }
}

/// The receiver of the whole download's progress: the download's own, or that which `configure` gave to the call.
private enum ProgressReceiver: CallKey {
    struct Value: Sendable {
        let action: (@Sendable (NetworkProgress) -> Void)?
    }
}
