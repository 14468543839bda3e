import RecordKit

/// Changes of records sent as one, behind the shop's lock. Its environment is the server.
enum BatchService: InventoryEndpoint {
    typealias ValueType = BatchOutcome

    /// Each is answered on its own, in this order; one that fails does not stop the others. A conflict of the whole
    /// means that nothing was changed.
    case send([RecordChange], in: String)

    var path: RequestPath { "batch" }
    var method: HTTPMethod { .post }

    var body: (any NetworkEncodable)? {
        switch self {
        case .send(let changes, let bucket):
            ["requests": .array([ShopLock.json(in: bucket)] + changes.map { $0.json(in: bucket) })] as JSONValue
        }
    }

    private var changes: [RecordChange] {
        switch self {
        case .send(let changes, _): changes
        }
    }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { response in
            let answers = try response.value(as: BatchAnswers.self, using: decoder)
            guard answers.changes.count == changes.count else {
                let text = "\(answers.changes.count) answers to \(changes.count) changes"
                throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: text))
            }
            return BatchOutcome(isLocked: answers.isLocked, answers: answers.changes.map { $0.answer(response.url) })
        }
    }

    /// Unanswered, unless Kinto said no or never heard of the changes.
    func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
        guard isUnanswered(error) else { return .failure(InventoryError(error)) }
        return .failure(.unanswered(error, changes.count == 1 ? changes[0].sku : nil))
    }

    private func isUnanswered(_ error: NetworkError) -> Bool {
        switch error {
        case .connection, .timedOut, .cancelled, .badResponse, .tooLarge: error.mayHaveReachedServer
        case .decoding(let failure): !(failure.cause is UnreadableRecord)
        // Kinto numbers its errors: without a number this is the word of something before it, which may have passed
        // the changes on.
        case .status(let response) where response.statusCode >= 500:
            (try? response.value(as: KintoProblem.self))?.errno == nil
        case .status, .invalidRequest, .interceptor, .redirectRefused: false
        }
    }
}
