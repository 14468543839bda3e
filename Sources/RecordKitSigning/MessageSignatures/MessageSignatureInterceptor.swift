import Foundation
public import RecordKit
public import RecordKitInterceptors

/// Signs calls with HTTP Message Signatures (RFC 9421) and HMAC-SHA256.
///
/// ```swift
/// configuration.interceptors = [
///     RetryInterceptor(), ContentDigestInterceptor(),
///     MessageSignatureInterceptor(signature, for: "https://store.example"),
/// ]
/// ```
///
/// Adds `Signature-Input` and `Signature`. A signature covers the body through `Content-Digest`, which
/// ``ContentDigestInterceptor`` sets.
///
/// Signs only calls to its scope. A call that has a `Signature` field isn't changed. A redirect ends the call with
/// `NetworkError.redirectRefused(_:)`.
public struct MessageSignatureInterceptor: NetworkInterceptor {
    private let signature: MessageSignature
    private let scope: SigningScope

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - signature: What the signature covers, and its key.
    ///   - scope: The servers to sign calls for.
    public init(_ signature: MessageSignature, for scope: CredentialScope) {
        self.signature = signature
        self.scope = SigningScope("MessageSignatureInterceptor", scope)
    }

    /// It signs each attempt, wherever it stands among the interceptors.
    public var role: NetworkInterceptorRole { .signs }

    /// Signs the call.
    public func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        guard try scope.contains(call, signedBy: "Signature") else { return try await next(call) }
        var call = call
        let fields: (input: String, signature: String)
        do throws(MessageSignature.Problem) {
            fields = try signature.fields(for: call, nonce: .randomNonce())
        } catch {
            throw scope.failure(error.reason)
        }
        call.headers["Signature-Input"] = fields.input
        call.headers["Signature"] = fields.signature
        return try await scope.send(call, next)
    }
}
