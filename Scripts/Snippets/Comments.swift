// What the code of doc comments needs around it: below the name of the file and the declaration, as a page has it in a
// comment. Scripts/snippets says more.

// MARK: FormBody.FormBody
let name = "Ada"
// MARK: NetworkEncodable.NetworkEncodable
struct Record: Codable {
    var sku: String
}
// MARK: NetworkProgress.isUpload
enum Cover: NetworkRequest {
    typealias ValueType = Void
    case upload(URL)
    var path: RequestPath { "cover" }
}
let covers = NetworkManager<Cover>(network)
// MARK: QueryEncoder.QueryEncoder
struct Filter: Encodable, Sendable {
    var formats: [String]
}
let filter = Filter(formats: ["LP"])
// MARK: RequestQuery.RequestQuery
let title = "Blue"
// MARK: RequestQuery.markingSensitive
struct Search: NetworkRequest {
    typealias ValueType = [Record]
    let key: String
    let page: Int
    var path: RequestPath { "records" }
    …
}
// MARK: NetworkOutcome.NetworkOutcome
@MainActor
final class Banner {
    var isHidden = true
}
@MainActor
func show(_ banner: Banner) async {
    …
}
// MARK: NetworkSession.at
let id = "north"
// MARK: NetworkSession.activity
@MainActor
final class Spinner {
    var isHidden = true
}
@MainActor
func show(_ spinner: Spinner) async {
    …
}
// MARK: NetworkTask.send
@MainActor
final class Model {
    var record: Record?
    func load() {
        …
    }
}
// MARK: Endpoint.Endpoint
struct Repository: Decodable, Sendable {
    var name: String
}
typealias GitHubError = InventoryError
// MARK: NetworkEnvironment.appending
let bucket = "shop"
// MARK: NetworkRequest.NetworkRequest
struct Record: Decodable, Sendable {
    var sku: String
}
// MARK: NetworkValue.NetworkValue
struct NoTotal: Error {}
// MARK: NetworkManager+Publisher.publisher
#if canImport(Combine)
import Combine
import RecordKitCombine
func subscribe(_ subscriptions: inout Set<AnyCancellable>) {
    …
}
#endif
// MARK: CurlTransport+Options.addresses
func connect(_ options: inout CurlTransport.Options) {
    …
}
// MARK: CurlTransport+Options.Proxy
func connectThroughProxy(_ options: inout CurlTransport.Options) {
    …
}
// MARK: NetworkClient+WebSocket.webSocket
struct Orders: NetworkRequest {
    typealias ValueType = Void
    var path: RequestPath { "orders" }
}
// MARK: WebSocket.WebSocket
struct Orders: NetworkRequest {
    typealias ValueType = Void
    var path: RequestPath { "orders" }
}
// MARK: MessageDigest.MessageDigest
struct Backup: NetworkRequest {
    typealias ValueType = Void
    var path: RequestPath { "backup" }
}
// MARK: AuthorizationPolicy.AuthorizationPolicy
enum Account: NetworkRequest {
    typealias ValueType = Void
    case signIn, newReleases, orders
    var path: RequestPath { "account" }
    …
}
// MARK: TokenSet.fields
func instance(of token: TokenSet) {
    …
}
// MARK: TokenSet.fields.2
struct Team: Decodable {
    var name: String
}
func workspace(of token: TokenSet) throws {
    …
}
// MARK: TokenSource.TokenSource
enum ShopError: Error { case signedOut }
extension NetworkRequest where Self == Endpoint<TokenSet, NetworkError> {
    static func refresh(_ token: String) -> Self { Endpoint(.post, path: "token") }
}
let signIn = NetworkSession(environment: .production)
// MARK: TokenSource.statusUpdates
@MainActor
func watch(_ tokens: TokenSource) async {
    var isSignInShown = false
    …
    print(isSignInShown)
}
// MARK: Backoff.Backoff
func pause(_ error: NetworkError) async throws {
    …
}
// MARK: IDToken.claims
func person(_ token: TokenSet) throws {
    …
}
// MARK: OAuthClient.OAuthClient
let server = OAuthServer(tokenURL: "https://id.store.example/token")
// MARK: Outbox+Sending.run
func start(_ outbox: Outbox) {
    …
}
// MARK: OutboxKind.OutboxKind
struct Receipt: Decodable, Sendable {
    var number: Int
}
struct PostSale: NetworkRequest, Codable {
    typealias ValueType = Receipt
    var path: RequestPath { "sales" }
}
actor Book {
    func settle(_ key: String, _ number: Int) throws {}
    func flag(_ key: String, _ error: NetworkError) throws {}
}
let book = Book()
// MARK: Outbox.Outbox
struct PostSale: NetworkRequest, Codable {
    typealias ValueType = Void
    let sku: String, copies: Int
    var path: RequestPath { "sales" }
}
actor Book {
    func settle(_ key: String, _ result: Result<Void, NetworkError>) throws {}
}
let book = Book()
// MARK: AWSInterceptor.AWSInterceptor
let credentials = AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretKey: "secret")
// MARK: AWSSignature.presignedURL
let credentials = AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretKey: "secret")
// MARK: HMAC.HMAC
let key = Data("key".utf8)
// MARK: MessageSignature.MessageSignature
let key = Data("key".utf8)
// MARK: MessageSignatureInterceptor.MessageSignatureInterceptor
let signature = MessageSignature(key: Data("key".utf8), keyID: "till-7")
// MARK: OAuth1Interceptor.OAuth1Interceptor
let client = OAuth1Client(key: "key", secret: "secret")
let token = OAuth1Token("token", secret: "secret")
// MARK: OAuth1SignIn.OAuth1SignIn
let client = OAuth1Client(key: "key", secret: "secret")
func open(_ page: URL) async throws -> URL { page }
func signIn(requestURL: URL, pageURL: URL, accessURL: URL) async throws {
    …
}
// MARK: NetworkClient+Download.download
struct Backup: NetworkRequest {
    typealias ValueType = Void
    var path: RequestPath { "backup" }
}
// MARK: NetworkClient+Elements.elements
struct AllRecords: NetworkRequest {
    typealias ValueType = [Record]
    var path: RequestPath { "records" }
}
// MARK: NetworkClient+Streaming.chunks
struct Backup: NetworkRequest {
    typealias ValueType = Void
    var path: RequestPath { "backup" }
}
// MARK: NetworkClient+Streaming.events
struct Changes: NetworkRequest {
    typealias ValueType = Void
    var path: RequestPath { "changes" }
}
// MARK: NetworkSequence.NetworkSequence
struct ServerLog: NetworkRequest {
    typealias ValueType = Void
    var path: RequestPath { "log" }
}
// MARK: PagedRequest.PagedRequest
struct Release: Decodable, Sendable {
    var title: String
}
// MARK: PagedRequest.next
struct Records: Decodable, Sendable {
    var items: [String]
    var cursor: String?
}
enum List: PagedRequest {
    typealias ValueType = Records
    typealias ErrorType = NetworkError
    case list(after: String), page(Int)
    var path: RequestPath { "records" }
    func items(of page: Records) -> [String] { page.items }
}
func next(after page: NetworkReply<Records>, number: Int) -> [NextPage<List>?] {
    …
    return [inHeader, inBody, byNumber]
}
// MARK: RouteTemplate.RouteTemplate
struct Releases: NetworkRequest {
    typealias ValueType = Void
    let artist: String
    let page: Int
    …
}
// MARK: LoopbackServer.LoopbackServer
let session = URLSession(configuration: .ephemeral)
// MARK: StubResponse+Stream.stream
let gate = ResponseGate()
// MARK: StubResponse+Stream.events
let eventGate = ResponseGate()
// MARK: StubResponse.StubResponse
let gate = ResponseGate()
// MARK: XMLTree.XMLTree
struct Catalog: NetworkRequest {
    typealias ValueType = XMLTree
    let id: String
    var path: RequestPath { "releases/\(id)" }
}
