import Foundation

/// The pages of a list, or their elements.
struct PageProducer<Request: PagedRequest, Element: Sendable>: ElementProducer {
    typealias Failure = Request.ErrorType
    private typealias Page = NetworkPage<Request>

    private let options: PagingOptions
    private let loader: PageLoader
    private let elements: @Sendable (NetworkPage<Request>) -> [Element]
    /// The request whose URL changes for ``NextPage/url(_:)``.
    private var request: Request
    private var next: NextPage<Request>?
    /// The page that was loaded for its head and has not been read.
    private var opened: Page?
    private var ahead: PageAhead<Request>?
    private var pagesLeft: Int
    /// The origin of the first request, whose header fields every page is sent with.
    private var origin: Origin?
    /// The hashes of the calls that were made, to detect loops.
    private var calls: Set<Int> = []

    init(
        first request: Request, next: NextPage<Request>, options: PagingOptions, loader: PageLoader,
        elements: @escaping @Sendable (NetworkPage<Request>) -> [Element]
    ) {
        self.request = request
        self.next = next
        self.options = options
        self.loader = loader
        self.elements = elements
        pagesLeft = options.limit
    }

    mutating func open(_ lifetime: StreamLifetime) async throws(Failure) -> NetworkResponse {
        opened = try await load(lifetime)
        // Without a response, there is no status. A limit of zero leaves no page.
        var head = opened?.response ?? NetworkResponse(statusCode: 0, url: URL(filePath: "/"))
        head.body = Data()
        return head
    }

    mutating func next(_ lifetime: StreamLifetime) async -> ElementBatch<Element, Failure> {
        do throws(Failure) {
            while let page = if let opened = opened.take() { opened as Page? } else { try await load(lifetime) } {
                let elements = elements(page)
                if !elements.isEmpty { return ElementBatch(elements: elements) }
            }
            return ElementBatch(end: .success(()))
        } catch {
            return ElementBatch(end: .failure(error))
        }
    }

    /// Loads the next page. Returns `nil` after the last one.
    private mutating func load(_ lifetime: StreamLifetime) async throws(Failure) -> Page? {
        let ahead = self.ahead.take()
        guard let call = ahead == nil ? try nextCall() : nil else { return try await finish(ahead?.page(), lifetime) }
        return try await finish(loader.page(of: request, call, lifetime), lifetime)
    }

    /// Notes where the next page is, and starts to load it if it is to be loaded ahead.
    private mutating func finish(
        _ result: Result<Page, Failure>?, _ lifetime: StreamLifetime
    ) throws(Failure) -> Page? {
        guard let page = try result?.get() else { return nil }
        next = page.next
        if options.loadsAhead, let call = try? nextCall() {
            ahead = PageAhead(loader, request, call, lifetime)
        }
        return page
    }

    /// Returns the call of the next page. Returns `nil` if there is none, or if the limit is reached.
    private mutating func nextCall() throws(Failure) -> NetworkCall? {
        guard let next, pagesLeft > 0 else { return nil }
        do throws(NetworkError) {
            var url: URL?
            switch next {
            case .url(let target):
                // A URL to start at was stored by the app, but came from the server.
                if origin == nil { origin = try loader.call(for: request, at: nil).origin }
                url = target
            case .request(let other): request = other
            }
            let call = try loader.call(for: request, at: url)
            if let origin, call.origin != origin, !options.allowsOtherOrigins {
                throw call.invalid(
                    .baseURL,
                    "the next page is on another server, \(call.origin.hostAndPort); set `allowsOtherOrigins` to send the "
                        + "header fields of this request there")
            }
            guard calls.insert(call.pageHash).inserted else {
                throw call.invalid(
                    .baseURL, "the next page is one that was read before, so that the list would never end")
            }
            origin = origin ?? call.origin
            pagesLeft -= 1
            return call
        } catch {
            throw Failure(error)
        }
    }
}

/// Builds and sends the calls of pages.
struct PageLoader: Sendable {
    let configuration: NetworkConfiguration
    let configure: @Sendable (inout NetworkCall) -> Void

    /// Returns the call of a page.
    ///
    /// - Parameter url: The URL of the page, if it isn't that of the request.
    func call(for request: some NetworkRequest, at url: URL?) throws(NetworkError) -> NetworkCall {
        var call = try configuration.call(for: request)
        if let url {
            guard let target = RedirectTarget.resolve(url.absoluteString, against: call.url) else {
                throw call.invalid(.baseURL, "the URL of the next page is not an http or https URL")
            }
            call.url = target
        }
        configure(&call)
        return call
    }

    func page<Request: PagedRequest>(
        of request: Request, _ call: NetworkCall, _ lifetime: StreamLifetime
    ) async -> Result<NetworkPage<Request>, Request.ErrorType> {
        call.report(.built, since: call.clock.now())
        do throws(Request.ErrorType) {
            let reply = try await configuration.reply(of: request, call, lifetime.begin)
            return .success(
                NetworkPage(
                    value: reply.value, items: request.items(of: reply.value), response: reply.response,
                    next: request.next(after: reply)))
        } catch {
            return .failure(error)
        }
    }
}

/// A page that is being loaded. Releasing it cancels its call.
private final class PageAhead<Request: PagedRequest>: Sendable {
    private let task: Task<Result<NetworkPage<Request>, Request.ErrorType>, Never>

    init(_ loader: PageLoader, _ request: Request, _ call: NetworkCall, _ lifetime: StreamLifetime) {
        task = Task { await loader.page(of: request, call, lifetime) }
    }

    deinit {
        task.cancel()
    }

    func page() async -> Result<NetworkPage<Request>, Request.ErrorType> {
        await task.value
    }
}

extension NetworkCall {
    /// A hash of what tells a page from others: its method, URL, header fields and body.
    fileprivate var pageHash: Int {
        var hasher = Hasher()
        hasher.combine(method)
        hasher.combine(url)
        hasher.combine(headers)
        if case .data(let data) = body?.content { hasher.combine(data) }
        return hasher.finalize()
    }
}
