import Foundation
public import RecordKit
import RecordKitDigest
public import RecordKitInterceptors

/// Signs calls with AWS Signature Version 4.
///
/// ```swift
/// AWSInterceptor(
///     credentials, service: "s3", region: "eu-central-1",
///     for: "https://records.s3.eu-central-1.amazonaws.com")
/// ```
///
/// Sets `X-Amz-Date`, `Authorization`, and where they apply `X-Amz-Security-Token` and `X-Amz-Content-Sha256`. The
/// signature covers the method, the URL, the body and all header fields of the call, except those that proxies change.
/// Servers accept it for some minutes, so the clock of the call has to be right.
///
/// A body in a file is read twice: to sign it, and to send it. For S3 over https, `signsBody: false` saves that. Bodies
/// that are sent while they are made are not signed, and only sent to S3 over https.
///
/// Signs only calls to its scope. A call that has an `Authorization` field isn't changed. A redirect ends the call
/// with `NetworkError.redirectRefused(_:)`.
public struct AWSInterceptor: NetworkInterceptor {
    private let credentials: @Sendable () async throws -> AWSCredentials
    private let service: String
    private let region: String
    private let signsBody: Bool
    private let scope: SigningScope

    /// Creates an interceptor that signs with fixed credentials.
    ///
    /// - Parameters:
    ///   - credentials: The credentials.
    ///   - service: The name of the service in signatures, such as `s3` or `execute-api`.
    ///   - region: The region of the service, such as `eu-central-1`.
    ///   - signsBody: Whether the signature covers the body. `false` is only possible for S3 over https.
    ///   - scope: The servers to sign calls for.
    public init(
        _ credentials: AWSCredentials, service: String, region: String, signsBody: Bool = true,
        for scope: CredentialScope
    ) {
        self.init(service, region, signsBody, scope) { credentials }
    }

    /// Creates an interceptor that signs with temporary credentials.
    ///
    /// - Parameters:
    ///   - service: The name of the service in signatures, such as `s3` or `execute-api`.
    ///   - region: The region of the service, such as `eu-central-1`.
    ///   - signsBody: Whether the signature covers the body. `false` is only possible for S3 over https.
    ///   - scope: The servers to sign calls for.
    ///   - credentials: Returns the credentials for an attempt, and refreshes them if they expire. An error that it
    ///     throws ends the call with `NetworkError.interceptor(_:)`.
    public init(
        service: String, region: String, signsBody: Bool = true, for scope: CredentialScope,
        credentials: @escaping @Sendable () async throws -> AWSCredentials
    ) {
        self.init(service, region, signsBody, scope, credentials)
    }

    private init(
        _ service: String, _ region: String, _ signsBody: Bool, _ scope: CredentialScope,
        _ credentials: @escaping @Sendable () async throws -> AWSCredentials
    ) {
        self.credentials = credentials
        self.service = service
        self.region = region
        self.signsBody = signsBody
        self.scope = SigningScope("AWSInterceptor", scope)
    }

    /// It signs each attempt, wherever it stands among the interceptors.
    public var role: NetworkInterceptorRole { .signs }

    /// Signs the call.
    public func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        guard try scope.contains(call) else { return try await next(call) }
        let credentials: AWSCredentials
        do {
            credentials = try await self.credentials()
        } catch {
            throw Task.isCancelled ? .cancelled : scope.failure("the credentials could not be loaded", cause: error)
        }
        return try await scope.send(signed(call, credentials), next)
    }

    private func signed(_ call: NetworkCall, _ credentials: AWSCredentials) async throws(NetworkError) -> NetworkCall {
        var call = call
        let payload = try await payload(of: &call)
        let signature = AWSSignature(credentials, region: region, service: service, date: call.clock.date())
        // The transport would add the type later, and unsigned.
        if let body = call.body, !call.headers.contains("Content-Type") {
            call.headers["Content-Type"] = body.contentType
        }
        // A date that the signature doesn't use would be another date.
        call.headers["Date"] = nil
        call.headers["X-Amz-Date"] = signature.time
        call.headers["X-Amz-Security-Token"] = credentials.sessionToken
        if AWSSignature.isS3(service) { call.headers["X-Amz-Content-Sha256"] = payload }
        let fields = AWSSignature.signedFields(of: call)
        let code = signature.signature(of: call, fields, payload: payload)
        call.headers["Authorization"] =
            "\(AWSSignature.algorithm) Credential=\(signature.credential), "
            + "SignedHeaders=\(fields.keys.sorted().joined(separator: ";")), Signature=\(code)"
        return call
    }

    /// Returns the digest of the body. Reads a stream into a file, which is then sent.
    private func payload(of call: inout NetworkCall) async throws(NetworkError) -> String {
        if AWSSignature.isS3(service), call.url.scheme?.lowercased() == "https",
            !signsBody || call.body?.canBeSentAgain == false
        {
            return AWSSignature.unsignedPayload
        }
        var digest = MessageDigest(.sha256)
        try await call.readBody { digest.update($0) }
        return digest.hexadecimal
    }
}
