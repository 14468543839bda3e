import Foundation
import RecordKit
import RecordKitInterceptors

/// A form that is sent to an endpoint of the server.
struct EndpointRequest: NetworkRequest {
    typealias ValueType = EndpointFields
    typealias ErrorType = OAuthError

    let endpoint: String
    let form: RequestQuery
    let headers: HTTPHeaders

    var baseURL: String { endpoint }
    var path: RequestPath { "" }
    var method: HTTPMethod { .post }
    /// Codes are valid for minutes, so logs hide them. So do error descriptions, which may quote them.
    var body: (any NetworkEncodable)? {
        FormBody(form.markingSensitive("code", "user_code", "verification_uri_complete", "error_description"))
    }
    /// A redirect would carry the client's secret on. An endless response ends at a limit.
    var options: RequestOptions { RequestOptions(deadline: .seconds(120), sizeLimit: 1 << 20, redirects: .never) }

    /// Reads the fields of a response with the status 2xx, or the error of any response (GitHub sends it with 200).
    func handleResponse(_ response: NetworkResponse) -> Result<EndpointFields, OAuthError> {
        let fields = EndpointFields(response)
        if let refusal = OAuthError.Refusal(fields.values, response: response) { return .failure(.refused(refusal)) }
        return response.isSuccess ? .success(fields) : .failure(.network(.status(response)))
    }
}

extension EndpointRequest: CustomStringConvertible, CustomReflectable {
    var description: String { "EndpointRequest" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The fields of a response, read from JSON or a form. Empty if the response is neither.
struct EndpointFields: Sendable {
    let values: [String: TokenSet.Field]
    let response: NetworkResponse

    init(_ response: NetworkResponse) {
        self.response = response
        if let values = try? JSONDecoder().decode([String: TokenSet.Field].self, from: response.body) {
            self.values = values
        } else if ["application/x-www-form-urlencoded", "text/plain"].contains(response.mediaType?.essence) {
            let items = RequestQuery(parsing: String(decoding: response.body, as: UTF8.self)).items
            values = Dictionary(items.map { ($0.name, .string($0.value)) }) { first, _ in first }
        } else {
            values = [:]
        }
    }

    subscript(name: String) -> TokenSet.Field? { values[name] }

    /// The time in a field that counts seconds, if it is positive, but at most a limit.
    func duration(_ name: String, limit: Double) -> Double? {
        values[name]?.number.flatMap { $0 > 0 ? min($0, limit) : nil }
    }

    func invalid(_ reason: String) -> OAuthError {
        .badResponse(OAuthError.BadResponse(reason: reason, response: response))
    }
}

extension TokenSet.Field {
    /// The number, also if it is in a string.
    var number: Double? {
        switch self {
        case .string(let string): Double(string)
        case .integer(let integer): Double(integer)
        case .number(let number): number
        case .bool, .array, .object, .null: nil
        }
    }

    /// The http or https URL in a string.
    var webURL: URL? {
        guard let url = string.flatMap({ URL(string: $0) }), url.host()?.isEmpty == false else { return nil }
        return ["http", "https"].contains(url.scheme?.lowercased()) ? url : nil
    }

    /// The string, or the strings of an array with spaces between them.
    var joined: String? {
        guard case .array(let fields) = self else { return string }
        return fields.compactMap(\.string).joined(separator: " ")
    }
}
