public import Foundation
public import RecordKit

/// A file that was downloaded.
public struct DownloadedFile: Sendable {
    /// The file URL.
    public let file: URL
    /// The size of the file in bytes.
    public let size: Int
    /// The number of bytes that an earlier download to the same file had left. They weren't requested again.
    public let resumedBytes: Int
    /// The last response, without its body. Its status is 206 if it continued an interrupted one.
    public let response: NetworkResponse
}

extension NetworkClient {
    /// Downloads the body of a response to a file.
    ///
    /// ```swift
    /// let file = try await network.download(
    ///     Backup(), to: folder.appending(path: "backup.zip"))
    /// ```
    ///
    /// The body is written to `name.partial` beside the file, with little memory. The complete file replaces the target
    /// in one step: at no time does the target contain a part. A response other than 2xx fails with
    /// `NetworkError.status(_:)`, and writes nothing. So does a 2xx whose body isn't certainly the whole file, such as
    /// a 202 or 204, with `NetworkError.FileFailure.Reason.notTheWholeFile(status:)`. The request's `handleResponse`
    /// isn't called.
    ///
    /// An interrupted download of a GET request continues where it stopped, if the response has a strong `ETag`, or no
    /// `ETag` and a `Last-Modified` at least a minute before its `Date` (RFC 9110 section 13.1.5):
    /// - If the connection is lost or silent for longer than the timeout, it is requested again immediately, up to 10
    ///   times and only while each response brings at least one byte. Each request passes the interceptors.
    /// - After any other end, `name.partial` and `name.partial.json` are kept. The next download of the same URL to the
    ///   same file continues, in this process or in another one, however the last one ended.
    ///
    /// It starts over if the resource has changed, or if another user owns what is left. The file never contains parts
    /// of two versions. An encoded body can't be continued, so the download asks for none with
    /// `Accept-Encoding: identity`, unless the call has that field.
    ///
    /// If the response has a `Repr-Digest` or a `Content-Digest` with SHA-512 or SHA-256 (RFC 9530), the file is
    /// verified before it is moved.
    ///
    /// The timeout applies to each head, and then to each wait for a chunk. The deadline applies to the whole.
    ///
    /// - Parameters:
    ///   - request: The request to send. It must not set `Range` or `If-Range`.
    ///   - target: The file URL. Its folder must exist. A file there is replaced.
    ///   - resuming: Whether to continue an earlier download. If it is `false`, the download starts over.
    ///   - checksum: The checksum that the file must have.
    ///   - onProgress: Receives the progress of the whole download, as `NetworkCall.onProgress` does. The bytes include
    ///     those of an earlier download. If the download starts over, they start again.
    ///   - configure: Changes each call before the interceptors. It must make the same changes each time.
    /// - Returns: The file, once it is in place.
    /// - Throws: The error of the request, created from a `NetworkError`. It is `NetworkError.file(_:)` if the file
    ///   can't be written, another download to it is running, its checksum is wrong, or a response isn't certainly the
    ///   whole file.
    public func download<Request: NetworkRequest>(
        _ request: Request, to target: URL, resuming: Bool = true, checksum: FileChecksum? = nil,
        onProgress: (@Sendable (NetworkProgress) -> Void)? = nil,
        configure: @escaping NetworkCall.Change = { _ in }
    ) async throws(Request.ErrorType) -> DownloadedFile where Request.ErrorType: NetworkFailure {
        let download = Download(
            client: self, request: request, target: target, resuming: resuming, checksum: checksum,
            onProgress: onProgress, configure: configure)
        do throws(NetworkError) {
            return try await download.run()
        } catch {
            throw Request.ErrorType(error)
        }
    }
}
