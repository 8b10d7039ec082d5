import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import FleetAPI

/// Several requests that a client sends at once.
@Suite struct RequestPacerTests {
  /// The place of the socket. It accepts written bytes only when the test allows it.
  final class SlowSocket: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var writes: [(data: NIOAny, promise: EventLoopPromise<Void>?)] = []
    private(set) var reads = 0

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      writes.append((data, promise))
    }

    func read(context: ChannelHandlerContext) {
      reads += 1
      context.read()
    }

    func accept(_ channel: EmbeddedChannel) throws {
      let context = try channel.pipeline.syncOperations.context(handler: self)
      for (data, promise) in writes { context.write(data, promise: promise) }
      writes = []
      context.flush()
    }
  }

  /// The handlers of a connection up to the requests.
  struct Pipe {
    let channel = EmbeddedChannel()
    let socket = SlowSocket()

    init() throws {
      let pacer = RequestPacer()
      let limits = ServerLimits()
      try channel.pipeline.syncOperations.addHandlers([
        socket, pacer, HTTPResponseEncoder(), limits.requestDecoder(),
        ConnectionSupervisor(limits: limits, pacer: pacer),
      ])
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    func receive(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    /// Returns the requests that have arrived at the end of the pipeline: their paths, and their bodies after a colon.
    func requests() throws -> [String] {
      var found: [String] = []
      while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
        switch part {
        case .head(let head): found.append(head.uri)
        case .body(let bytes): found[max(found.count - 1, 0)] += ":" + String(buffer: bytes)
        case .end: break
        }
      }
      return found
    }

    /// Sends an answer, which the socket has not accepted yet.
    func answer() throws {
      let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "1"])
      channel.write(HTTPServerResponsePart.head(head), promise: nil)
      channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: "x"))), promise: nil)
      channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
      channel.embeddedEventLoop.run()
    }

    func accept() throws {
      try socket.accept(channel)
      channel.embeddedEventLoop.run()
    }
  }

  private static func get(_ path: String, _ more: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: x\r\n\(more)\r\n"
  }

  @Test func a_request_waits_until_the_previous_answer_was_written() throws {
    let pipe = try Pipe()
    try pipe.receive((0..<100).map { Self.get("/\($0)") }.joined())
    #expect(try pipe.requests() == ["/0"])
    for number in 1..<100 {
      try pipe.answer()
      #expect(try pipe.requests() == [], "\(number)")
      try pipe.accept()
      #expect(try pipe.requests() == ["/\(number)"])
    }
    #expect(pipe.channel.isActive)
    _ = try pipe.channel.finish()
  }

  /// The next request is passed on in another turn of the event loop.
  @Test func other_connections_have_their_turn_between_two_requests() throws {
    let pipe = try Pipe()
    try pipe.receive(Self.get("/1") + Self.get("/2"))
    _ = try pipe.requests()
    try pipe.answer()
    try pipe.socket.accept(pipe.channel)
    #expect(try pipe.requests() == [])
    pipe.channel.embeddedEventLoop.run()
    #expect(try pipe.requests() == ["/2"])
    _ = try pipe.channel.finish()
  }

  @Test func the_socket_is_not_read_while_requests_wait() throws {
    let pipe = try Pipe()
    try pipe.receive(Self.get("/1") + Self.get("/2"))
    let reads = pipe.socket.reads
    pipe.channel.read()
    #expect(pipe.socket.reads == reads)
    try pipe.answer()
    try pipe.accept()
    #expect(pipe.socket.reads > reads)
    _ = try pipe.channel.finish()
  }

  /// Bodies with empty lines, in pieces of every size.
  @Test(arguments: [1, 2, 3, 7, 16, 17, 100, 5_000])
  func requests_arrive_unchanged_in_pieces_of_any_size(_ size: Int) throws {
    let body = (0..<300).map { "\($0)\r\n\r\n\n" }.joined()
    let requests = [
      Self.get("/a"), "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
      "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n", Self.get("/d"), Self.get("/e"),
    ]
    let pipe = try Pipe()
    var found: [String] = []
    func read() throws {
      while let part = try pipe.channel.readInbound(as: HTTPServerRequestPart.self) {
        switch part {
        case .head(let head): found.append(head.uri)
        case .body(let bytes): found[found.count - 1] += String(buffer: bytes)
        case .end:
          try pipe.answer()
          try pipe.accept()
        }
      }
    }
    let bytes = Array(requests.joined().utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      try pipe.channel.writeInbound(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
      try read()
    }
    #expect(found == ["/a", "/b" + body, "/c" + body, "/d", "/e"])
    _ = try pipe.channel.finish()
  }

  @Test func the_end_of_the_clients_side_comes_after_its_requests() throws {
    let pipe = try Pipe()
    let closed = ClosedEvents()
    try pipe.channel.pipeline.syncOperations.addHandler(closed)
    try pipe.receive(Self.get("/1") + Self.get("/2"))
    pipe.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    #expect(closed.count == 0)
    try pipe.answer()
    try pipe.accept()
    #expect(try pipe.requests() == ["/1", "/2"] && closed.count == 1)
    _ = try pipe.channel.finish()
  }

  final class ClosedEvents: ChannelInboundHandler {
    typealias InboundIn = Any
    var count = 0

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event as? ChannelEvent == .inputClosed { count += 1 }
    }
  }

  @Test func a_client_that_sends_too_much_in_advance_gets_one_more_answer() throws {
    let pipe = try Pipe()
    try pipe.receive((0..<4_000).map { Self.get("/\($0)") }.joined())
    #expect(try pipe.requests() == ["/0"])
    try pipe.answer()
    #expect(pipe.channel.isActive)
    try pipe.accept()
    #expect(try pipe.requests() == [] && !pipe.channel.isActive)
  }

  /// Before, the end of the connection discarded bytes that the socket had not accepted.
  @Test func a_connection_ends_after_its_last_answer_was_written() throws {
    let pipe = try Pipe()
    try pipe.receive(Self.get("/1", "Connection: close\r\n"))
    try pipe.answer()
    #expect(pipe.channel.isActive)
    try pipe.accept()
    #expect(!pipe.channel.isActive)
  }
}
