import Foundation
import XCTest

final class ArticleTests: XCTestCase {
    /// Every snippet of Swift stands in an `…Examples.swift` beside this, line by line, where it is compiled and run.
    func testEverySnippetIsCompiled() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let root = here.appending(path: "../../..").standardizedFileURL
        let examples = try ["Article", "Recipe", "RecipeError"].flatMap {
            lines(try String(contentsOf: here.appending(path: "\($0)Examples.swift"), encoding: .utf8))
        }
        let catalog = root.appending(path: "Sources/RecordKitTesting/RecordKitTesting.docc")
        var articles = try FileManager.default.contentsOfDirectory(at: catalog, includingPropertiesForKeys: nil)
        articles.append(root.appending(path: "Sources/RecordKit/RecordKit.docc/Recipes.md"))
        var count = 0
        for article in articles where article.pathExtension == "md" {
            let parts = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```")
            for part in parts where part.hasPrefix("swift\n") {
                let snippet = lines(String(part.dropFirst(6)))
                let isThere = examples.indices.contains { examples[$0...].starts(with: snippet) }
                XCTAssertTrue(isThere, "\(article.lastPathComponent):\n\(snippet.joined(separator: "\n"))")
                count += 1
            }
        }
        XCTAssertGreaterThan(count, 20)
    }

    /// Without their indentation.
    private func lines(_ text: String) -> [String] {
        text.trimmingCharacters(in: .newlines).components(separatedBy: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }
}
