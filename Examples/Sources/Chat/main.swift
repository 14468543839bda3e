// Prints a text while the server writes it, as language models stream theirs.
// Start the server with `python3 Scripts/servers/store-server.py`, then type `swift run Chat`.
import RecordKit
import RecordKitStreaming

struct Chunk: Decodable {
    var text: String
}

struct Completion: NetworkRequest {
    typealias ValueType = Void

    let prompt: String

    var path: RequestPath { "chat" }
    var method: HTTPMethod { .post }
    var body: [String: String] { ["prompt": prompt] }
}

let server = CommandLine.arguments.dropFirst().first ?? "http://localhost:8642"
let network = NetworkSession(NetworkEnvironment(server))

do {
    // A stream that is lost after its end mark isn't connected again.
    for try await event in network.events(for: Completion(prompt: "Which record is blue?"), reconnect: .never) {
        if event.data == "[DONE]" { break }
        print(try event.value(as: Chunk.self).text, terminator: "")
    }
    print()
} catch {
    print("The text is not complete. \(error)")
}
