import Foundation
import RecordKit
import Synchronization

/// The pages of a list, or their elements.
struct PageProducer<Request: PagedRequest, Element: Sendable>: ElementProducer {
    typealias Failure = Request.ErrorType
    private typealias Page = NetworkPage<Request>

    private let options: PagingOptions
    private let loader: PageLoader<Request>
    private let elements: @Sendable (NetworkPage<Request>) -> [Element]
    /// The request whose URL changes for ``NextPage/url(_:)``.
    private var request: Request
    private var next: NextPage<Request>?
    /// The page that was loaded for its head and has not been read.
    private var opened: Page?
    private var ahead: PageAhead<Request>?
    private var pagesLeft: Int
    private let history = PageHistory()

    init(
        first request: Request, next: NextPage<Request>, options: PagingOptions, loader: PageLoader<Request>,
        elements: @escaping @Sendable (NetworkPage<Request>) -> [Element]
    ) {
        self.request = request
        self.next = next
        self.options = options
        self.loader = loader
        self.elements = elements
        pagesLeft = options.pageLimit
    }

    mutating func open(_ lifetime: StreamLifetime) async throws(Failure) -> NetworkResponse {
        opened = try await load(lifetime)
        // Without a response, there is no status. A limit of zero leaves no page.
        var head = opened?.reply.response ?? NetworkResponse(statusCode: 0, url: URL(filePath: "/"))
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
        let page: Page
        if let ahead = ahead.take() {
            page = try await ahead.page().get()
        } else {
            guard let target = nextTarget() else { return nil }
            page = try await loader.page(of: request, at: target, in: history, options, lifetime).get()
        }
        next = page.next
        if options.loadsAhead, let target = nextTarget() {
            let (request, loader, history, options) = (request, loader, history, options)
            ahead = PageAhead(lifetime) { await loader.page(of: request, at: target, in: history, options, $0) }
        }
        return page
    }

    /// Takes the place of the next page. Returns `nil` if there is none, or if the limit is reached.
    private mutating func nextTarget() -> PageTarget? {
        guard let next, pagesLeft > 0 else { return nil }
        pagesLeft -= 1
        switch next {
        case .url(let url): return .url(url)
        case .request(let other):
            request = other
            return .own
        }
    }
}

/// Where a page is: at the URL of its request, or at another one.
enum PageTarget: Sendable {
    case own
    case url(URL)
}

/// The pages that were requested, to detect loops and other origins.
final class PageHistory: Sendable {
    private struct State: ~Copyable {
        /// The origin of the first request, whose header fields every page is sent with.
        var origin: URLOrigin?
        /// The hashes of the calls that were made.
        var calls: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Moves the call of a page to its URL, and checks it.
    func check(
        _ call: inout NetworkCall, _ target: PageTarget, _ options: PagingOptions, _ configure: NetworkCall.Change
    ) throws(NetworkError) {
        let own = call.origin
        if case .url(let url) = target {
            guard let resolved = call.resolved(url) else {
                throw Self.invalid(call, "the URL of the next page is not an http or https URL")
            }
            call.url = resolved
        }
        try configure(&call)
        let (origin, page) = (call.origin, call.pageHash)
        let (first, isNew) = state.withLock { state in
            // A URL to start at was stored by the app, but came from the server.
            let first = state.origin ?? own
            if first == origin || options.allowsOtherOrigins { state.origin = first }
            return (first, state.calls.insert(page).inserted)
        }
        if first != origin, !options.allowsOtherOrigins {
            throw Self.invalid(
                call,
                "the next page is on another server, \(origin.hostAndPort); set `allowsOtherOrigins` to send the "
                    + "header fields of this request there")
        }
        if !isNew {
            throw Self.invalid(call, "the next page is one that was read before, so that the list would never end")
        }
    }

    private static func invalid(_ call: NetworkCall, _ reason: String) -> NetworkError {
        .invalidRequest(NetworkError.InvalidRequest(request: call.name, member: .baseURL, reason: reason))
    }
}

/// Sends the calls of pages.
struct PageLoader<Request: PagedRequest>: Sendable {
    let client: any NetworkClient
    let configure: NetworkCall.Change

    func page(
        of request: Request, at target: PageTarget, in history: PageHistory, _ options: PagingOptions,
        _ lifetime: StreamLifetime
    ) async -> Result<NetworkPage<Request>, Request.ErrorType> {
        await lifetime.run { () async -> Result<NetworkPage<Request>, Request.ErrorType> in
            do throws(Request.ErrorType) {
                let reply = try await client.reply(for: request) { call throws(NetworkError) in
                    try history.check(&call, target, options, configure)
                }
                return .success(
                    NetworkPage(reply: reply, items: request.items(of: reply.value), next: request.next(after: reply)))
            } catch {
                return .failure(error)
            }
        }
    }
}

/// A page that is being loaded. Releasing it cancels its call.
private final class PageAhead<Request: PagedRequest>: Sendable {
    private let task: Task<Result<NetworkPage<Request>, Request.ErrorType>, Never>

    init(
        _ lifetime: StreamLifetime,
        _ load: @escaping @Sendable (StreamLifetime) async -> Result<NetworkPage<Request>, Request.ErrorType>
    ) {
        task = Task { await load(lifetime) }
    }

    deinit {
        task.cancel()
    }

    func page() async -> Result<NetworkPage<Request>, Request.ErrorType> {
        await task.value
    }
}

extension NetworkCall {
    /// A hash of what distinguishes a page from others: its method, URL, header fields and body.
    fileprivate var pageHash: Int {
        var hasher = Hasher()
        hasher.combine(method)
        hasher.combine(url)
        hasher.combine(headers)
        if case .data(let data) = body?.content { hasher.combine(data) }
        return hasher.finalize()
    }
}
