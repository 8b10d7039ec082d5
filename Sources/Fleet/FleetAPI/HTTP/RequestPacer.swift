import Glibc
import NIOCore

/// Passes the requests of a connection to the HTTP decoder one at a time. Passes a request only after the answer to the
/// previous request was written to the socket.
///
/// A client may send many requests without waiting for answers (RFC 9112, 9.3.2). If all were decoded immediately,
/// their heads would need much more memory than their bytes, and one connection could occupy the event loop for long.
/// Therefore this handler passes the bytes in pieces that end at empty lines, because the head of a request ends with
/// an empty line. While ``ConnectionSupervisor`` waits for an answer, this handler keeps the other bytes. Then it
/// passes the next piece in another turn of the event loop, after the turns of other connections. A body can contain
/// empty lines, so a piece may also end in a body. Pieces of bodies are longer (``leastOfBody``). Therefore a piece
/// that begins with the end of a body may also contain short requests that follow it. These requests are decoded early.
///
/// The handler's place in the pipeline is before the decoder. All calls are on the connection's event loop.
final class RequestPacer: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// An event: while an answer was pending, the client sent more than ``mostBytes``. No further request is read from
  /// the connection.
  struct Overflow: Sendable {}

  /// The minimum length of a piece, in bytes. It is the length of the shortest request, `GET / HTTP/1.1` and two line
  /// ends, so that a piece contains at most one request.
  private static let leastOfHead = 18
  /// The minimum length of a piece while a body arrives, in bytes. It is greater, because bodies may contain many empty
  /// lines, and each piece costs processor time.
  private static let leastOfBody = 512
  /// The maximum number of bytes that are kept for later. The socket is not read while bytes are kept. More bytes
  /// arrive only if the client closes its direction of the connection, because NIO then reads all bytes that the socket
  /// has received.
  private static let mostBytes = 64 << 10

  /// Whether the next piece must wait until ``ConnectionSupervisor`` has the answer to an earlier request.
  private(set) var isPaused = false
  /// Whether the body of a request has not arrived completely.
  private var isInBody = false
  private var held = ByteBuffer()
  private var isReadWanted = false
  private var isInputClosed = false
  private var hasOverflowed = false
  /// Whether a turn of the event loop is scheduled in which the next piece is passed to the decoder.
  private var isScheduled = false
  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  /// Pauses or continues the passing of pieces to the decoder.
  ///
  /// - Parameter isInBody: whether the body of a request has not arrived completely.
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
      // Copy the bytes, because they may be a small part of a large buffer, which the slice would keep in memory.
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

  /// Passes all kept bytes, because the connection no longer uses HTTP.
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

  /// Passes pieces to the decoder until the next piece must wait for an answer.
  private func pass(_ context: ChannelHandlerContext) {
    while !isPaused, held.readableBytes > 0, self.context != nil {
      let least = isInBody ? Self.leastOfBody : Self.leastOfHead
      let length = unsafe held.withUnsafeReadableBytes { unsafe Self.piece(of: $0, atLeast: least) }
      guard let piece = held.readSlice(length: length) else { return }
      context.fireChannelRead(wrapInboundOut(piece))
    }
  }

  /// Returns the length of the next piece. The piece ends at the first empty line at which it has the minimum length.
  /// If there is no such line, it contains all bytes.
  ///
  /// - Parameter least: the minimum length of the piece in bytes; at least 3.
  private static func piece(of bytes: UnsafeRawBufferPointer, atLeast least: Int) -> Int {
    guard let base = bytes.baseAddress else { return bytes.count }
    // Begin 3 bytes before the minimum length, to find an empty line that ends exactly at the minimum length.
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
