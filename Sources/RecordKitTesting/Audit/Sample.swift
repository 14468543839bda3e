import Foundation
public import RecordKit

/// A request to audit, with answers that its server gives.
///
/// ```swift
/// extension RecordService.One {
///     static let samples = [
///         Sample(
///             Self.fetch(sku: "LP-0042"), success: .json(#"{"sku": "LP-0042", "quantity": 3}"#),
///             failures: [.status(404): .notFound, .refused: .network(.cancelled)]),
///         Sample(Self.create(record), success: .json(#"{"sku": "LP-0042", "quantity": 3}"#, status: 201)),
///     ]
/// }
/// ```
public struct Sample: Sendable {
    let name: String
    let call: @Sendable (NetworkEnvironment, Set<String>) -> Result<NetworkCall, NetworkError>
    /// What is wrong with what the request makes of its answers, and all that they print.
    let reading: @Sendable (NetworkCall) -> (problems: [String], printed: [String])

    /// - Parameters:
    ///   - request: a case of a domain, with arguments.
    ///   - success: an answer that gives a value. Nil has nothing read.
    ///   - failures: answers that fail, and the error that each gives. It is the case that counts, not what it carries.
    public init<Request: NetworkRequest>(
        _ request: Request, success: StubAnswer? = nil,
        failures: KeyValuePairs<StubAnswer, Request.ErrorType> = [:]
    ) {
        name = CaseName.of(request)
        call = { environment, secretNames in
            do throws(NetworkError) {
                return .success(try request.call(in: environment, secretNames: secretNames))
            } catch {
                return .failure(error)
            }
        }
        let failures = failures.map { (answer: $0.key, error: $0.value) }
        reading = { call in
            var problems: [String] = []
            var printed: [String] = []
            func note(_ outcome: Result<NetworkResponse, NetworkError>, _ error: Request.ErrorType?) {
                if case .success(let response) = outcome { printed += ["\(response)", String(reflecting: response)] }
                if let error { printed += ["\(error)", error.localizedDescription] }
            }
            if let success {
                let outcome = success.outcome(of: call)
                if case .failure(let error) = request.read(outcome) {
                    problems.append("its success is not read as \(Request.ValueType.self): \(error)")
                    note(outcome, error)
                } else {
                    note(outcome, nil)
                }
            }
            for (answer, expected) in failures {
                let outcome = answer.outcome(of: call)
                switch request.read(outcome) {
                case .success:
                    problems.append("\(answer.label) gives a value, not \(CaseName.of(expected))")
                    note(outcome, nil)
                case .failure(let error):
                    if !SameCase.holds(error, expected) {
                        problems.append(
                            "\(answer.label) gives \(CaseName.of(error)), not \(CaseName.of(expected))")
                    }
                    note(outcome, error)
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

extension StubAnswer {
    /// What a transport would hand over, without any waiting.
    fileprivate func outcome(of call: NetworkCall) -> Result<NetworkResponse, NetworkError> {
        switch outcome {
        case .failure(let error): return .failure(NetworkError(answering: call, with: error))
        case .never:
            let timeout = Timeout(limit: .attempt, after: call.timeout, host: call.url.hostAndPort)
            return .failure(.timedOut(timeout))
        case .response:
            guard let head = head(for: call.method, date: call.clock.date()), !losesBody(head.body.count) else {
                return .failure(.lostOnTheWay(call))
            }
            var headers = head.headers
            headers.markSecret(call.headers.secretNames)
            return .success(
                NetworkResponse(statusCode: head.status, headers: headers, body: head.body, url: call.url))
        }
    }

    /// Names it in a sentence.
    fileprivate var label: String {
        switch outcome {
        case .response(let status, _, _): "\(status)"
        case .failure(let error as URLError): "URLError \(error.code.rawValue)"
        case .failure(let error): "\(type(of: error))"
        case .never: "no answer"
        }
    }
}
