import Foundation
import RecordKit

/// Movies, for developers used to a router: endpoints, parameters and their encoding, environments, and outcomes.
///
/// | there | here |
/// |---|---|
/// | `EndPointType` | ``NetworkRequest`` |
/// | a base URL from a global environment | ``NetworkEnvironment``, passed to the configuration |
/// | `HTTPTask.requestParameters(url:)` | `query` |
/// | `HTTPTask.requestParameters(body:)` | `body`, with its own content type |
/// | `…AndHeaders` | `headers` |
/// | `URLParameterEncoder`, `JSONParameterEncoder` | ``QueryEncoder``, `encoder` |
/// | `Router.request` | `NetworkManager.send`, which returns a handle; any number at once |
/// | `Router.cancel` | `NetworkTask.cancel`, `NetworkManager.cancelAll` |
/// | a status mapped to a string | the domain's own error |
enum Movies {
    struct Movie: Decodable, Equatable {
        let id: Int
        let title: String
        let rating: Double

        enum CodingKeys: String, CodingKey {
            case id, title
            case rating = "vote_average"
        }
    }

    struct Page: Decodable, Equatable {
        let page: Int
        let movies: [Movie]

        enum CodingKeys: String, CodingKey {
            case page
            case movies = "results"
        }
    }

    struct Filter: Encodable {
        var releasedAfter: Date?
        var withGenres: [Int] = []
        var includeVideo = false
    }

    enum Failure: NetworkFailure {
        case authentication
        case badRequest
        case outdated
        case noData
        case unableToDecode(NetworkError)
        case failed(NetworkError)

        init(_ error: NetworkError) {
            self =
                switch error {
                case .status(let response) where response.statusCode == 401 || response.statusCode == 403:
                    .authentication
                case .status(let response) where response.statusCode == 410 || response.statusCode == 426: .outdated
                case .status(let response) where (400..<500).contains(response.statusCode): .badRequest
                case .decoding(let failure) where failure.response.body.isEmpty: .noData
                case .decoding: .unableToDecode(error)
                default: .failed(error)
                }
        }
    }

    /// The requirements that all requests of the domain share.
    protocol Endpoint: NetworkRequest where ErrorType == Failure {}

    /// Requests without parameters, and with parameters in the query.
    enum Lists: Endpoint {
        typealias ValueType = Page

        case popular(page: Int)
        case upcoming
        case discover(Filter)

        var path: RequestPath {
            switch self {
            case .popular: "movie/popular"
            case .upcoming: "movie/upcoming"
            case .discover: "discover/movie"
            }
        }

        var query: RequestQuery {
            switch self {
            case .popular(let page): ["page": page]
            case .upcoming: [:]
            case .discover(let filter):
                RequestQuery(
                    encoding: filter,
                    using: QueryEncoder(
                        arrays: .commas, dates: .formatted { String($0.ISO8601Format().prefix(10)) }, keys: .snakeCase))
            }
        }
    }

    /// Requests with parameters in the body, and with headers.
    enum Ratings: Endpoint {
        typealias ValueType = Void

        case rate(movie: Int, stars: Double, session: String)
        case logIn(user: String, password: String)

        var path: RequestPath {
            switch self {
            case .rate(let movie, _, _): "movie/\(movie)/rating"
            case .logIn: "session"
            }
        }

        var method: HTTPMethod { .post }

        var headers: HTTPHeaders {
            switch self {
            case .rate(_, _, let session): ["Session-ID": session]
            case .logIn: [:]
            }
        }

        var body: (any NetworkEncodable)? {
            switch self {
            case .rate(_, let stars, _): ["value": stars]
            case .logIn(let user, let password): FormBody(["username": user, "password": password])
            }
        }
    }
}

extension NetworkEnvironment {
    static let moviesQA = NetworkEnvironment(host: "qa.movies.example", version: "3")
    static let moviesStaging = NetworkEnvironment(host: "staging.movies.example", version: "3")
    static let moviesProduction = NetworkEnvironment(host: "movies.example", version: "3")
}
