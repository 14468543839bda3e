import Foundation
import RecordKit
import RecordKitInterceptors

enum SignInError: NetworkFailure {
    case signedOut
    case network(NetworkError)

    init(_ error: NetworkError) {
        self = error.response?.statusCode == 400 ? .signedOut : .network(error)
    }
}

enum SignIn: NetworkRequest {
    typealias ValueType = Token
    typealias ErrorType = SignInError

    case renew(String)

    var path: RequestPath { "token" }
    var method: HTTPMethod { .post }

    var body: (any NetworkEncodable)? {
        switch self {
        case .renew(let refresh): FormBody(["grant_type": "refresh_token", "refresh_token": refresh])
        }
    }
}

func tokens(from signIn: NetworkConfiguration, in store: any CredentialStore) -> TokenSource {
    TokenSource(store: store) { ended in
        guard let refresh = ended?.refresh else { throw SignInError.signedOut }
        do throws(SignInError) {
            return try await signIn.value(for: SignIn.renew(refresh))
        } catch {
            switch error {
            case .signedOut: throw error
            case .network(let failure): throw failure
            }
        }
    }
}

struct Answer<Value: Decodable & Sendable>: Decodable {
    struct Refusal: Decodable {
        var message: String
    }

    var data: Value?
    var errors: [Refusal]?
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

    func handleResponse(_ response: NetworkResponse) -> Result<Value, QueryError> {
        accept(response) { response in
            let answer: Answer<Value> = try response.value(using: decoder)
            if let refusal = answer.errors?.first { throw QueryError.refused(refusal.message) }
            guard let data = answer.data else { throw QueryError.refused("neither data nor errors") }
            return data
        }
    }
}
