import Foundation
import RecordKit
import RecordKitCache
import RecordKitInterceptors
import RecordKitOAuth
import RecordKitTesting

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// What the snippets of several pages use without declaring it.

struct Record: Codable, Hashable, NetworkEncodable {
    var sku: String
    var title = "Blue"
    var quantity = 1
}

enum InventoryError: NetworkFailure {
    case notFound
    case conflict(current: Record?)
    case network(NetworkError)

    init(_ error: NetworkError) { self = .network(error) }
}

enum RecordService {
    enum One: NetworkRequest {
        typealias ValueType = Record
        typealias ErrorType = InventoryError

        case fetch(sku: String)
        case create(Record)

        var path: RequestPath { "records" }
    }

    enum Many: NetworkRequest {
        typealias ValueType = [Record]
        typealias ErrorType = InventoryError

        case list

        var path: RequestPath { "records" }
    }

    enum Nothing: NetworkRequest {
        typealias ValueType = Void
        typealias ErrorType = InventoryError

        case delete(sku: String)

        var path: RequestPath { "records" }
    }
}

struct Sale: Decodable {
    struct Item: Decodable { var soldOn: Date }

    var items: [Item]
}

struct RecordUpdate: NetworkRequest {
    typealias ValueType = Record
    typealias ErrorType = InventoryError

    let sku: String
    let record: Record

    var path: RequestPath { "records/\(sku)" }
}

struct Backup: NetworkRequest {
    typealias ValueType = Void

    var path: RequestPath { "backup" }
}

final class EventCounter: NetworkObserver {
    func observe(_ event: NetworkEvent, of call: NetworkCall) {}
}

extension JSONDecoder {
    static var store: JSONDecoder { JSONDecoder() }
}

extension NetworkEnvironment {
    static let production = NetworkEnvironment(host: "store.example")
    static let staging = NetworkEnvironment(host: "staging.store.example")
}

let environment = NetworkEnvironment.production
nonisolated(unsafe) var configuration = NetworkConfiguration(environment: .production)
let network = NetworkSession(.production)
let records = NetworkManager<RecordService.One>(network)
let page = 1
let name = "Ada"
let record = Record(sku: "LP-0042")
let sku = "LP-0042"
let request = RecordUpdate(sku: sku, record: record)
let parts: [MultipartBody.Part] = []
let counter = EventCounter()
let origin: CredentialScope = "https://store.example"
let server = "https://store.example"
let user = "Ada"
let password = "secret"
let secret = "secret"
let token = "token"
let key = "key"
let client = OAuthClient("inventory", at: OAuthServer(tokenURL: "https://id.store.example/token"))
let tokens = client.clientCredentialsTokens()
let cache = HTTPCache()
let stub = StubServer()
let clock = ManualClock()
let folder = URL.temporaryDirectory
let target = folder.appending(path: "backup.zip")
let file = folder.appending(path: "backup.zip")
let url = folder
let data = Data()

func show(_ values: Any...) {}
func showMessage(_ message: String) {}
func save(_ record: Record) {}
