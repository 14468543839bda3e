/// A value and the response that it was read from.
public struct NetworkReply<Value: Sendable>: Sendable {
    public var value: Value
    /// `nil` if ``NetworkRequest/handleError(_:)`` made a success of an error without a response.
    public var response: NetworkResponse?

    public init(value: Value, response: NetworkResponse?) {
        self.value = value
        self.response = response
    }
}
