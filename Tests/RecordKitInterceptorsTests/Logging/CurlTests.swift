import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class CurlTests: TimedTestCase {
    private func call(
        _ url: String = "https://store.example/a", _ method: HTTPMethod = .get, headers: HTTPHeaders = [:],
        body: EncodedBody? = nil, sensitiveNames: Set<String> = []
    ) throws -> NetworkCall {
        var headers = headers
        headers.markSensitive(sensitiveNames)
        return NetworkCall(url: try XCTUnwrap(URL(string: url)), method: method, headers: headers, body: body)
    }

    /// A variable that is encoded for a query.
    private func inQuery(_ name: String) -> String {
        #""$(printf %s "$\#(name)" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g;s/%3a/:/')""#
    }

    /// A variable that is escaped for a JSON string.
    private func inJSON(_ name: String) -> String { #""$(printf %s "$\#(name)" | sed 's/[\\"]/\\&/g')""# }

    func testSecretsAreVariables() throws {
        XCTAssertEqual(try call().curl, "curl 'https://store.example/a'")
        XCTAssertEqual(
            try call(headers: ["Authorization": "Bearer s3cret", "Accept": "it's"]).curl,
            #"curl --header 'Authorization: '"$AUTHORIZATION" --header 'Accept: it'\''s' 'https://store.example/a'"#)
        XCTAssertEqual(
            try call(headers: ["Referer": "https://store.example/?token=s3cret"]).curl,
            #"curl --header 'Referer: '"$REFERER" 'https://store.example/a'"#)
        XCTAssertEqual(
            try call("https://h/?a=1&till=s3cret&b=%20#f", .delete, sensitiveNames: ["till"]).curl,
            "curl --request 'DELETE' 'https://h/?a=1&till='\(inQuery("TILL"))'&b=%20'")
        XCTAssertEqual(
            try call(
                "https://u:s3cret@h/", .post, headers: ["Content-Type": "application/json", "X-API-Key": "s3cret"],
                body: EncodedBody(Data(#"{"password":"s3cret","x-api-key":"s3cret"}"#.utf8))
            ).curl,
            #"curl --header 'Content-Type: application/json' --header 'X-API-Key: '"$X_API_KEY" --data-raw "#
                + #"'{"password":"'\#(inJSON("PASSWORD"))'","x-api-key":"'\#(inJSON("X_API_KEY_2"))'"}' "#
                + "'https://'\(inQuery("CREDENTIALS"))'@h/'")
        XCTAssertEqual(
            try call("https://h/?path=s3cret&7up=s3cret", sensitiveNames: ["path", "7up"]).curl,
            "curl 'https://h/?path='\(inQuery("VALUE_PATH"))'&7up='\(inQuery("VALUE_7UP"))")
        // An item without a value, and an @ without credentials before it.
        XCTAssertEqual(
            try call("https://h/b?c=1&token=s3'cret&d=2").curl,
            "curl 'https://h/b?c=1&token='\(inQuery("TOKEN"))'&d=2'")
        XCTAssertEqual(try call("https://h/a@b?token&c=d@e").curl, "curl 'https://h/a@b?token&c=d@e'")
    }

    func testALineWithoutItsCredentialSaysSo() throws {
        let scope: CredentialScope = "https://store.example"
        let ask = Ask<Data>()
        func line(_ interceptors: [any NetworkInterceptor], _ ask: Ask<Data>) throws -> String {
            try NetworkSession(CannedTransport(), interceptors).call(for: ask).curl
        }
        let signers: [any NetworkInterceptor] = [
            RetryInterceptor(), AuthorizationInterceptor(.bearer("s3cret"), for: scope),
        ]
        let note = ": 'no credential: AuthorizationInterceptor adds it when the call is sent'; curl "
        XCTAssertTrue(try line(signers, ask).hasPrefix(note))
        XCTAssertTrue(try line([RetryInterceptor()], ask).hasPrefix("curl "))
        XCTAssertTrue(try line(signers, Ask(headers: ["Authorization": "own"])).hasPrefix("curl "))
        XCTAssertTrue(try line(signers, Ask(query: ["token": "own"])).hasPrefix("curl "))
    }

    func testArgumentsThatCurlWouldMisread() throws {
        XCTAssertEqual(try call("https://h/", .post).curl, "curl --request 'POST' 'https://h/'")
        XCTAssertEqual(try call("https://[::1]:80/").curl, "curl --globoff 'https://[::1]:80/'")
    }

    /// Runs a command in a shell with variables.
    private func run(_ command: String, _ variables: [String: String] = [:]) throws {
        let script = URL.temporaryDirectory.appending(path: "curl-\(UUID())")
        try Data(command.utf8).write(to: script)
        defer { try? FileManager.default.removeItem(at: script) }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [script.path()]
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, command)
    }

    func testACommandSendsWhatTheCallWouldSend() async throws {
        let server = try LoopbackServer(responses: [.status(204)])
        let nasty = "'; touch /tmp/never; echo '$(id) `id` \\ \"x\" '\u{301} é\n@file"
        let bodies: [(Data, String)] = [
            (Data(nasty.utf8), "text/markdown"), (Data("@/etc/hostname".utf8), "application/vnd.shop"),
            (Data(), "text/plain"),
            (Data([0, 1, 2, 255, 254, 10, 0]), "application/octet-stream"),
            (Data(repeating: 65, count: 1_200_000), "application/octet-stream"),
        ]
        for (index, (body, type)) in bodies.enumerated() {
            let call = try call(
                "\(server.url)/a%20b/$HOME;x?q=%27&w=a'b", index.isMultiple(of: 2) ? .post : .put,
                headers: [
                    "X-Nasty": "it's $(id) \"q\" \\", "X-Empty": "", "X-Blank": "  ", "Content-Type": type,
                    "Authorization": "Bearer s3cret", "Cookie": "a=s3cret", "cookie": "b=s3cret",
                ],
                body: EncodedBody(body, contentType: type))
            XCTAssertFalse(call.curl.contains("s3cret"))
            try run(call.curl, ["AUTHORIZATION": "Bearer s3cret", "COOKIE": "a=s3cret; b=s3cret"])

            let request = try await server.request(at: index)
            XCTAssertEqual(request.method, call.method)
            XCTAssertEqual(request.target, "/a%20b/$HOME;x?q=%27&w=a'b")
            XCTAssertEqual(request.body, body)
            XCTAssertEqual(request.header("X-Nasty"), "it's $(id) \"q\" \\")
            XCTAssertEqual(request.header("X-Empty"), "")
            XCTAssertEqual(request.header("X-Blank"), "")
            XCTAssertEqual(request.header("Cookie"), "a=s3cret; b=s3cret")
            XCTAssertNil(request.header("Expect"))
            XCTAssertEqual(request.header("Content-Type"), type)
            XCTAssertEqual(request.header("Authorization"), "Bearer s3cret")
        }
    }

    /// A value is encoded for its place, so that no character of it ends the place or begins another.
    func testSecretFieldsComeFromTheirVariables() async throws {
        let server = try LoopbackServer(responses: [.status(204)])
        let address = server.url.absoluteString.replacing("//", with: "//user:s3cret@")
        let json = #"{"user":"a","password":"s3cret","n":1,"pin":123,"token":{"a":"s3cret"}}"#
        let form = "a=1&password=s3cret&b=2"
        let calls = [
            try call(
                "\(address)/?x=1&access_token=s3cret&y=2", .post,
                body: EncodedBody(Data(json.utf8), contentType: "application/json"), sensitiveNames: ["pin"]),
            try call(
                "\(address)/?x=1&access_token=s3cret&y=2", .post,
                body: EncodedBody(Data(form.utf8), contentType: "application/x-www-form-urlencoded")),
            // In commands that print the body.
            try call(
                "\(address)/?x=1&access_token=s3cret&y=2", .post,
                body: EncodedBody(Data((form + "&z=\u{0}").utf8), contentType: "application/x-www-form-urlencoded")),
        ]
        var index = 0
        for secret in ["plain", "a&b=c%41+d é#?/", "it's \"$(id)\" `x` \\ \\\"", "{[\"a\":1]}", "@/etc/hostname"] {
            for call in calls {
                XCTAssertFalse(call.curl.contains("s3cret"), call.curl)
                try run(
                    call.curl,
                    [
                        "PASSWORD": secret, "ACCESS_TOKEN": secret, "CREDENTIALS": "user:\(secret)", "PIN": "456",
                        "TOKEN": #"{"b":true}"#,
                    ])
                let request = try await server.request(at: index)
                index += 1
                let items = RequestQuery(parsing: String(request.target.dropFirst("/?".count))).items
                XCTAssertEqual(items.map(\.name), ["x", "access_token", "y"])
                XCTAssertEqual(items.map(\.value), ["1", secret, "2"])
                XCTAssertEqual(
                    request.header("Authorization"), "Basic " + Data("user:\(secret)".utf8).base64EncodedString())
                if request.header("Content-Type") == "application/json" {
                    let object = try JSONSerialization.jsonObject(with: request.body) as? [String: Any]
                    XCTAssertEqual(object?["password"] as? String, secret)
                    XCTAssertEqual(object?["pin"] as? Int, 456)
                    XCTAssertEqual(object?["token"] as? [String: Bool], ["b": true])
                    XCTAssertEqual(object?.count, 5)
                } else {
                    let fields = RequestQuery(parsing: request.text).items
                    XCTAssertEqual(fields.map(\.name).prefix(3), ["a", "password", "b"])
                    XCTAssertEqual(fields[1].value, secret)
                }
            }
        }
    }

    func testFilesAreNamed() async throws {
        let server = try LoopbackServer(responses: [.status(204)])
        let file = URL.temporaryDirectory.appending(path: "it's a file \(UUID())")
        try Data("content\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let pieces: [EncodedBody.Piece] = [
            .data(Data("<".utf8)), .file(try EncodedBody.File(file)), .data(Data(">\n".utf8)),
        ]
        let call = try call("\(server.url)/", .put, body: EncodedBody(.pieces(pieces), contentType: "image/png"))
        try run(call.curl)
        assertEqual(try await server.request(at: 0).text, "<content\n>\n")
    }

    /// A lowercase method is sent in uppercase, too.
    func testAHeadHasNoBodyToWaitFor() async throws {
        let server = try LoopbackServer(responses: [.text("four")])
        for (index, method) in [HTTPMethod.head, "head"].enumerated() {
            try run(try call("\(server.url)/[a]", method).curl)
            assertEqual(try await server.request(at: index).method, .head)
        }
    }

    func testTheHostStaysBehindCredentials() throws {
        XCTAssertEqual(
            try call("https://user:pw@host.example/a@b?c=1").curl,
            "curl 'https://'\(inQuery("CREDENTIALS"))'@host.example/a@b?c=1'")
        XCTAssertEqual(try call("https://host.example/a@b").curl, "curl 'https://host.example/a@b'")
    }

    func testManyVariablesOfOneNameAreToldApartSoon() throws {
        let query = (0..<5000).map { _ in "token=a" }.joined(separator: "&")
        let begin = ContinuousClock.now
        let curl = try call("https://h/?\(query)").curl
        XCTAssertTrue(curl.hasSuffix(inQuery("TOKEN_5000")))
        XCTAssertLessThan(ContinuousClock.now - begin, .seconds(20))
    }
}
