import Foundation
import RecordKit

// The snippets of the article on error responses.

struct GraphQLResponse<Value: Decodable & Sendable>: Decodable {
    struct Failure: Decodable {
        var message: String
    }

    var data: Value?
    var errors: [Failure]?
}

enum QueryError: NetworkFailure {
    case refused(String)
    case network(NetworkError)

    init(_ error: NetworkError) {
        self = .network(error)
    }
}

struct Query<Value: Decodable & Sendable>: NetworkRequest {
    typealias ValueType = Value
    typealias ErrorType = QueryError

    let text: String

    var path: RequestPath { "graphql" }
    var method: HTTPMethod { .post }
    var body: (any NetworkEncodable)? { ["query": text] }

    func handleResponse(_ response: NetworkResponse) -> Result<
        Value, QueryError
    > {
        accept(response) { response in
            let decoded: GraphQLResponse<Value> = try response.value(
                using: decoder)
            if let failure = decoded.errors?.first {
                throw QueryError.refused(failure.message)
            }
            guard let data = decoded.data else {
                throw QueryError.refused("neither data nor errors")
            }
            return data
        }
    }
}

// The snippets of the article on errors.

enum UnreadableResponses {
    func report(_ error: NetworkError) {
        guard case .decoding(let failure) = error else { return print(error) }
        print(failure)
        #if DEBUG
        debugPrint(failure.cause)  // May quote what the server sent.
        #endif
    }

    static func days() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            return try Date(text, strategy: .iso8601.year().month().day())
        }

        return decoder
    }
}
