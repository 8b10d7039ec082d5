import FleetDomain
import Logging
import NIOCore
import NIOWebSocket
import Telemetry

/// A WebSocket connection to a client, with its subscriptions and its unsent data.
///
/// All calls are on the connection's event loop. An operation that waits for the store runs in a task. Its result is
/// then processed on the event loop.
final class LiveConnection: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame

  /// The reason in the close frame when the server stops.
  static let stopping = "the server is stopping"
  /// The maximum length of a client's message in bytes.
  static let messageLimit = 16 << 10

  enum Phase { case waiting, authenticating, open, closing }

  let hub: LiveHub
  let service: LiveService
  let logger: Logger
  private let token: String?
  var handshake: Handshake
  var identity: Identity?
  var phase = Phase.waiting
  var context: ChannelHandlerContext?
  /// The context of the frame encoder. Frames that are already encoded are written through it, so that they bypass the
  /// encoder. `nil` before the handler is added to the pipeline, and after the connection has ended.
  var output: ChannelHandlerContext?
  var loopConnections: LoopConnections?
  var subscriptions: [LiveChannel: Subscription] = [:]
  /// Messages that arrived before the token was checked.
  var early: [[UInt8]] = []
  /// Received frames that wait to be processed.
  var waiting: [WebSocketFrame] = []
  /// Total bytes of `early` and `waiting`.
  var receivedBytes = 0
  var isPaused = false
  var message = MessageAssembly(limit: messageLimit)
  /// Total bytes of the updates that the connection's subscriptions keep until older records were sent.
  var heldBytes = 0
  /// The number of bytes that are reserved for this connection in the memory of live connections.
  var charged = 0
  /// The holder for whom `charged` bytes are reserved.
  var chargedHolder = Holder.server
  /// The holder to whom memory is charged until the token was checked: the client's address.
  var stranger = Holder.server
  /// Whether the reserved memory will be adjusted after the write that is in progress.
  var isCharging = false
  /// New subscriptions that wait until the position of the feed was read.
  var starting: [LiveChannel] = []
  /// Whether the position of the feed is being read.
  var isStarting = false
  /// Requests for older records that wait until the current request is finished.
  var replays: [Replay] = []
  /// The subscription whose older records are being read or sent, and the task that reads them; `nil` if there is none.
  var reading: (subscription: Subscription, task: Task<Void, Never>?)?
  /// Number of frames that exceeded the rate limit since the last call of ``tick()``.
  var excess = 0
  /// Number of frames that arrived before the token was checked.
  var anonymous = 0
  /// Number of pings sent since data was last received from the client.
  var unanswered = 0
  /// The time at which ``checkRights(since:)`` last began to read the rights of ``identity`` from the storage; `nil` if
  /// it has not read them yet.
  var rightsReadAt: ContinuousClock.Instant?
  var deadline: Scheduled<Void>?
  /// The timer for the check whether the session or token has ended; `nil` if no check is scheduled.
  var expiry: Scheduled<Void>?
  /// The timer that closes the connection if a piece of older records is not sent in time; `nil` before the first
  /// piece.
  var pieceDeadline: Scheduled<Void>?

  /// Creates the handler of a connection.
  ///
  /// - Parameter token: the token in the headers of the handshake; `nil` if the first message must contain the token.
  init(hub: LiveHub, service: LiveService, token: String?, handshake: Handshake, logger: Logger) {
    self.hub = hub
    self.service = service
    self.token = token
    self.handshake = handshake
    self.logger = logger
  }

  // MARK: Opening and closing

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    stranger = .address(handshake.client.address)
    do {
      // Read only one piece in each turn of the event loop, so that a client that sends without a pause does not delay
      // others.
      try context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
      try context.channel.syncOptions?.setOption(
        .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2 << 10))
      output = try context.pipeline.syncOperations.context(handlerType: WebSocketFrameEncoder.self)
      // The length of unsent data may reach the configured limit plus the length of one piece of older records.
      let limit = hub.settings.behindBytes + hub.settings.replayBytes
      try context.channel.syncOptions?.setOption(.writeBufferWaterMark, value: .init(low: limit / 2, high: limit))
    } catch {
      context.close(promise: nil)
      return
    }
    loopConnections = hub.loopConnections(of: context.eventLoop)
    loopConnections?.enter(self)
    guard hub.connections.belongs(context.channel, toAddress: handshake.client.address) else {
      close(.tryAgainLater, Connections.tooManyOfAddress.message)
      return
    }
    if let token {
      authenticate(token)
    } else {
      handshake.report(nil)
      let seconds = hub.settings.authenticateSeconds
      deadline = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Int64(seconds))) {
        self.close(.policyViolation, "no token within \(seconds) s")
      }
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    handshake.report(nil)
    self.context = nil
    output = nil
    (waiting, early, receivedBytes) = ([], [], 0)
    removeAllSubscriptions()
    loopConnections?.leave(self)
    if let identity { hub.count(identity.tenant, by: -1) }
    deadline?.cancel()
    expiry?.cancel()
    pieceDeadline?.cancel()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // The client has closed its direction of the connection. WebSocket does not allow half-closed connections.
    if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    logger.debug("live connection: \(error)")
    // The decoder rejected the data and reads nothing more. The client's close frame would therefore never be read.
    if error is FrameLengthHandler.Fault {
      close(.protocolError, "a frame's length is not in the shortest form", lingering: .milliseconds(200))
      return
    }
    switch error as? NIOWebSocketError {
    case .invalidFrameLength:
      close(.messageTooLarge, "a frame is longer than \(Self.messageLimit) bytes", lingering: .milliseconds(200))
    case .fragmentedControlFrame:
      close(.protocolError, "a control frame is fragmented", lingering: .milliseconds(200))
    case .multiByteControlFrameLength:
      close(.protocolError, "a control frame is longer than 125 bytes", lingering: .milliseconds(200))
    default: context.close(promise: nil)
    }
  }

  private func removeAllSubscriptions() {
    for channel in Array(subscriptions.keys) { remove(channel) }
    chargeMemory()
  }

  /// Sends a close frame. The connection is closed when the client's close frame arrives, at the latest after
  /// `lingering`.
  ///
  /// - Parameter code: the status code; `nil` if the server answers a close frame that has no code.
  func close(_ code: WebSocketErrorCode?, _ reason: String, lingering: TimeAmount = .seconds(2)) {
    guard let context, let output else { return }
    deadline?.cancel()
    if phase != .closing {
      phase = .closing
      _ = removeEarlyMessages()
      removeAllSubscriptions()
      output.writeAndFlush(NIOAny(ServerFrame.close(code, reason)), promise: nil)
    }
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: lingering) { context.close(promise: nil) }
  }
}
