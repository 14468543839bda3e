// Compiled on Apple's platforms alone: Linux has no Objective-C.
#if canImport(ObjectiveC)
import Foundation
import RecordKit

/// The gateway of ``Titles`` for Objective-C, with blocks for success and failure.
///
/// ```objc
/// TitleGateway *gateway = [[TitleGateway alloc] initWithServer:url key:@"k1"];
/// TitleCall *call = [gateway titleNamed:@"Blue" onSuccess:^(TitleObject *title) {
///     self.label.text = title.name;
/// } onError:^(NSError *error) {
///     self.label.text = error.localizedDescription;
/// }];
/// ```
///
/// Objective-C knows neither structs nor enums with values. So the class maps the value to an object, and the error to
/// an `NSError`. One of the two blocks is called exactly once, on the main thread.
@objc(TitleGateway)
final class ObjectiveCGateway: NSObject, Sendable {
    private let titles: NetworkManager<Titles.Find>
    private let key: String

    @objc(initWithServer:key:)
    init(server: URL, key: String) {
        titles = NetworkManager(NetworkConfiguration(environment: NetworkEnvironment(server.absoluteString)))
        self.key = key
    }

    @objc(titleNamed:onSuccess:onError:)
    @discardableResult
    func title(
        _ title: String, onSuccess: @escaping @MainActor @Sendable (ObjectiveCTitle) -> Void,
        onError: @escaping @MainActor @Sendable (NSError) -> Void
    ) -> ObjectiveCCall {
        let task = titles.send(Titles.Find(key: key, title: title), on: MainActor.self) { result in
            switch result {
            case .success(let title): onSuccess(ObjectiveCTitle(title))
            case .failure(let error): onError(NSError(error))
            }
        }
        return ObjectiveCCall(task)
    }
}

/// A title as an object.
@objc(TitleObject)
final class ObjectiveCTitle: NSObject, Sendable {
    @objc let name: String
    @objc let year: String

    init(_ title: Titles.Title) {
        name = title.name
        year = title.year
    }
}

/// A call in flight, which can be cancelled.
@objc(TitleCall)
final class ObjectiveCCall: NSObject, Sendable {
    private let task: NetworkTask

    init(_ task: NetworkTask) {
        self.task = task
    }

    @objc func cancel() {
        task.cancel()
    }
}

extension NSError {
    /// Creates an error for Objective-C: the status of a response as its code, and otherwise that of `URLError`.
    fileprivate convenience init(_ error: NetworkError) {
        let code: Int =
            switch error {
            case .status(let response): response.statusCode
            case .cancelled: NSURLErrorCancelled
            case .timedOut: NSURLErrorTimedOut
            default: NSURLErrorUnknown
            }
        self.init(domain: "Titles", code: code, userInfo: [NSLocalizedDescriptionKey: "\(error)"])
    }
}
#endif
