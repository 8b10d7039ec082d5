import FleetDomain
import NIOCore
import NIOWebSocket

/// Reads frames and messages of the client, and executes its commands.
extension LiveConnection {
  /// Bytes of memory that each waiting frame or message needs in addition to its own bytes.
  private static let bytesForMessage = 128
  /// If `pause` frames wait to be processed, reading pauses. When only `resume` frames are left, reading continues.
  private static let mostWaiting = (pause: 32, resume: 8)
  private static let mostExcess = 20
  private static let mostAnonymous = 64

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    unanswered = 0
    guard let loopConnections, phase != .closing else {
      handle(frame, context)
      return
    }
    if loopConnections.mayProcess(self) {
      handle(frame, context)
    } else {
      waiting.append(frame)
      receivedBytes += Self.bytes(frame)
      chargeMemory()
      if waiting.count >= Self.mostWaiting.pause { pauseReading(true) }
    }
  }

  /// Processes the frame that has waited longest.
  func processWaitingFrame() {
    guard let context, !waiting.isEmpty else { return }
    let frame = waiting.removeFirst()
    receivedBytes -= Self.bytes(frame)
    if waiting.count <= Self.mostWaiting.resume { pauseReading(false) }
    handle(frame, context)
    if waiting.isEmpty { chargeMemory() }
  }

  func removeEarlyMessages() -> [[UInt8]] {
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

  private func handle(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
    if phase == .closing {
      // This frame answers the server's close frame, or is the client's own close frame.
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
    case .text, .continuation, .binary: handlePart(frame, wait)
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

  /// Counts a frame as one request of the client's key, whose number of requests is limited.
  ///
  /// - Returns: `nil` if the frame is within the limit; otherwise the time until another frame is allowed, in s.
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
      // Stop reading. Frames that were already received are ignored.
      pauseReading(true)
    }
    return seconds
  }

  /// Adds a frame to the message to which it belongs. A message may consist of several frames.
  ///
  /// - Parameter wait: `nil` if the frame is within the rate limit; otherwise the time after which the client may send
  ///   the message again, in s.
  private func handlePart(_ frame: WebSocketFrame, _ wait: Int?) {
    switch message.add(frame) {
    case .incomplete: break
    case .text(let text):
      if let wait { refuse(.tooMany(wait: wait)) } else { handle(text) }
    case .failure(let code, let reason): close(code, reason)
    }
  }

  func handle(_ text: [UInt8]) {
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
    guard recordUse() else { return }
    do {
      try run(LiveCommand(parsing: text))
    } catch {
      refuse(APIError.badRequest("message: \(error.message)"))
    }
  }

  private func run(_ command: LiveCommand) {
    switch command {
    // Treat the value of a session cookie like an unknown key. Scripts of a page cannot read this cookie, so only an
    // attacker would send its value in a message.
    case .authenticate(let token): authenticate(Credential.mayBeKey(token) ? token : "")
    case .ping: send(event: "pong")
    case .subscribe(let name, let after, let content):
      guard let channel = channel(name) else { return }
      guard content.hasRecords || content.hasChanges else {
        refuse(.badRequest("message: records: expected true unless changes is true"), channel.name)
        return
      }
      subscribe(to: channel, after: after, content)
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
    do throws(APIError) {
      return try LiveChannel(name: name, for: identity)
    } catch {
      refuse(error, name)
      return nil
    }
  }
}
