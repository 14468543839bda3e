import Foundation
import TestSupport
import XCTest

/// Compares the snippets of the guides with code that is compiled.
final class ArticleTests: TimedTestCase {
    private let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

    /// Each snippet has to be in an example beside this file, line by line, apart from its indentation. The README has
    /// programs, which `Scripts/compile-errors` compiles.
    func testEverySnippetIsCompiled() throws {
        var examples = try manifests().map { lines($0) }
        examples.append(try lines(of: "Sources/Guide/FirstRequest/main.swift"))
        for file in try files(below: "Tests/RecordKitTestingTests/Documentation", named: ".swift")
        where file.lastPathComponent != "ArticleTests.swift" {
            examples.append(lines(try String(contentsOf: file, encoding: .utf8)))
        }
        for article in try articles() where article.lastPathComponent != "README.md" {
            for snippet in try snippets(of: article) {
                let isThere = examples.contains { example in
                    example.indices.contains { example[$0...].starts(with: snippet) }
                }
                XCTAssertTrue(isThere, "\(article.lastPathComponent):\n\(snippet.joined(separator: "\n"))")
            }
        }
    }

    /// Each module with a catalog has snippets, so that a catalog that has moved does not go unnoticed.
    func testEveryCatalogIsFound() throws {
        let catalogs = Set(try articles().map { $0.deletingLastPathComponent().lastPathComponent })
        for module in [
            "", "Streaming", "Interceptors", "Digest", "OAuth", "Signing", "Cache", "CacheDisk", "Outbox", "JSON",
            "XML",
            "Templates",
            "Testing", "Curl",
        ] {
            XCTAssertTrue(catalogs.contains("RecordKit\(module).docc"), module)
        }
        for article in try articles() where try snippets(of: article).isEmpty {
            let name = article.lastPathComponent
            let hasNone =
                ["Performance.md", "LinuxLimits.md", "KnownLimits.md", "Guide.md"].contains(name)
                || name.hasPrefix("ComingFrom") || article.path.contains("/RecordInventory.docc/")
            XCTAssertTrue(hasNone, article.path)
        }
    }

    /// The last column of each table in a page for newcomers from another library is code that is compiled.
    func testTheCodeInTables() throws {
        let file = "Tests/RecordKitTestingTests/Documentation/ComingFromExamples.swift"
        // An element of a list is shown without its comma.
        let example = Set(try lines(of: file).map { $0.hasSuffix(",") ? String($0.dropLast()) : $0 })
        for article in try articles() where article.lastPathComponent.hasPrefix("ComingFrom") {
            let rows = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "\n").filter {
                $0.hasPrefix("|") && !$0.hasPrefix("|---") && !$0.hasPrefix("| You wrote")
            }
            XCTAssertFalse(rows.isEmpty, article.lastPathComponent)
            for row in rows {
                let cells = row.components(separatedBy: " | ")
                let codes = (cells.last ?? "").components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }
                XCTAssertFalse(codes.isEmpty, row)
                for (_, code) in codes {
                    XCTAssertTrue(example.contains(code), "\(article.lastPathComponent): \(code)")
                }
            }
        }
    }

    /// Code of at most 78 columns fits into a page at 1,440 pixels.
    func testCodeFitsIntoThePage() throws {
        for article in try articles() {
            for (_, text) in blocks(of: try String(contentsOf: article, encoding: .utf8)) {
                let wide = text.components(separatedBy: "\n").filter { $0.count > 78 }
                XCTAssertTrue(wide.isEmpty, "\(article.lastPathComponent): \(wide)")
            }
        }
    }

    /// The blocks of doc comments, which are pages of the site, too.
    func testCodeInCommentsFitsIntoThePage() throws {
        var blocks = 0
        for file in try files(below: "Sources", named: ".swift") {
            var isCode = false
            for line in lines(try String(contentsOf: file, encoding: .utf8)) {
                guard line.hasPrefix("///") else { continue }
                let text = line.dropFirst(4)
                if text.hasPrefix("```") {
                    isCode.toggle()
                    blocks += 1
                } else if isCode {
                    XCTAssertLessThanOrEqual(text.count, 78, "\(file.lastPathComponent): \(text)")
                }
            }
        }
        XCTAssertGreaterThan(blocks, 20)
    }

    /// A block of code names its language, or is output and has none.
    func testTheLanguagesOfBlocks() throws {
        for article in try articles() {
            for (language, _) in blocks(of: try String(contentsOf: article, encoding: .utf8)) {
                XCTAssertTrue(["swift", "json", ""].contains(language), "\(article.lastPathComponent): \(language)")
            }
        }
    }

    func testTheProductsOfTheManifestExist() throws {
        let package = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        let products = try manifests().joined().matches(of: /\.product\(name: "(\w+)"/).map(\.1)
        XCTAssertFalse(products.isEmpty)
        for product in products {
            XCTAssertTrue(package.contains(".library(name: \"\(product)\""), "\(product)")
        }
    }

    #if os(Linux) || os(macOS)
    /// The manifest of the guide cannot be compiled as a part of a test, so SwiftPM reads it.
    func testTheManifestIsCompiled() throws {
        for manifest in try manifests() { try read(manifest) }
    }

    private func read(_ manifest: String) throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try folder.write(manifest, to: "Package.swift")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swift", "package", "--package-path", folder.url.path, "dump-package"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, String(decoding: printed, as: UTF8.self))
    }
    #endif

    /// The manifests that the first pages show.
    private func manifests() throws -> [String] {
        let manifests = try articles().flatMap { blocks(of: try String(contentsOf: $0, encoding: .utf8)).map(\.text) }
            .filter { $0.hasPrefix("// swift-tools-version") }
        XCTAssertEqual(manifests.count, 2)
        return manifests
    }

    private func articles() throws -> [URL] {
        try files(below: "Sources", named: ".md") + [
            root.appending(path: "README.md")
        ]
    }

    private func snippets(of article: URL) throws -> [[String]] {
        blocks(of: try String(contentsOf: article, encoding: .utf8)).filter { $0.language == "swift" }.map {
            lines($0.text)
        }
    }

    /// The blocks of code in an article, each with the language after its fence.
    private func blocks(of article: String) -> [(language: String, text: String)] {
        let parts = article.components(separatedBy: "```")
        return stride(from: 1, to: parts.count, by: 2).map { index in
            let end = parts[index].firstIndex(of: "\n") ?? parts[index].endIndex
            return (String(parts[index][..<end]), String(parts[index][end...].dropFirst()))
        }
    }

    private func files(below folder: String, named suffix: String) throws -> [URL] {
        let folder = root.appending(path: folder).resolvingSymlinksInPath()
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return try XCTUnwrap(files).compactMap { $0 as? URL }.filter { $0.lastPathComponent.hasSuffix(suffix) }
    }

    private func lines(of path: String) throws -> [String] {
        lines(try String(contentsOf: root.appending(path: path), encoding: .utf8))
    }

    /// Without their indentation.
    private func lines(_ text: String) -> [String] {
        text.trimmingCharacters(in: .newlines).components(separatedBy: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }
}
