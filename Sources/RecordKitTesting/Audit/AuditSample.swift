import Foundation
public import RecordKit

/// A request to audit, with the responses of its server.
///
/// ```swift
/// extension RecordService.One {
///     static let samples = [
///         AuditSample(
///             Self.fetch(sku: "LP-0042"),
///             success: .json(#"{"sku": "LP-0042", "quantity": 3}"#),
///             failures: [
///                 .status(404): .notFound, .refused: .network(.cancelled),
///             ]),
///         AuditSample(
///             Self.create(record),
///             success: .json(#"{"sku": "LP-0042", "quantity": 3}"#, status: 201)
///         ),
///     ]
/// }
/// ```
public struct AuditSample: Sendable {
    let name: String
    /// Makes the call, with the header of a configuration.
    let call: @Sendable (NetworkEnvironment, HTTPHeaders) throws(NetworkError) -> NetworkCall
    /// Reads the responses. Returns what is wrong, and everything that is printed.
    let reading: @Sendable (NetworkCall) -> (problems: [String], printed: [String])

    /// Creates a sample.
    ///
    /// - Parameters:
    ///   - request: A case of a domain, with arguments.
    ///   - success: A response that gives a value. Default: `nil`, no value is read.
    ///   - failures: The responses that fail, and their errors. Only the cases of the errors are compared, not their
    ///     associated values.
    public init<Request: NetworkRequest>(
        _ request: Request, success: StubResponse? = nil,
        failures: KeyValuePairs<StubResponse, Request.ErrorType> = [:]
    ) {
        name = SameCase.name(request)
        call = { environment, headers throws(NetworkError) in try request.call(in: environment, headers: headers) }
        let answers: [(answer: StubResponse, expected: Request.ErrorType?)] =
            (success.map { [($0, nil)] } ?? []) + failures.map { ($0.key, $0.value) }
        reading = { call in
            var problems: [String] = []
            var printed: [String] = []
            for (answer, expected) in answers {
                let outcome = answer.outcome(of: call)
                if case .success(let response) = outcome { printed += ["\(response)", String(reflecting: response)] }
                let result = request.read(outcome)
                if case .failure(let error) = result { printed += ["\(error)", error.localizedDescription] }
                switch (result, expected) {
                case (.success, nil): break
                case (.failure(let error), nil):
                    problems.append("its success is not read as \(Request.ValueType.self): \(error)")
                case (.success, let expected?):
                    problems.append("\(answer.label) gives a value, not \(SameCase.name(expected))")
                case (.failure(let error), let expected?):
                    if SameCase.holds(error, expected) { break }
                    problems.append("\(answer.label) gives \(SameCase.name(error)), not \(SameCase.name(expected))")
                }
            }
            return (problems, printed)
        }
    }
}

extension NetworkRequest {
    fileprivate func read(_ outcome: Result<NetworkResponse, NetworkError>) -> ResultType {
        switch outcome {
        case .success(let response): handleResponse(response)
        case .failure(let error): handleError(error)
        }
    }
}

extension StubResponse {
    /// Returns what a transport would return, without waiting.
    fileprivate func outcome(of call: NetworkCall) -> Result<NetworkResponse, NetworkError> {
        switch outcome {
        case .failure(let error): return .failure(NetworkError(answering: call, with: error))
        case .never: return .failure(NetworkError(URLError(.timedOut), for: call))
        case .response(let head):
            let head = sent(head, to: call.method, date: call.clock.date())
            if losesBody(head.body.count) { return .failure(.lostOnTheWay(call)) }
            var headers = head.headers
            headers.markSensitive(call.headers.sensitiveNames)
            return .success(
                NetworkResponse(statusCode: head.status, headers: headers, body: head.body, url: call.url))
        }
    }

    /// A description as part of a sentence.
    fileprivate var label: String {
        switch outcome {
        case .response(let head): "\(head.status)"
        case .failure(let error as URLError): "URLError \(error.code.rawValue)"
        case .failure(let error): "\(type(of: error))"
        case .never: "no response"
        }
    }
}

/// Compares two errors by their cases.
enum SameCase {
    static func holds<Failure: Error>(_ one: Failure, _ other: Failure) -> Bool {
        let labels = (label(one), label(other))
        // Only a case with associated values has a label.
        if labels.0 != nil || labels.1 != nil { return labels.0 == labels.1 }
        // As `any Error` the value would be bridged to `NSError`, which is `Equatable`.
        let value: Any = one
        if let one = value as? any Equatable { return equal(one, other) }
        // Two cases may have the same description. The code of an enum tells them apart.
        return "\(one)" == "\(other)" && one._code == other._code
    }

    /// Returns the name of the case without its associated values, such as `InventoryError.notFound`.
    static func name(_ value: any Sendable) -> String {
        NetworkCall(url: URL(filePath: "/"), request: value).name
    }

    private static func label(_ error: any Error) -> String? {
        let mirror = Mirror(reflecting: error)
        return mirror.displayStyle == .enum ? mirror.children.first?.label : nil
    }

    private static func equal<Value: Equatable>(_ one: Value, _ other: Any) -> Bool {
        one == other as? Value
    }
}
