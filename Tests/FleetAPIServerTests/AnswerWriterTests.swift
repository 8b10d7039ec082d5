import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Synchronization
import TestKit
import Testing

@testable import FleetAPI

/// Answers to clients that read slowly or not at all.
@Suite struct AnswerWriterTests {
  /// The place of the socket. It accepts one write at a time, when the test allows it.
  final class SlowSocket: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    struct Write: Sendable {
      let bytes: Int
      let promise: EventLoopPromise<Void>?
    }

    private let writes = Mutex<[Write]>([])

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      var bytes = 0
      if case .body(let buffer) = unwrapOutboundIn(data) { bytes = buffer.readableBytes }
      let write = Write(bytes: bytes, promise: promise)
      writes.withLock { $0.append(write) }
    }

    func popAll() -> [Write] {
      writes.withLock { writes in
        defer { writes = [] }
        return writes
      }
    }
  }

  @Test func a_piece_is_written_after_the_socket_has_accepted_the_previous_one() async throws {
    let channel = NIOAsyncTestingChannel()
    let socket = SlowSocket()
    try await channel.pipeline.addHandler(socket)
    var answer = Answer(type: "text/plain", bytes: [UInt8](repeating: 1, count: 1 << 20))
    answer.isShared = true
    let budget = Budget.memory(1 << 20)
    let sent = answer
    let isDone = Atomic(false)
    let task = Task {
      defer { isDone.store(true, ordering: .sequentiallyConsistent) }
      let share = budget.share(of: .server)
      try await AnswerWriter.reserve(for: sent, share)
      #expect(budget.used == 16 << 10)
      try await AnswerWriter(channel: channel).send(sent, hasBody: true, share)
    }
    var total = 0
    while !isDone.load(ordering: .sequentiallyConsistent) {
      await channel.testingEventLoop.run()
      let writes = socket.popAll()
      let bytes = writes.reduce(0) { $0 + $1.bytes }
      #expect(bytes <= 16 << 10)
      total += bytes
      for write in writes { write.promise?.succeed() }
      await Task.yield()
    }
    try await task.value
    #expect(total == 1 << 20 && budget.used == 0)
    _ = try await channel.finish()
  }

  /// The client learns the reason, and the connection stays open.
  @Test func an_answer_without_memory_is_503() async throws {
    // Strangers have an eighth of it.
    try await TestServer.run(.test { $0.limits.memoryBytes = 128 << 10 }) { server in
      try await runBlocking {
        let client = try server.client()
        // The only answer that may take all memory if nobody else needs any.
        #expect(try client.send("GET", "/api/openapi.json").status == 200)
        // Another client at the same address reads nothing.
        let path = "/api/openapi.json"
        let unread = try server.clientWithSmallBuffer()
        try unread.write(Array(String(repeating: "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n", count: 50).utf8))
        var reply = try client.send("GET", path)
        while reply.status == 200 { reply = try client.send("GET", path) }
        #expect(reply.status == 503 && reply.errorCode == "busy")
        #expect(try client.send("GET", "/api/health").status == 200)
        withExtendedLifetime(unread) {}
      }
    }
  }

  @Test func an_answer_that_the_server_does_not_keep_counts_until_it_is_sent() async throws {
    let channel = NIOAsyncTestingChannel()
    let socket = SlowSocket()
    try await channel.pipeline.addHandler(socket)
    let budget = Budget.memory(1 << 20)
    let answer = Answer(type: "text/plain", bytes: [UInt8](repeating: 1, count: 100_000))
    let task = Task {
      let share = budget.share(of: .server)
      try await AnswerWriter.reserve(for: answer, share)
      try await AnswerWriter(channel: channel).send(answer, hasBody: true, share)
    }
    var writes: [SlowSocket.Write] = []
    while writes.isEmpty {
      await channel.testingEventLoop.run()
      await Task.yield()
      writes = socket.popAll()
    }
    #expect(budget.used == 100_000)
    // The client has left.
    task.cancel()
    for write in writes { write.promise?.fail(ChannelError.ioOnClosedChannel) }
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(budget.used == 0)
    _ = try? await channel.finish()
  }
}
