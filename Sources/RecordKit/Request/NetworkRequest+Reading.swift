import Foundation

extension NetworkRequest {
    /// Reads a 2xx with `reading`; everything else goes to ``handleError(_:)``, and so does what `reading` throws, as
    /// ``NetworkError/decoding(_:)``.
    ///
    /// An error of ``NetworkRequest/ErrorType`` is the outcome as it is thrown, for an answer that says in a 2xx what
    /// went wrong.
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
            // An error keeps no transfer alive.
            if let stream = response.stream {
                stream.cancel()
                response.body = Data()
            }
            let failure = NetworkError.DecodingFailure(
                type: TypeName.of(ValueType.self), response: response, cause: error)
            return handleError(.decoding(failure))
        }
    }
}

extension NetworkRequest where ValueType: Decodable {
    public func handleResponse(_ response: NetworkResponse) -> ResultType {
        accept(response) { response in
            // A generic request has this reading for every type, and may turn out to be one of strings or Optionals.
            if ValueType.self is any NetworkValue.Type { return try response.value(using: decoder) }
            return try response.decode(ValueType.self, using: decoder)
        }
    }
}

extension NetworkRequest where ValueType: NetworkValue {
    public func handleResponse(_ response: NetworkResponse) -> ResultType {
        accept(response) { try $0.value(using: decoder) }
    }
}

extension NetworkRequest where ValueType: NetworkValue & Decodable {
    public func handleResponse(_ response: NetworkResponse) -> ResultType {
        accept(response) { try $0.value(using: decoder) }
    }
}

extension NetworkRequest where ValueType == Void {
    public func handleResponse(_ response: NetworkResponse) -> ResultType {
        accept(response) { _ in }
    }
}

extension NetworkRequest where ErrorType: NetworkFailure {
    public func handleError(_ error: NetworkError) -> ResultType {
        .failure(ErrorType(error))
    }
}
