import Foundation
import RecordKit

extension StubPattern {
    /// In what a request differs from this pattern; nothing when it fits.
    func differences(to request: StubRequest) -> [StubDifference] {
        var found: [StubDifference] = []
        if let method, method != request.method {
            found.append(StubDifference(part: .method, expected: "\(method)", received: "\(request.method)"))
        }
        let origin = Origin(request.url).description
        if let expected = self.origin, expected != origin {
            found.append(StubDifference(part: .origin, expected: expected, received: origin))
        }
        let path = request.url.path(percentEncoded: true)
        if !(isExact ? PathPattern.isSame(self.path, path) : PathPattern(self.path).matches(path)) {
            found.append(StubDifference(part: .path, expected: self.path, received: path))
        }
        found += queryDifferences(to: request)
        found += headerDifferences(to: request)
        // Of another request the body need not make sense.
        if found.allSatisfy(\.part.isDetail), let difference = bodyDifference?(request) { found.append(difference) }
        return found
    }

    /// How far a request is from this pattern: zero when it fits.
    func distance(_ differences: [StubDifference], to request: StubRequest) -> Int {
        let pathDistance = PathPattern(path).distance(to: request.url.path(percentEncoded: true))
        return differences.reduce(0) { $0 + $1.weight(pathDistance) }
    }

    private func queryDifferences(to request: StubRequest) -> [StubDifference] {
        let received = request.query
        var names = query.map(\.name)
        if isExact { names += received.map(\.name) }
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }.compactMap { name in
            let expected = query.filter { $0.name == name }.map(\.value)
            let values = received.filter { $0.name == name }.map(\.value)
            let fits =
                isExact
                ? expected.hasSameBytes(as: values)
                : expected.allSatisfy { pattern in values.contains { Wildcard.matches(pattern, $0) } }
            if fits { return nil }
            return StubDifference(
                .queryItem(name), expected: expected, received: values, isSensitive: request.headers.isSensitive(name))
        }
    }

    private func headerDifferences(to request: StubRequest) -> [StubDifference] {
        var seen: Set<String> = []
        return headers.fields.map(\.name).filter { seen.insert($0.lowercased()).inserted }.compactMap { name in
            guard let expected = headers[name] else { return nil }
            let received = request.headers[name]
            let fits = received.map { isExact ? expected == $0 : Wildcard.matches(expected, $0) } ?? false
            if fits { return nil }
            let isSensitive = [expected, received].compactMap(\.self).contains { value in
                var headers: HTTPHeaders = [name: value]
                headers.markSensitive(request.headers.sensitiveNames)
                return headers.redacted()[name] != value
            }
            return StubDifference(
                .header(name), expected: [expected], received: received.map { [$0] } ?? [], isSensitive: isSensitive)
        }
    }
}
