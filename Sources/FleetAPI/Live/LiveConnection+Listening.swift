import NIOCore

extension LiveConnection {
  /// A channel that is listened to.
  final class Subscription {
    /// What was published while older records are still read; nil once all of them are sent.
    var held: [LiveUpdate]?
    var heldBytes = 0
    /// Number of the last record that was sent: what was read from the store may be published only then.
    var last: Int64 = 0

    init(isReplaying: Bool) { held = isReplaying ? [] : nil }

    /// Everything up to a number was sent.
    func advance(to number: Int64) {
      last = number
      held?.removeAll { $0.last <= number }
      heldBytes = held?.reduce(0) { $0 + $1.frames.readableBytes } ?? 0
    }
  }

  func subscribe(to channel: LiveChannel, after: Int64?) {
    guard let context, subscriptions[channel] == nil else {
      refuse(.conflict("channel: \(quoted(channel.name)) is subscribed to already"))
      return
    }
    guard subscriptions.count < hub.settings.subscriptions else {
      refuse(.conflict("channel: more than \(hub.settings.subscriptions) of one connection"))
      return
    }
    // Listening begins before older records are read: between the two nothing is lost.
    let subscription = Subscription(isReplaying: true)
    subscriptions[channel] = subscription
    hub.count(channel, by: 1)
    room?.listen(self, to: channel)
    let service = service
    context.eventLoop.makeFutureWithTask { try await service.begin(channel) }
      .assumeIsolated().whenComplete { result in
        guard self.subscriptions[channel] === subscription else { return }
        switch result {
        case .failure(let error): self.giveUp(channel, error)
        case .success(let newest):
          self.send(event: "subscribed", channel: channel, id: after ?? newest)
          self.replay(channel, subscription, after: after ?? newest)
        }
      }
  }

  /// Sends what is behind a number page by page, then what was published meanwhile.
  private func replay(_ channel: LiveChannel, _ subscription: Subscription, after: Int64) {
    guard let context else { return }
    subscription.advance(to: after)
    let service = service
    context.eventLoop.makeFutureWithTask { try await service.replay(channel, after) }
      .assumeIsolated().whenComplete { result in
        guard self.subscriptions[channel] === subscription else { return }
        switch result {
        case .failure(let error): self.giveUp(channel, error)
        case .success(let page):
          let next = {
            page.isLast
              ? self.release(channel, subscription, upTo: page.last)
              : self.replay(channel, subscription, after: page.last)
          }
          // The next page once this one is on its way: a backlog is no reason to be called slow.
          if page.records.isEmpty { next() } else { self.write(LiveUpdate(channel, page.records).frames, then: next) }
        }
      }
  }

  private func release(_ channel: LiveChannel, _ subscription: Subscription, upTo number: Int64) {
    guard subscriptions[channel] === subscription else { return }
    subscription.advance(to: number)
    let held = subscription.held ?? []
    subscription.held = nil
    for update in held { pass(update, to: subscription) }
  }

  /// Sends what of an update was not sent yet.
  private func pass(_ update: LiveUpdate, to subscription: Subscription) {
    guard let frames = update.frames(after: subscription.last) else { return }
    subscription.last = update.last
    send(frames)
  }

  private func giveUp(_ channel: LiveChannel, _ error: any Error) {
    stopListening(to: channel)
    refuse(APIError(error, logger: logger))
  }

  func stopListening(to channel: LiveChannel) {
    guard subscriptions.removeValue(forKey: channel) != nil else { return }
    room?.stopListening(self, to: channel)
    hub.count(channel, by: -1)
  }

  /// Takes what was just stored.
  func deliver(_ update: LiveUpdate) {
    guard let subscription = subscriptions[update.channel] else { return }
    guard subscription.held != nil else {
      pass(update, to: subscription)
      return
    }
    subscription.heldBytes += update.frames.readableBytes
    guard subscription.heldBytes <= 4 * hub.settings.behindBytes else {
      cutOff()
      return
    }
    subscription.held?.append(update)
  }
}
