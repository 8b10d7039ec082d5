import FleetDomain
import Logging
import NIOCore
import NIOWebSocket
import Telemetry

/// A WebSocket: its client, its subscriptions, and the data that waits for it.
///
/// All calls are on the connection's event loop. Work that waits for the store runs in a task, and its result comes
/// back to the loop.
final class LiveConnection: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame

  /// The reason with which connections are closed when the server stops.
  static let stopping = "the server is stopping"
  /// The maximum length of a client's message in bytes.
  static let messageLimit = 16 << 10

  enum Phase { case waiting, authenticating, open, closing }

  let hub: LiveHub
  let service: LiveService
  let logger: Logger
  private let token: String?
  private var handshake: Handshake
  private var identity: Identity?
  var phase = Phase.waiting
  var context: ChannelHandlerContext?
  /// The context of the frame encoder. Whole frames are written past it.
  private var output: ChannelHandlerContext?
  var loopConnections: LoopConnections?
  var subscriptions: [LiveChannel: Subscription] = [:]
  /// Messages that arrived before the token was checked.
  private var early: [[UInt8]] = []
  /// Frames that wait for their turn on the event loop.
  private var waiting: [WebSocketFrame] = []
  /// Bytes of both.
  private var receivedBytes = 0
  /// Bytes that a frame or message needs besides its own.
  private static let bytesForMessage = 128
  private var isPaused = false
  /// The number of waiting frames at which reading pauses, and at which it continues.
  private static let mostWaiting = (pause: 32, resume: 8)
  private var message = MessageAssembly(limit: messageLimit)
  /// Bytes of updates that wait until older ones are sent, in all subscriptions.
  var heldBytes = 0
  /// The memory that this connection holds, and its holder.
  private var charged = 0
  private var chargedHolder = Holder.server
  private var stranger = Holder.server
  /// The memory of a subscription, including the lists of listeners.
  private static let bytesForSubscription = 1_024
  /// Whether a write is in progress after which the memory is charged again.
  private var isCharging = false
  /// Channels that wait for the position of the feed.
  var starting: [LiveChannel] = []
  /// Whether the position of the feed is being read.
  var isStarting = false
  /// Pages of older records that wait until the page before them is sent.
  var replays: [Replay] = []
  /// The subscription whose page is being read or sent, and the task that reads it.
  var reading: (subscription: Subscription, task: Task<Void, Never>?)?
  /// Frames above the rate limit since the last tick.
  private var excess = 0
  private static let mostExcess = 20
  /// Frames that arrived before the token was checked.
  private var anonymous = 0
  private static let mostAnonymous = 64
  /// Pings since the client was last heard.
  private var unanswered = 0
  /// The maximum number of unanswered pings. A radio link or a busy machine may be late.
  private static let mostUnanswered = 3
  private var deadline: Scheduled<Void>?
  /// The time limit of a piece of older records.
  private var pieceDeadline: Scheduled<Void>?

  /// - Parameter token: the bearer token of the handshake; `nil` if the first message brings it.
  init(hub: LiveHub, service: LiveService, token: String?, handshake: Handshake, logger: Logger) {
    self.hub = hub
    self.service = service
    self.token = token
    self.handshake = handshake
    self.logger = logger
  }

  // MARK: Coming and going

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    stranger = Holder(group: .peer(PeerAddress.group(context.channel.remoteAddress?.ipAddress)), key: nil)
    do {
      // Small reads, so that a client that sends without end does not delay others.
      try context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
      try context.channel.syncOptions?.setOption(
        .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2 << 10))
      output = try context.pipeline.syncOperations.context(handlerType: WebSocketFrameEncoder.self)
      // In addition to one piece of older records.
      let limit = hub.settings.behindBytes + hub.settings.replayBytes
      try context.channel.syncOptions?.setOption(.writeBufferWaterMark, value: .init(low: limit / 2, high: limit))
    } catch {
      context.close(promise: nil)
      return
    }
    loopConnections = hub.loopConnections(of: context.eventLoop)
    loopConnections?.enter(self)
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
    forgetAll()
    loopConnections?.leave(self)
    if let identity { hub.count(identity.tenant, by: -1) }
    deadline?.cancel()
    pieceDeadline?.cancel()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // The client has closed its side. A half-closed connection is useful for HTTP only.
    if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    logger.debug("live connection: \(error)")
    // What the decoder refuses; it reads nothing more, so that no close frame of the other side is to be waited for.
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

  private func forgetAll() {
    for channel in Array(subscriptions.keys) { remove(channel) }
    chargeMemory()
  }

  /// Sends a close frame, and closes the connection when the client has answered or after `lingering`.
  ///
  /// - Parameter code: `nil` to answer a close frame without a code.
  func close(_ code: WebSocketErrorCode?, _ reason: String, lingering: TimeAmount = .seconds(2)) {
    guard let context, let output else { return }
    deadline?.cancel()
    if phase != .closing {
      phase = .closing
      _ = takeEarly()
      forgetAll()
      output.writeAndFlush(NIOAny(ServerFrame.close(code, reason)), promise: nil)
    }
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: lingering) { context.close(promise: nil) }
  }

  // MARK: What comes in

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    unanswered = 0
    guard let loopConnections, phase != .closing else {
      take(frame, context)
      return
    }
    if loopConnections.mayTake(self) {
      take(frame, context)
    } else {
      waiting.append(frame)
      receivedBytes += Self.bytes(frame)
      chargeMemory()
      if waiting.count >= Self.mostWaiting.pause { pauseReading(true) }
    }
  }

  /// Processes the frame that has waited longest.
  func takeWaiting() {
    guard let context, !waiting.isEmpty else { return }
    let frame = waiting.removeFirst()
    receivedBytes -= Self.bytes(frame)
    if waiting.count <= Self.mostWaiting.resume { pauseReading(false) }
    take(frame, context)
    if waiting.isEmpty { chargeMemory() }
  }

  private func takeEarly() -> [[UInt8]] {
    defer { early = [] }
    receivedBytes -= early.reduce(0) { $0 + $1.count + Self.bytesForMessage }
    return early
  }

  private static func bytes(_ frame: WebSocketFrame) -> Int { frame.data.readableBytes + bytesForMessage }

  private func pauseReading(_ pauses: Bool) {
    guard pauses != isPaused, let context else { return }
    isPaused = pauses
    do {
      try context.channel.syncOptions?.setOption(.autoRead, value: !pauses)
    } catch {
      context.close(promise: nil)
    }
  }

  private func take(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
    if phase == .closing {
      // The client's answer to our close frame, or its own close frame.
      if frame.opcode == .connectionClose { context.close(promise: nil) }
      return
    }
    guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
      close(.protocolError, "a frame is not masked, or has reserved bits")
      return
    }
    let wait = frame.opcode == .connectionClose ? nil : excessWait()
    guard phase != .closing else { return }
    switch frame.opcode {
    case .text, .continuation, .binary: takePart(frame, wait)
    case .ping: if wait == nil { send(.pong, frame.unmaskedData.readableBytesView) }
    case .pong: break
    case .connectionClose: answerClose(ClosePayload(frame.unmaskedData.readableBytesView))
    default: close(.protocolError, "a frame has an opcode that RFC 6455 reserves")
    }
  }

  private func answerClose(_ payload: ClosePayload) {
    switch payload {
    case .valid(let code): close(code, "", lingering: .milliseconds(200))
    case .failure(let code, let reason): close(code, reason, lingering: .milliseconds(200))
    }
  }

  /// Counts a frame as a request of its key.
  ///
  /// - Returns: `nil` if it is within the limit, otherwise the seconds until another one is allowed.
  private func excessWait() -> Int? {
    guard let identity else {
      anonymous += 1
      if anonymous > Self.mostAnonymous { close(.policyViolation, "too many messages before the token was checked") }
      return nil
    }
    guard let seconds = service.admit(identity.key) else { return nil }
    excess += 1
    if excess > Self.mostExcess {
      close(.policyViolation, "too many messages: more than one key may send; wait \(seconds) s")
      // Frames that still arrive are not read.
      pauseReading(true)
    }
    return seconds
  }

  /// - Parameter wait: the seconds until the message may be sent again; `nil` if it is within the limit.
  private func takePart(_ frame: WebSocketFrame, _ wait: Int?) {
    switch message.add(frame) {
    case .incomplete: break
    case .text(let text):
      if let wait { refuse(.tooMany(wait: wait)) } else { take(text) }
    case .failure(let code, let reason): close(code, reason)
    }
  }

  private func take(_ text: [UInt8]) {
    if phase == .authenticating {
      guard early.count < Self.mostAnonymous else {
        close(.policyViolation, "too many messages before the token was checked")
        return
      }
      early.append(text)
      receivedBytes += text.count + Self.bytesForMessage
      chargeMemory()
      return
    }
    do {
      try run(LiveCommand(parsing: text))
    } catch {
      refuse(APIError.badRequest("message: \(error.message)"))
    }
  }

  private func run(_ command: LiveCommand) {
    switch command {
    case .authenticate(let token): authenticate(token)
    case .ping: send(event: "pong")
    case .subscribe(let name, let after):
      guard let channel = channel(name) else { return }
      subscribe(to: channel, after: after)
    case .unsubscribe(let name):
      guard let channel = channel(name) else { return }
      stopListening(to: channel)
      send(event: "unsubscribed", channel: channel)
    }
  }

  private func channel(_ name: String) -> LiveChannel? {
    guard let identity else {
      close(.policyViolation, #"the first message must be {"action":"authenticate","token":"…"}"#)
      return nil
    }
    guard let channel = LiveChannel(tenant: identity.tenant, name: name) else {
      refuse(.badRequest("channel: expected \"fleet\" or \"vehicle:ID\", found \(quoted(name))"), name)
      return nil
    }
    return channel
  }

  // MARK: Who it is

  private func authenticate(_ token: String) {
    guard let context else { return }
    phase = .authenticating
    let (service, address) = (service, handshake.client.address)
    hub.running.await(on: context.eventLoop) {
      try await service.authenticate(token, address)
    } then: {
      self.authenticated($0)
    }
  }

  private func authenticated(_ result: Result<Identity, any Error>) {
    guard phase == .authenticating, let context else { return }
    deadline?.cancel()
    handshake.report(try? result.get())
    switch result {
    case .failure(let error):
      let problem = APIError(error, logger: logger)
      refuse(problem)
      close(.policyViolation, problem.message)
    case .success(let found):
      if let identity, identity.tenant != found.tenant {
        close(.policyViolation, "the new token belongs to another tenant")
        return
      }
      guard hub.connections.belongs(context.channel, to: found.holder) else {
        close(.tryAgainLater, Connections.refusal.message)
        return
      }
      // A handshake counts as a request.
      if let seconds = service.admit(found.key) {
        refuse(.tooMany(wait: seconds))
        close(.policyViolation, "too many requests of one key; wait \(seconds) s")
        return
      }
      if identity == nil { hub.count(found.tenant, by: 1) }
      identity = found
      phase = .open
      send(event: "authenticated")
      for text in takeEarly() where phase != .closing { take(text) }
    }
  }

  /// The holder of its memory and of its turns: its address until its token is known.
  var holder: Holder { identity?.holder ?? stranger }

  /// Whether the connection was authenticated with one of these tokens or sessions.
  func isOf(_ ids: Set<UUIDv7>, _ tenant: TenantID) -> Bool {
    switch identity?.principal {
    case .token(let token, tenant)?: ids.contains(token.id)
    case .person(let signedIn, tenant)?: ids.contains(signedIn.session)
    default: false
    }
  }

  /// Sends a ping at intervals, and closes the connection if its client is gone.
  func tick() {
    guard phase != .closing else { return }
    excess = 0
    guard unanswered < Self.mostUnanswered else {
      close(.policyViolation, "no answer to a ping")
      return
    }
    // While other data waits, a missing answer says nothing.
    if output?.channel.isWritable ?? false {
      unanswered += 1
      send(.ping, [])
    }
  }

  // MARK: What goes out

  func send(_ frames: ByteBuffer) {
    // While another token is checked, the old one is valid.
    guard phase != .closing, identity != nil, let output else { return }
    guard output.channel.isWritable else {
      cutOff()
      return
    }
    output.writeAndFlush(NIOAny(frames), promise: nil)
    chargeMemory()
  }

  /// Sends frames that may be longer than a client may be behind. Calls `next` when they are sent.
  func write(_ frames: ByteBuffer, then next: @escaping () -> Void) {
    guard phase != .closing, identity != nil, let output, let context else { return }
    let promise = context.eventLoop.makePromise(of: Void.self)
    let seconds = hub.settings.pingSeconds
    let deadline = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Int64(seconds))) {
      // A client that answers pings but reads nothing would hold its memory for ever.
      self.close(
        .policyViolation, "too slow: older records were not taken within \(seconds) s; resume with after")
    }
    pieceDeadline = deadline
    promise.futureResult.assumeIsolated().whenComplete { result in
      deadline.cancel()
      if case .success = result { next() }
    }
    output.writeAndFlush(NIOAny(frames), promise: promise)
    chargeMemory()
  }

  /// Counts what waits here in the memory of live connections.
  func chargeMemory() {
    let waiting = waitingBytes
    let now = waiting + heldBytes + receivedBytes + subscriptions.count * Self.bytesForSubscription
    if chargedHolder != holder {
      hub.memory.release(charged, from: chargedHolder)
      (charged, chargedHolder) = (0, holder)
    }
    if now > charged {
      guard hub.memory.acquireNow(now - charged, for: holder) else {
        close(
          .tryAgainLater, "the server has as much under way as its memory allows; resume with after",
          lingering: farewell)
        return
      }
    } else if now < charged {
      hub.memory.release(charged - now, from: holder)
    }
    charged = now
    guard waiting > 0, !isCharging, let output, let context else { return }
    isCharging = true
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { _ in
      self.isCharging = false
      self.chargeMemory()
    }
    // An empty write after all waiting data.
    output.writeAndFlush(NIOAny(ByteBuffer()), promise: promise)
  }

  private var farewell: TimeAmount { .seconds(Int64(hub.settings.farewellSeconds)) }

  /// The number of bytes that the client has not read yet.
  private var waitingBytes: Int {
    guard let options = output?.channel.syncOptions else { return 0 }
    do {
      return try options.getOption(.bufferedWritableBytes)
    } catch {
      // The connection is closed.
      return 0
    }
  }

  func cutOff() {
    close(
      .policyViolation, "too slow: more than \(hub.settings.behindBytes) bytes behind; resume with after",
      lingering: farewell)
  }

  /// - Parameter channel: the name of the channel to which the error belongs.
  func refuse(_ error: APIError, _ channel: String? = nil) {
    let text = JSONBody.object { line in
      line.field("event", "error" as StaticString)
      line.field("channel", channel)
      line.beginObject("error")
      line.field("code", error.code)
      line.field("message", error.message)
      line.end()
    }
    send(.text, text)
  }

  func send(event: StaticString, channel: LiveChannel? = nil, id: Int64? = nil) {
    let text = JSONBody.object { line in
      line.field("event", event)
      line.field("channel", channel?.name)
      line.field("id", id.map { Int($0) })
    }
    send(.text, text)
  }

  private func send(_ opcode: WebSocketOpcode, _ payload: some Collection<UInt8>) {
    guard phase != .closing, let output else { return }
    // A client that sends requests and reads no answers gets no more of them.
    guard output.channel.isWritable else {
      cutOff()
      return
    }
    var frame = ByteBuffer()
    ServerFrame.append(opcode, payload, to: &frame)
    output.writeAndFlush(NIOAny(frame), promise: nil)
    chargeMemory()
  }
}

extension WebSocketErrorCode {
  /// 1013 of IANA's registry: a temporary condition.
  static let tryAgainLater = WebSocketErrorCode(codeNumber: 1_013)
}
