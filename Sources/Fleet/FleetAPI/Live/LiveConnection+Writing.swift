import FleetDomain
import NIOCore
import NIOWebSocket

/// Sends frames to the client, and reserves memory for data that wait to be sent.
extension LiveConnection {
  /// Bytes of memory that a subscription needs, including its entry in the lists of listeners.
  private static let bytesForSubscription = 1_024

  func send(_ frames: ByteBuffer) {
    // While a new token is being checked, the connection keeps the rights of the previous token.
    guard phase != .closing, identity != nil, let output else { return }
    guard output.channel.isWritable else {
      disconnectSlowClient()
      return
    }
    output.writeAndFlush(NIOAny(frames), promise: nil)
    chargeMemory()
  }

  /// Sends frames that do not count for the limit of unsent data. Calls `next` after they were sent.
  func write(_ frames: ByteBuffer, then next: @escaping () -> Void) {
    guard phase != .closing, identity != nil, let output, let context else { return }
    let promise = context.eventLoop.makePromise(of: Void.self)
    let seconds = hub.settings.pingSeconds
    let deadline = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Int64(seconds))) {
      // Without this deadline, a client that answers pings but reads nothing else could occupy memory forever.
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

  /// Reserves as much memory as the data of the connection now need. If no memory is free, closes the connection.
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
          .tryAgainLater, "the server has as much under way as its memory allows; \(continuation)",
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
    // An empty write completes after all previous data were sent.
    output.writeAndFlush(NIOAny(ByteBuffer()), promise: promise)
  }

  /// A text that states what a client must do after it was disconnected. A client that subscribes again with `after`
  /// receives the missed records, but not the missed changes of things.
  private var continuation: String {
    let hasChanges = subscriptions.values.contains { $0.audience != nil }
    return hasChanges ? "resume with after, and read the lists again" : "resume with after"
  }

  private var farewell: TimeAmount { .seconds(Int64(hub.settings.farewellSeconds)) }

  /// The number of bytes that wait to be sent to the client.
  private var waitingBytes: Int {
    guard let options = output?.channel.syncOptions else { return 0 }
    do {
      return try options.getOption(.bufferedWritableBytes)
    } catch {
      // The connection is closed.
      return 0
    }
  }

  func disconnectSlowClient() {
    close(
      .policyViolation, "too slow: more than \(hub.settings.behindBytes) bytes behind; \(continuation)",
      lingering: farewell)
  }

  /// Sends an error to the client.
  ///
  /// - Parameter channel: the name of the channel to which the error belongs; `nil` if it belongs to no channel.
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

  func send(_ opcode: WebSocketOpcode, _ payload: some Collection<UInt8>) {
    guard phase != .closing, let output else { return }
    // Do not answer a client that sends requests but does not read the answers.
    guard output.channel.isWritable else {
      disconnectSlowClient()
      return
    }
    var frame = ByteBuffer()
    ServerFrame.append(opcode, payload, to: &frame)
    output.writeAndFlush(NIOAny(frame), promise: nil)
    chargeMemory()
  }
}

extension WebSocketErrorCode {
  /// Status code 1013 of IANA's registry: the server cannot serve the client at present.
  static let tryAgainLater = WebSocketErrorCode(codeNumber: 1_013)
}
