import Foundation
import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Workload {
    /// The cost of building a request, from its arguments to the URLRequest that the session receives.
    static let build = Workload(
        name: "build", title: "URLRequest of 10 query items, 5 headers and a JSON body", count: 20_000, quickCount: 20,
        instructionCount: 2_000
    ) {
        let search = Search()
        let configuration = NetworkConfiguration()
        return [
            Client("by hand", isReference: true) {
                if try search.request().httpBody == nil { throw WrongAnswer("no body") }
            },
            Client("RecordKit") {
                if URLRequest(try search.call(in: configuration)).httpBody == nil { throw WrongAnswer("no body") }
            },
        ]
    }
}
