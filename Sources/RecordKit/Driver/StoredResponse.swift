/// A response that a transport has stored, and that is used in place of an exchange.
///
/// See ``ResponseStore``.
public struct StoredResponse: Sendable {
    /// The response.
    public var response: NetworkResponse
    /// Called once when the response has been validated in the background, or can't be. `nil`, the default, if it isn't
    /// to be validated.
    ///
    /// To validate it, the transport's `exchange` is called with the same request. It takes two slots of a host at
    /// most, and never the last free one. The timeout and `cancelAll()` end it.
    let onValidated: (@Sendable () -> Void)?

    /// Creates a stored response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - onValidated: Called when the response has been validated in the background. `nil` if it isn't to be
    ///     validated.
    public init(_ response: NetworkResponse, onValidated: (@Sendable () -> Void)? = nil) {
        self.response = response
        self.onValidated = onValidated
    }
}

extension CallDriver {
    /// Returns the response that the transport has stored, if any. Begins to validate it if the transport asks for
    /// that.
    func stored(
        for call: inout NetworkCall, after error: NetworkError? = nil
    ) async throws(NetworkError) -> NetworkResponse? {
        guard let stored = try await traits.store?.response(for: &call, after: error) else { return nil }
        if let ended = stored.onValidated { validate(call, ended) }
        var response = stored.response
        response.markSensitive(call.headers.sensitiveNames)
        response.decoder = call.session?.decoder
        return response
    }

    /// Performs an exchange in the background, if it doesn't take a slot from other calls, and discards its response.
    ///
    /// The exchange belongs to a separate call, since the call that it is for may have ended.
    private func validate(_ stale: NetworkCall, _ ended: @escaping @Sendable () -> Void) {
        var options = stale.options
        options.deadline = nil
        let call = NetworkCall(
            url: stale.url, method: stale.method, headers: stale.headers, options: options, request: stale.request,
            clock: stale.clock)
        let transfer = stale.session?.track(in: stale.scope) ?? Transfer()
        transfer.onEnd(ended)
        if let slots = traits.slots {
            guard slots.takeInBackground(call.origin) else { return transfer.stop(.cancelled) }
            transfer.holdSlot { slots.leaveInBackground(call.origin) }
        }
        transfer.setTimer(call.clock, after: call.timeout.limited) { call.timedOut }
        Task { _ = try? await exchange(call, transfer) }
    }
}
