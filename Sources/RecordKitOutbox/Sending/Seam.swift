import RecordKit

struct SeamOutcome<Request: NetworkRequest>: Sendable {
    var result: Request.ResultType
    var response: NetworkResponse?
    var failure: NetworkError?
}

extension NetworkClient {
    func outcome<Request: NetworkRequest>(
        of request: Request, configure: @escaping NetworkCall.Change
    ) async -> SeamOutcome<Request> {
        do throws(Request.ErrorType) {
            let reply = try await reply(for: request, configure: configure)
            return SeamOutcome(result: .success(reply.value), response: reply.response)
        } catch {
            return SeamOutcome(result: .failure(error), failure: error as? NetworkError)
        }
    }
}
