import TestSupport
import XCTest

@testable import RecordInventory

/// Follows the page about a Kinto server for the shop, on a database of its own.
final class KintoPageTests: TimedTestCase {
    func testTheCommandsOfThePageSetUpAServerThatSells() throws {
        let environment = ProcessInfo.processInfo.environment
        guard try LiveKinto.find(for: "the page about a server", needsTransactions: true) != nil,
            let venv = environment["RECORDKIT_KINTO_VENV"],
            let database = environment["RECORDKIT_KINTO_DATABASE"].flatMap({ URL(string: $0) })
        else { return }
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/RecordInventory/RecordInventory.docc/KintoServer.md")
        let blocks = try String(contentsOf: page.standardized, encoding: .utf8).components(separatedBy: "```")
            .enumerated().filter { !$0.offset.isMultiple(of: 2) }.map { $0.element.trimmed }
        XCTAssertEqual(blocks.count, 4)
        let folder = try TemporaryFolder()
        let secret = UUID().uuidString.filter(\.isHexDigit).lowercased()
        let name = "page_\(secret.prefix(8))"
        let (host, port) = (database.host() ?? "", database.port ?? 0)
        var run = Commands(folder: folder.url, environment: environment)
        run.environment.merge([
            "PGHOST": host, "PGPORT": "\(port)", "PGUSER": database.user() ?? "",
            "PGPASSWORD": database.password() ?? "",
            "PATH": "\(Tool.executable?.deletingLastPathComponent().path ?? ""):\(environment["PATH"] ?? "")",
            "HOME": folder.url.path,
        ]) { $1 }
        defer { _ = try? run("dropdb --force \(name) && dropuser \(name)") }

        // The installation is that of Scripts/kinto, with the same packages.
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "kinto"), withDestinationURL: URL(filePath: venv))
        XCTAssertTrue(blocks[0].contains(#"pip install "kinto[postgresql]==26.5.0" gunicorn"#))
        func filled(_ text: String) -> String {
            text.replacing("PASSWORD_FILE=…", with: "PASSWORD_FILE=password").replacing("…", with: secret)
                .replacing("//kinto:", with: "//\(name):").replacing(
                    "127.0.0.1:5432/kinto", with: "\(host):\(port)/\(name)")
        }
        _ = try folder.write(filled(blocks[1]).utf8, to: "kinto.ini")
        _ = try folder.write(secret.utf8, to: "password")
        XCTAssertEqual(chmod(folder.path("password"), 0o600), 0)
        _ = try folder.write("sku,artist,title,price,currency\nLP-0042,A,T,5.00,EUR\n".utf8, to: "stock.csv")
        var lines = blocks[0].components(separatedBy: "\n").filter { !$0.contains(" -m venv ") && !$0.contains("pip ") }
        let serving = lines.removeLast()
        for line in lines {
            let isDatabase = line.hasPrefix("sudo -u postgres ")
            let own = isDatabase ? line.replacing("sudo -u postgres ", with: "").replacing("kinto", with: name) : line
            try run(filled(own))
        }
        let (server, messages) = try run.start(serving.replacing(":8888", with: ":0"))
        defer { server.terminate() }
        var log = ""
        while case let more = messages.fileHandleForReading.availableData, !more.isEmpty {
            log += String(decoding: more, as: UTF8.self)
            if log.contains("Listening at: ") { break }
        }
        let address = try XCTUnwrap(log.firstMatch(of: /Listening at: http:\/\/127\.0\.0\.1:(\d+)/), log)
        messages.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        let rest = [blocks[2], blocks[3]].map { filled($0).replacing(":8888", with: ":\(address.1)") }
        // A status of an error is none to curl, unless it is told so.
        try run("curl() { command curl -fsS \"$@\"; }\n\(rest[0])")
        let sold = try run("\(rest[1])\nrecord-inventory history --fields kind,quantity")
        XCTAssertTrue(sold.contains("opening\t1\nsale\t-1\n"), sold)
    }

    /// Runs commands with a shell in a folder.
    private struct Commands {
        let folder: URL
        var environment: [String: String]

        func start(_ script: String) throws -> (Process, Pipe) {
            let (process, pipe) = (Process(), Pipe())
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = ["-euo", "pipefail", "-c", script.contains("\n") ? script : "exec \(script)"]
            process.currentDirectoryURL = folder
            process.environment = environment
            (process.standardOutput, process.standardError) = (pipe, pipe)
            try process.run()
            process.killAfterTwoMinutes()
            return (process, pipe)
        }

        /// Returns what the commands print. They have to succeed.
        @discardableResult
        func callAsFunction(_ script: String) throws -> String {
            let (process, pipe) = try start(script + "\n:")
            let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            XCTAssertEqual(process.terminationStatus, 0, "\(script)\n\(output)")
            return output
        }
    }
}
