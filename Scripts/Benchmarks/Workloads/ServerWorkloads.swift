import Foundation

extension Workload {
    static let sequential = Workload(
        name: "sequential", title: "GET of 1 KB from nginx, one after the other", count: 1_000
    ) {
        let server = try await NginxServer()
        return ListingClients(server).doing { _ = try await $0.fetch() }
    }

    static let concurrent = Workload(
        name: "concurrent", title: "GET of 1 KB from nginx, 64 at once", count: 9_600, quickCount: 64
    ) {
        let server = try await NginxServer()
        return ListingClients(server).measured { client, count in
            let start = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<64 {
                    group.addTask { for _ in 0..<(count / 64) { _ = try await client.fetch() } }
                }
                try await group.waitForAll()
            }
            return (ContinuousClock.now - start).microseconds / Double(count / 64 * 64)
        }
    }

    static let post = Workload(name: "post", title: "POST of 1 KB to nginx, answered with as much", count: 1_000) {
        let server = try await NginxServer()
        return ListingClients(server).doing { _ = try await $0.create(.sample) }
    }

    static let list = Workload(name: "list", title: "array of 20 MB from nginx, decoded whole", unit: "ms", count: 1) {
        let length = 20 << 20
        let record = Listing.sample.json
        let count = length / (record.count + 1)
        let server = try await NginxServer(
            list: Data("[".utf8) + Data([Data](repeating: record, count: count).joined(separator: Data(",".utf8)))
                + Data("]".utf8))
        return ListingClients(server).measured { client, turns in
            let start = ContinuousClock.now
            for _ in 0..<turns {
                guard try await client.fetchAll().count == count else { throw WrongAnswer("not all records") }
            }
            return (ContinuousClock.now - start).microseconds / 1_000 / Double(turns)
        }
    }

    static let upload = Workload(
        name: "upload", title: "POST of 1 GB from a file to nginx", unit: "ms", count: 1_024, quickCount: 8
    ) {
        let server = try await NginxServer()
        return ListingClients(server).measured { client, megabytes in
            let file = try TemporaryFile(length: megabytes << 20)
            let start = ContinuousClock.now
            try await client.upload(file.url)
            return (ContinuousClock.now - start).microseconds / 1_000
        }
    }

    static let download = Workload(
        name: "download", title: "GET of 256 MB from nginx to a file", unit: "ms", count: 256, quickCount: 8
    ) {
        let server = try await NginxServer()
        return ListingClients(server).measured { client, megabytes in
            try server.serveFile(length: megabytes << 20)
            let target = try TemporaryFile(length: 0)
            let start = ContinuousClock.now
            try await client.download(to: target.url)
            let time = ContinuousClock.now - start
            let size = try target.url.resourceValues(forKeys: [.fileSizeKey]).fileSize
            guard size == megabytes << 20 else { throw WrongAnswer("\(size ?? -1) bytes") }
            return time.microseconds / 1_000
        }
    }
}
