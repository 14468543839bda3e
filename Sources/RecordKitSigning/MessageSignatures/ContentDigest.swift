public import Foundation
public import RecordKit
public import RecordKitDigest
import RecordKitStructuredFields

/// Adds the digest of each body as `Content-Digest` (RFC 9530), and checks the digests of responses.
///
/// ```swift
/// configuration.interceptors = [
///     RetryInterceptor(), ContentDigestInterceptor(), LoggingInterceptor(),
/// ]
/// ```
///
/// A request without a body, or with a `Content-Digest` of its own, isn't changed. Digests of responses are checked
/// with SHA-256 and SHA-512. A response whose body has another digest ends the call with
/// `NetworkError.badResponse(_:)`.
///
/// A digest is that of the bytes as they are sent. So it isn't checked for a body with a `Content-Encoding`, which
/// transports decode, for a stream, and for a response without a body, such as that to HEAD.
public struct ContentDigestInterceptor: NetworkInterceptor {
    private let algorithm: MessageDigest.Algorithm

    /// Creates an interceptor.
    ///
    /// - Parameter algorithm: The hash function for requests, SHA-256 or SHA-512. Any other counts as SHA-256.
    public init(_ algorithm: MessageDigest.Algorithm = .sha256) {
        self.algorithm = algorithm == .sha512 ? .sha512 : .sha256
    }

    /// Adds the digest of the body, and checks that of the response.
    public func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        var call = call
        if call.body != nil, !call.headers.contains("Content-Digest") {
            var digest = MessageDigest(algorithm)
            try await call.readBody { digest.update($0) }
            call.headers["Content-Digest"] = ContentDigest.field(of: digest)
        }
        let response = try await next(call)
        let hasContent = call.method != .head && ![204, 304].contains(response.statusCode)
        guard hasContent, response.stream == nil, !response.headers.contains("Content-Encoding"),
            let field = response.headers["Content-Digest"],
            ContentDigest.comparison(of: field, with: response.body) == .different
        else { return response }
        throw .badResponse(
            NetworkError.BadResponse(host: call.origin.hostAndPort, cause: ContentDigest.MismatchError()))
    }
}

/// The `Content-Digest` field (RFC 9530 section 2). A namespace, which has no cases.
public enum ContentDigest {
    /// The error of a body that doesn't have its digest. It is the cause of a `NetworkError.BadResponse`.
    public struct MismatchError: LocalizedError, Sendable, CustomStringConvertible {
        /// What is wrong.
        public var description: String { "the body doesn't have the digest in Content-Digest (RFC 9530 section 2)" }

        /// The same as ``description``.
        public var errorDescription: String? { description }
    }

    /// Returns the value of the field for a digest, such as `sha-256=:…:`.
    ///
    /// - Parameter digest: The digest of the whole body.
    public static func field(of digest: MessageDigest) -> String {
        "\(digest.algorithm.rawValue)=:\(Data(digest.bytes).base64EncodedString()):"
    }

    /// The comparison of a body with a field. The list of cases is complete.
    public enum Comparison: Sendable, Hashable {
        /// The body has all digests of the field.
        case equal
        /// The body has another digest.
        case different
        /// The field isn't valid, or names no algorithm that is supported.
        case unknown
    }

    /// Compares a body with the digests of a field.
    ///
    /// - Parameters:
    ///   - field: The value of the field.
    ///   - body: The whole body, as it was sent.
    public static func comparison(of field: String, with body: Data) -> Comparison {
        let digests = StructuredField.dictionary(field)?.compactMap { member -> Bool? in
            guard let algorithm = MessageDigest.Algorithm(rawValue: member.name),
                algorithm == .sha256 || algorithm == .sha512, case .bytes(let bytes)? = member.value.item?.value
            else { return nil }
            return MessageDigest.of(body, algorithm).bytes == bytes
        }
        guard let digests, !digests.isEmpty else { return .unknown }
        return digests.contains(false) ? .different : .equal
    }
}
