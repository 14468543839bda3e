import Foundation

extension NetworkRequest {
    /// Reads a 2xx response with `reading`. Passes any other response to ``handleError(_:)``.
    ///
    /// An error that `reading` throws is passed to ``handleError(_:)`` as ``NetworkError/decoding(_:)``. An error of
    /// type ``NetworkRequest/ErrorType`` is returned unchanged, for an API that reports failures in 2xx responses.
    ///
    /// - Parameters:
    ///   - response: The response to read.
    ///   - reading: Reads the value of a 2xx response.
    /// - Returns: The value or the error.
    public func accept(
        _ response: NetworkResponse, reading: (NetworkResponse) throws -> ValueType
    ) -> ResultType {
        guard response.isSuccess else { return handleError(.status(response)) }
        do {
            return .success(try reading(response))
        } catch let error as ErrorType where ErrorType.self != (any Error).self {
            return .failure(error)
        } catch {
            var response = response
            // Cancels the stream, so that the error doesn't keep the transfer alive.
            if let stream = response.stream {
                stream.cancel()
                response.body = Data()
            }
            return handleError(
                .decoding(
                    NetworkError.DecodingFailure(type: TypeName.of(ValueType.self), response: response, cause: error)))
        }
    }
}

extension NetworkRequest where ValueType: Decodable {
    /// Decodes the value of a 2xx response.
    public func handleResponse(_ response: NetworkResponse) -> Result<ValueType, ErrorType> {
        accept(response) { response in
            // Generic code selects this method for every type, including values such as strings and optionals.
            if ValueType.self is any NetworkValue.Type { return try response.value(using: decoder) }
            return try response.decode(ValueType.self, using: decoder)
        }
    }
}

extension NetworkRequest where ValueType: NetworkValue {
    /// Reads the value of a 2xx response.
    public func handleResponse(_ response: NetworkResponse) -> Result<ValueType, ErrorType> {
        accept(response) { try $0.value(using: decoder) }
    }
}

extension NetworkRequest where ValueType: NetworkValue & Decodable {
    /// Reads the value of a 2xx response.
    public func handleResponse(_ response: NetworkResponse) -> Result<ValueType, ErrorType> {
        accept(response) { try $0.value(using: decoder) }
    }
}

extension NetworkRequest where ValueType == Void {
    /// Accepts a 2xx response without reading its body.
    public func handleResponse(_ response: NetworkResponse) -> Result<ValueType, ErrorType> {
        accept(response) { _ in }
    }
}

extension NetworkRequest where ErrorType: NetworkFailure {
    /// Creates the error with ``NetworkFailure/init(_:)``.
    public func handleError(_ error: NetworkError) -> Result<ValueType, ErrorType> {
        .failure(ErrorType(error))
    }
}

// An unavailable default is the witness only where no other fits. The compiler then reports its message at the type.

/// The value type of a request that declares none.
public enum _MissingValueType: Sendable {}

extension NetworkRequest where ValueType == _MissingValueType {
    @available(*, unavailable, message: "declare `typealias ValueType`, the type of the value; Void for none")
    public func handleResponse(_ response: NetworkResponse) -> Result<ValueType, ErrorType> { fatalError() }
}

extension NetworkRequest {
    @available(
        *, unavailable,
        message: """
            ValueType must be Decodable, a NetworkValue or Void, or implement handleResponse(_:). In a project that \
            isolates code to the main actor, declare the type as nonisolated
            """
    )
    public func handleResponse(_ response: NetworkResponse) -> Result<ValueType, ErrorType> { fatalError() }

    @available(
        *, unavailable,
        message: """
            ErrorType must be a NetworkFailure, or implement handleError(_:). In a project that isolates code to the \
            main actor, declare the type as nonisolated
            """
    )
    public func handleError(_ error: NetworkError) -> Result<ValueType, ErrorType> { fatalError() }
}
