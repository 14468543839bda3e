// A till that sells while its server can't be reached: `swift run Till [SERVER]`, first without a server, then with
// `python3 Scripts/servers/store-server.py`. The sales are in the file till.sqlite until they have arrived.
import Foundation
import RecordKit
import RecordKitOutbox

struct PostSale: NetworkRequest, Codable {
    typealias ValueType = Void

    let sku: String
    let copies: Int

    var path: RequestPath { "records/\(sku)/sales" }
    var method: HTTPMethod { .post }
    var body: [String: Int] { ["copies": copies] }
}

let server = CommandLine.arguments.dropFirst().first ?? "http://localhost:8642"
let file = URL(filePath: CommandLine.arguments.dropFirst(2).first ?? "till.sqlite")
let network = NetworkSession(NetworkEnvironment(server))
let outbox = try Outbox(
    file: file, client: network,
    kinds: [
        OutboxKind("sale", PostSale.self) { reply in
            switch reply.result {
            case .success: print("Sold \(reply.request.copies) of \(reply.request.sku).")
            case .failure(let error): print("The server refused a sale: \(error)")
            }
        }
    ])

// It is on the disk when `add` returns.
try await outbox.add(PostSale(sku: "LP-0042", copies: 1))
let status = await outbox.sendPending()
print(status.waiting.map { "\($0) waiting" } ?? "The file \(file.path) can't be read.")
