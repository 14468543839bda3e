import Foundation
import XCTest

final class ArticleTests: XCTestCase {
    /// Compares every snippet of Swift with the examples beside this file, which are compiled and run, line by line.
    func testEverySnippetIsCompiled() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let root = here.appending(path: "../../..").standardizedFileURL
        let names = ["ArticleExamples", "RecipeExamples", "RecipeErrorExamples", "TransportExamples"]
        let examples = try (names + ["TransportExampleTests"]).flatMap {
            lines(try String(contentsOf: here.appending(path: "\($0).swift"), encoding: .utf8))
        }
        let catalog = root.appending(path: "Sources/RecordKitTesting/RecordKitTesting.docc")
        var articles = try FileManager.default.contentsOfDirectory(at: catalog, includingPropertiesForKeys: nil)
        for name in ["Recipes", "Transports", "Interceptors/Timelines"] {
            articles.append(root.appending(path: "Sources/RecordKit/RecordKit.docc/\(name).md"))
        }
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
