import Foundation
import RecordKit

extension NetworkBytes {
    /// Returns its chunks as strings, and the error that it ends with, if any.
    func chunks() async -> [String] {
        var chunks: [String] = []
        do {
            for try await chunk in self { chunks.append(String(decoding: chunk, as: UTF8.self)) }
        } catch {
            chunks.append("\(error)")
        }
        return chunks
    }
}
