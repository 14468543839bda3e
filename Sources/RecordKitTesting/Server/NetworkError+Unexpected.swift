import RecordKit

extension NetworkError {
    /// Never sent again by a retry, and told in full.
    static func unexpected(_ error: some Error & CustomStringConvertible, by name: String) -> NetworkError {
        let reason = error.description
        // The sentence ends with a period of its own.
        let part = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        return .interceptor(NetworkError.InterceptorFailure(interceptor: name, reason: part, cause: error))
    }
}
