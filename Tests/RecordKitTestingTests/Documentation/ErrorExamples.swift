import Foundation
import RecordKit
import RecordKitInterceptors

// The snippets of the articles on error responses and on refreshing tokens.

enum SignInError: NetworkFailure {
    case signedOut
    case network(NetworkError)

    init(_ error: NetworkError) {
        self =
            error.response?.statusCode == 400 ? .signedOut : .network(error)
    }
}

enum SignIn: NetworkRequest {
    typealias ValueType = AccessToken
    typealias ErrorType = SignInError

    case refresh(String)

    var path: RequestPath { "token" }
    var method: HTTPMethod { .post }

    var body: (any NetworkEncodable)? {
        switch self {
        case .refresh(let token): FormBody(["grant_type": "refresh_token", "refresh_token": token])
        }
    }
}

func tokens(
    from signIn: NetworkSession, in store: any CredentialStore
) -> TokenSource {
    TokenSource(store: store) { ended in
        guard let refresh = ended?.refresh else {
            throw SignInError.signedOut
        }
        do throws(SignInError) {
            return try await signIn.value(for: SignIn.refresh(refresh))
        } catch {
            switch error {
            case .signedOut: throw error
            case .network(let failure): throw failure
            }
        }
    }
}

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
