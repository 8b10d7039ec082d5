import Glibc
import NIOCore

/// Passes the requests of a connection to the HTTP decoder one at a time: the next one only when the answer to the
/// previous one was written to the socket.
///
/// A client may send many requests at once (RFC 9112, 9.3.2). If all were decoded at once, their heads would need much
/// more memory than their bytes, and one connection could occupy the event loop for long. Therefore, this handler passes
/// on the bytes in pieces that end at empty lines, because the head of a request ends with an empty line. While
/// ``ConnectionSupervisor`` waits for an answer, the rest is held back. The next piece is then passed on in another turn
/// of the event loop, after the turns of other connections. A body can contain empty lines, so pieces may also end in a
/// body. A piece that begins with the end of a body may contain a few further requests. These are decoded early.
///
/// The handler is placed before the decoder. All calls are on the connection's event loop.
final class RequestPacer: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The event that a client has sent more bytes in advance than are kept. No more requests follow on the connection.
  struct Overflow: Sendable {}

  /// The minimum length of a piece, bytes: the length of the shortest request, `GET / HTTP/1.1` and two line ends, so
  /// that a piece contains at most one.
  private static let leastOfHead = 18
  /// The minimum length of a piece while a body arrives, bytes. It is greater, because bodies may contain many empty
  /// lines, and each piece has a cost.
  private static let leastOfBody = 512
  /// The maximum number of bytes that are held back. The socket is not read while bytes are held back. More bytes
  /// arrive only if the client ends its side of the connection, because NIO then reads everything that was received.
  private static let mostBytes = 64 << 10

  /// Whether the next piece must wait for an answer.
  private(set) var isPaused = false
  /// Whether the body of a request is expected.
  private var isInBody = false
  private var held = ByteBuffer()
  private var isReadWanted = false
  private var isInputClosed = false
  private var hasOverflowed = false
  /// Whether a turn is scheduled in which the next piece is passed on.
  private var isScheduled = false
  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  /// Pauses the passing of pieces, or continues it.
  ///
  /// - Parameter isInBody: whether the body of a request is expected.
  func pace(isPaused: Bool, isInBody: Bool) {
    let continues = self.isPaused && !isPaused
    (self.isPaused, self.isInBody) = (isPaused, isInBody)
    if continues { schedule() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasOverflowed else { return }
    var bytes = unwrapInboundIn(data)
    if held.readableBytes == 0 { held = bytes } else { held.writeBuffer(&bytes) }
    if !isScheduled { pass(context) }
    if held.readableBytes > Self.mostBytes {
      hasOverflowed = true
      held = ByteBuffer()
      context.fireUserInboundEventTriggered(Overflow())
    } else if held.readableBytes > 0 {
      // Copy the bytes, because they may be a small part of a large buffer.
      held = ByteBuffer(buffer: held)
    }
  }

  func read(context: ChannelHandlerContext) {
    guard held.readableBytes == 0 else {
      isReadWanted = true
      return
    }
    context.read()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed, held.readableBytes > 0 {
      isInputClosed = true
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    held = ByteBuffer()
    context.fireChannelInactive()
  }

  /// Passes on everything that is held back, because the connection no longer uses HTTP.
  func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
    if held.readableBytes > 0 {
      let rest = held
      held = ByteBuffer()
      context.fireChannelRead(wrapInboundOut(rest))
      context.fireChannelReadComplete()
    }
    if isInputClosed { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    context.leavePipeline(removalToken: removalToken)
  }

  private func schedule() {
    guard let context, !isScheduled, held.readableBytes > 0 || isReadWanted || isInputClosed else { return }
    isScheduled = true
    context.eventLoop.assumeIsolated().execute { [self] in
      isScheduled = false
      // The handler may have been removed meanwhile.
      guard self.context != nil else { return }
      pass(context)
      context.fireChannelReadComplete()
      guard held.readableBytes == 0 else { return }
      if isInputClosed {
        isInputClosed = false
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
      }
      if isReadWanted {
        isReadWanted = false
        context.read()
      }
    }
  }

  /// Passes on pieces until the next one must wait for an answer.
  private func pass(_ context: ChannelHandlerContext) {
    while !isPaused, held.readableBytes > 0, self.context != nil {
      let least = isInBody ? Self.leastOfBody : Self.leastOfHead
      let length = unsafe held.withUnsafeReadableBytes { unsafe Self.piece(of: $0, atLeast: least) }
      guard let piece = held.readSlice(length: length) else { return }
      context.fireChannelRead(wrapInboundOut(piece))
    }
  }

  /// Returns the length of the first bytes up to the end of an empty line, or of all bytes if there is no empty line.
  ///
  /// - Parameter least: the minimum length; at least 3.
  private static func piece(of bytes: UnsafeRawBufferPointer, atLeast least: Int) -> Int {
    guard let base = bytes.baseAddress else { return bytes.count }
    // Begin 3 bytes before the minimum, to find an empty line that ends exactly there.
    var start = least - 3
    while start < bytes.count,
      let found = unsafe memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
    {
      start = unsafe UnsafeRawPointer(found) - base + 1
      var end = start
      if unsafe end < bytes.count && bytes[end] == UInt8(ascii: "\r") { end += 1 }
      if unsafe end < bytes.count && bytes[end] == UInt8(ascii: "\n") && end + 1 >= least { return end + 1 }
    }
    return bytes.count
  }
}
