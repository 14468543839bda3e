public import RecordKit

extension NetworkEnvironment: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {
        self.init(value)
    }
}
