public import Foundation
public import RecordKit

/// A request whose response is one page of a list, and names the next page.
///
/// ```swift
/// enum Releases: PagedRequest {
///     typealias ValueType = [Release]
///     typealias Item = Release
///     typealias ErrorType = NetworkError
///
///     case all(label: String)
///
///     var path: RequestPath { "releases" }
///     var query: RequestQuery {
///         switch self {
///         case .all(let label): ["label": label]
///         }
///     }
/// }
///
/// for try await release in network.items(for: Releases.all(label: "4AD")) {
///     print(release.title)
/// }
/// ```
///
/// By default, the next page is the target of the link `next` in the response's `Link` field (RFC 8288). Other servers
/// need an implementation of ``next(after:)``.
public protocol PagedRequest: NetworkRequest where ErrorType: NetworkFailure {
    /// The type of the elements of a page.
    associatedtype Item: Sendable

    /// Returns the elements of a page. By default, the page is an array of them.
    ///
    /// - Parameter page: The value of a response.
    func items(of page: ValueType) -> [Item]

    /// Returns where the page after this one is, or `nil` if this is the last one.
    ///
    /// ```swift
    /// // A URL in another header field, such as Kinto's:
    /// let inHeader: NextPage<List>? = page.response?.headers["Next-Page"]
    ///     .flatMap { URL(string: $0) }.map { .url($0) }
    /// // A cursor in the body:
    /// let inBody: NextPage<List>? = page.value.cursor.map {
    ///     .request(.list(after: $0))
    /// }
    /// // Page numbers:
    /// let byNumber: NextPage<List>? =
    ///     page.value.items.isEmpty ? nil : .request(.page(number + 1))
    /// ```
    ///
    /// The default takes the link `next` of the `Link` field.
    ///
    /// - Parameter page: The value of this request, and the response that it was read from.
    func next(after page: NetworkReply<ValueType>) -> NextPage<Self>?
}

extension PagedRequest where ValueType == [Item] {
    /// The page itself.
    public func items(of page: [Item]) -> [Item] { page }
}

extension PagedRequest {
    /// The target of the link `next` in the `Link` field (RFC 8288).
    public func next(after page: NetworkReply<ValueType>) -> NextPage<Self>? {
        page.response?.link("next").map { .url($0) }
    }
}

/// Where the next page of a list is. An app may store it to go on later.
@nonexhaustive
public enum NextPage<Request: PagedRequest>: Sendable {
    /// The same request at another URL, with the same header fields. Its query is that of the URL.
    ///
    /// A relative URL is resolved against that of the request. A user and a password in the URL aren't sent.
    case url(URL)
    /// Another request.
    case request(Request)
}

/// A page of a list.
public struct NetworkPage<Request: PagedRequest>: Sendable {
    /// The value of the page's response, and the response.
    public var reply: NetworkReply<Request.ValueType>
    /// The elements of the page.
    public var items: [Request.Item]
    /// Where the next page is, or `nil` after the last one. Pass it as `from` to go on from there later.
    public var next: NextPage<Request>?
}

/// How the pages of a list are loaded.
public struct PagingOptions: Sendable, Hashable {
    /// The largest number of pages. Default: no limit.
    ///
    /// The sequence ends after that many pages. ``NetworkPage/next`` of the last one is where to go on.
    public var pageLimit: Int
    /// Whether the next page is loaded while the app reads the present one. Default: no.
    ///
    /// The request of a page may then be sent although the app doesn't read that far.
    public var loadsAhead: Bool
    /// Whether the next page may be on another scheme, host or port. Default: no.
    ///
    /// The header fields of the request are sent there too, so a server could direct credentials elsewhere.
    public var allowsOtherOrigins: Bool

    /// Creates options.
    ///
    /// - Parameters:
    ///   - pageLimit: The largest number of pages.
    ///   - loadsAhead: Whether the next page is loaded while the app reads the present one.
    ///   - allowsOtherOrigins: Whether the next page may be on another scheme, host or port.
    public init(pageLimit: Int = .max, loadsAhead: Bool = false, allowsOtherOrigins: Bool = false) {
        self.pageLimit = pageLimit
        self.loadsAhead = loadsAhead
        self.allowsOtherOrigins = allowsOtherOrigins
    }
}

extension NetworkClient {
    /// Returns the pages of a list, each loaded when it is read.
    ///
    /// Every page is a separate call, with the request's timeout, deadline and interceptors. A page at another origin
    /// and a page that was read before, which would be read forever, fail with `NetworkError.invalidRequest(_:)`.
    ///
    /// - Parameters:
    ///   - request: The request of the first page.
    ///   - start: Where to start. `nil` starts at the first page.
    ///   - options: How pages are loaded.
    ///   - configure: Changes the call of each page before the interceptors.
    /// - Returns: The pages. The first call starts when they are read.
    public func pages<Request: PagedRequest>(
        for request: Request, from start: NextPage<Request>? = nil, options: PagingOptions = PagingOptions(),
        configure: @escaping NetworkCall.Change = { _ in }
    ) -> NetworkSequence<NetworkPage<Request>, Request.ErrorType> {
        NetworkSequence(
            PageProducer(
                first: request, next: start ?? .request(request), options: options,
                loader: PageLoader(client: self, configure: configure)
            ) { [$0] })
    }

    /// Returns the elements of all pages of a list. See ``pages(for:from:options:configure:)``.
    ///
    /// - Parameters:
    ///   - request: The request of the first page.
    ///   - start: Where to start. `nil` starts at the first page.
    ///   - options: How pages are loaded.
    ///   - configure: Changes the call of each page before the interceptors.
    /// - Returns: The elements. The first call starts when they are read.
    public func items<Request: PagedRequest>(
        for request: Request, from start: NextPage<Request>? = nil, options: PagingOptions = PagingOptions(),
        configure: @escaping NetworkCall.Change = { _ in }
    ) -> NetworkSequence<Request.Item, Request.ErrorType> {
        NetworkSequence(
            PageProducer(
                first: request, next: start ?? .request(request), options: options,
                loader: PageLoader(client: self, configure: configure)
            ) { $0.items })
    }
}
