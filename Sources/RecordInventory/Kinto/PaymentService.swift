import RecordKit

/// The requests for the kinds of payment, which are in the metadata of the shop's collection of records. The environment
/// is the server.
enum PaymentService: InventoryEndpoint {
    typealias ValueType = PaymentKinds

    case fetch(in: String)
    case store(PaymentKinds, in: String)

    var path: RequestPath {
        switch self {
        case .fetch(let bucket), .store(_, let bucket): "buckets/\(bucket)/collections/records"
        }
    }

    var method: HTTPMethod { if case .store = self { .patch } else { .get } }

    var body: (any NetworkEncodable)? {
        guard case .store(let kinds, _) = self else { return nil }
        return JSONValue.wrapped(["payment_kinds": .array(kinds.added.map { .string($0) })])
    }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { response in
            let metadata: JSONObject = try response.data()
            return PaymentKinds(added: try metadata.optional("payment_kinds") ?? [])
        }
    }

    /// Without a shop there are the common kinds.
    func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
        let error = InventoryError(error)
        return switch (error, self) {
        case (.noShop, .fetch), (.notFound, .fetch): .success(PaymentKinds())
        default: .failure(error)
        }
    }
}
