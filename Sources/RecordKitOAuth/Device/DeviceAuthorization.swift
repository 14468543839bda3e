public import Foundation
import RecordKit
public import RecordKitInterceptors

/// A sign-in on another device, for a tool or a device without a browser (RFC 8628).
///
/// ```swift
/// let device = try await client.deviceAuthorization()
/// print("Open \(device.verificationURL) and enter \(device.userCode)")
/// try await tokens.use(client.token(for: device))
/// ```
public struct DeviceAuthorization: Sendable {
    /// The code that the person enters. It has no characters that control how it is shown.
    public let userCode: String
    /// The http or https page where the person enters the code.
    public let verificationURL: URL
    /// The page with the code entered already, such as for a QR code, if the server has one.
    public let completeURL: URL?
    /// The date at which the code expires.
    public let expiry: Date
    /// The shortest time between two requests for the token.
    let interval: Duration
    let deviceCode: Secret
}

extension OAuthClient {
    /// The categories of characters that could change how a terminal shows the code, such as its direction.
    private static let invisible: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]

    /// Starts a sign-in on another device.
    ///
    /// - Returns: What the person has to open and enter.
    public func deviceAuthorization() async throws(OAuthError) -> DeviceAuthorization {
        let fields = try await send(["scope": scope], to: server.deviceAuthorizationURL, .deviceAuthorization)
        guard let deviceCode = fields["device_code"]?.string, let userCode = fields["user_code"]?.string,
            !userCode.isEmpty, userCode.count <= 100,
            userCode.unicodeScalars.allSatisfy({ !Self.invisible.contains($0.properties.generalCategory) })
        else { throw fields.invalid("it has no device_code and user_code") }
        // Google's name of the field precedes the RFC.
        guard let url = (fields["verification_uri"] ?? fields["verification_url"])?.webURL else {
            throw fields.invalid("its verification_uri isn't an http or https URL")
        }
        let lifetime = fields.duration("expires_in", limit: 86_400) ?? 1800
        // An interval of less than a second, or of hours, makes no sense.
        let interval = fields.duration("interval", limit: 300).map { max($0, 1) } ?? 5
        return DeviceAuthorization(
            userCode: userCode, verificationURL: url, completeURL: fields["verification_uri_complete"]?.webURL,
            expiry: clock.date().addingTimeInterval(lifetime), interval: .seconds(interval),
            deviceCode: Secret(deviceCode))
    }

    /// Waits until the person has signed in on another device.
    ///
    /// Asks the server at its interval, and less often after `slow_down`. Goes on, half as often, if a request is lost
    /// or the server is busy. Ends with its task.
    ///
    /// - Parameter authorization: The sign-in that was started.
    /// - Throws: ``OAuthError/refused(_:)`` with the code `access_denied` or `expired_token`, and
    ///   ``OAuthError/timedOut`` if the code has expired by this device's clock.
    public func token(for authorization: DeviceAuthorization) async throws(OAuthError) -> TokenSet {
        var interval = authorization.interval
        while true {
            let left = authorization.expiry.timeIntervalSince(clock.date())
            guard left > 0 else { throw .timedOut }
            do {
                try await clock.sleep(min(interval, .seconds(left)))
            } catch {
                throw .network(.cancelled)
            }
            do throws(OAuthError) {
                return try await token([
                    "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
                    "device_code": authorization.deviceCode.value,
                ])
            } catch {
                switch error {
                case .refused(let refusal) where refusal.code == "authorization_pending": continue
                case .refused(let refusal) where refusal.code == "slow_down": interval += .seconds(5)
                case _ where error.isTransient: interval = min(interval * 2, .seconds(300))
                default: throw error
                }
            }
        }
    }
}
