import FleetDomain
import NIOCore

extension LiveConnection {
  /// A subscription to a channel.
  final class Subscription {
    /// The updates that are published while older records are being read, in order. They are sent after the older
    /// records. `nil` after all older records were sent.
    fileprivate(set) var held: [LiveUpdate]?
    fileprivate(set) var heldBytes = 0
    /// Whether the updates in `held` exceeded their limit. If `true`, later updates are read from the store, like the
    /// older records.
    fileprivate var isOverfull = false
    /// The maximum number of changes in the next page of older records that is read.
    fileprivate var pageLimit = LiveService.firstPage
    /// The number of the last record that was sent. A record may be published after it was read from the store. With
    /// this number, the server detects such a record and does not send it twice.
    fileprivate var last: Int64 = 0
    /// The audience to which the subscription belongs; `nil` if the client receives no changes of things.
    var audience: ChangeAudience?
    /// Whether the message `subscribed` was sent to the client.
    fileprivate(set) var hasBegun = false

    /// The number of the last record that the client has received; `nil` if the client wants only new records.
    fileprivate let after: Int64?
    /// Whether the client receives records; if `false`, it receives only changes of things.
    fileprivate let hasRecords: Bool

    fileprivate init(after: Int64?, hasRecords: Bool) {
      self.after = after
      self.hasRecords = hasRecords
      held = []
    }
  }

  /// A request for older records of a channel, waiting or in progress.
  struct Replay {
    let channel: LiveChannel
    fileprivate let subscription: Subscription
    fileprivate let after: Int64
  }

  func subscribe(to channel: LiveChannel, after: Int64?, _ content: LiveContent) {
    guard context != nil, subscriptions[channel] == nil else {
      refuse(.conflict("channel: \(quoted(channel.name)) is subscribed to already"), channel.name)
      return
    }
    guard subscriptions.count < hub.settings.subscriptions else {
      refuse(.conflict("channel: more than \(hub.settings.subscriptions) of one connection"), channel.name)
      return
    }
    guard hub.subscriptions(of: channel.tenant) < hub.settings.subscriptionsOfTenant else {
      refuse(
        .conflict("channel: more than \(hub.settings.subscriptionsOfTenant) of all connections of the tenant"),
        channel.name)
      return
    }
    // Subscribe before older records are read. Otherwise, records that are stored during the reading would be lost.
    let subscription = Subscription(after: content.hasRecords ? after : nil, hasRecords: content.hasRecords)
    subscriptions[channel] = subscription
    hub.count(channel, hasRecords: content.hasRecords, by: 1)
    if content.hasRecords { loopConnections?.listen(self, to: channel) }
    if content.hasChanges, let identity { enter(ChangeAudience(channel, identity), identity, subscription) }
    chargeMemory()
    guard phase != .closing else { return }
    starting.append(channel)
    startSubscriptions()
  }

  /// Reads the current position of the feed once for all subscriptions that wait for it. Each connection has at most
  /// one such read in progress.
  private func startSubscriptions() {
    guard !isStarting, let context, let tenant = starting.first?.tenant else { return }
    let begun = starting.compactMap { channel in subscriptions[channel].map { (channel, $0) } }
    let hasChanges = begun.contains { $0.1.audience != nil }
    starting = []
    isStarting = true
    let service = service
    hub.running.await(on: context.eventLoop) {
      if hasChanges { try await service.followChanges(tenant) }
      return try await service.begin(tenant)
    } then: { result in
      self.isStarting = false
      for (channel, subscription) in begun where self.subscriptions[channel] === subscription {
        self.start(channel, subscription, result)
      }
      self.startSubscriptions()
    }
  }

  /// Begins a subscription. This function is called after the current position of the feed was read.
  ///
  /// - Parameter result: the number of the newest record in the feed, or the error that occurred while it was read.
  private func start(_ channel: LiveChannel, _ subscription: Subscription, _ result: Result<Int64, any Error>) {
    switch result {
    case .failure(let error): endSubscription(channel, error)
    case .success(let newest):
      let after = subscription.after
      if let after, after > newest {
        // No record has this number yet. The client received the number from another store, or before a backup was
        // restored.
        endSubscription(
          channel,
          StorageError(
            .positionGone, "feed", "expected at most \(newest), found \(after): read the current state again"))
        return
      }
      send(event: "subscribed", channel: channel, id: after ?? newest)
      subscription.hasBegun = true
      if let after {
        replay(channel, subscription, after: after)
      } else if subscription.isOverfull {
        replay(channel, subscription, after: newest)
      } else {
        // The client wants no older records. Records that are stored later are published.
        release(subscription, upTo: newest)
      }
    }
  }

  /// Sends the records whose numbers are above `after`, page by page. Afterwards, sends the updates that were published
  /// in the meantime.
  ///
  /// A connection reads only one page at a time, even if the client resumes several channels.
  private func replay(_ channel: LiveChannel, _ subscription: Subscription, after: Int64) {
    replays.append(Replay(channel: channel, subscription: subscription, after: after))
    readNextPage()
  }

  private func readNextPage() {
    guard reading == nil, let context, !replays.isEmpty else { return }
    let next = replays.removeFirst()
    let subscription = next.subscription
    subscription.isOverfull = false
    reading = (subscription, nil)
    advance(subscription, to: next.after)
    // The subscription may have ended during the read, for example because memory was exhausted.
    guard subscriptions[next.channel] === subscription else { return endPage() }
    let service = service
    let request = ReplayRequest(
      channel: next.channel, after: next.after, limit: subscription.pageLimit, pieceBytes: hub.settings.replayBytes,
      holder: holder)
    reading?.task = hub.running.await(on: context.eventLoop) {
      try await service.replay(request)
    } then: {
      self.send($0, of: next.channel, subscription)
    }
  }

  private func endPage() {
    reading = nil
    readNextPage()
  }

  private func send(
    _ result: Result<LivePage, any Error>, of channel: LiveChannel, _ subscription: Subscription
  ) {
    guard subscriptions[channel] === subscription else {
      endPage()
      return
    }
    switch result {
    case .failure(let error):
      endSubscription(channel, error)
      endPage()
    case .success(let page):
      subscription.pageLimit = page.nextLimit
      send(page.pieces[...]) {
        // Return the memory of the page, because its records have been sent.
        page.share?.shrink(to: 0)
        self.endPage()
        guard self.subscriptions[channel] === subscription else { return }
        if page.isLast, !subscription.isOverfull {
          self.release(subscription, upTo: page.last)
        } else {
          self.replay(channel, subscription, after: page.last)
        }
      }
    }
  }

  /// Sends pieces one after another, each only after the previous piece was sent completely. Therefore a slow reader is
  /// not disconnected because of older records.
  private func send(_ pieces: ArraySlice<ByteBuffer>, then next: @escaping () -> Void) {
    guard let first = pieces.first else {
      next()
      return
    }
    write(first) { self.send(pieces.dropFirst(), then: next) }
  }

  private func release(_ subscription: Subscription, upTo number: Int64) {
    advance(subscription, to: number)
    let held = subscription.held ?? []
    store(nil, in: subscription)
    for update in held { pass(update, to: subscription) }
  }

  /// Stores the number up to which a subscription has received all records.
  private func advance(_ subscription: Subscription, to number: Int64) {
    subscription.last = number
    store(subscription.held?.filter { $0.last > number }, in: subscription)
  }

  private func store(_ updates: [LiveUpdate]?, in subscription: Subscription) {
    set(updates, in: subscription)
    chargeMemory()
  }

  private func set(_ updates: [LiveUpdate]?, in subscription: Subscription) {
    let bytes = updates?.reduce(0) { $0 + $1.frames.readableBytes } ?? 0
    heldBytes += bytes - subscription.heldBytes
    subscription.held = updates
    subscription.heldBytes = bytes
  }

  /// Sends the records of an update that the subscription has not received yet.
  private func pass(_ update: LiveUpdate, to subscription: Subscription) {
    guard let frames = update.frames(after: subscription.last) else { return }
    subscription.last = update.last
    send(frames)
  }

  /// Ends a subscription, and reports the reason to the client.
  func endSubscription(_ channel: LiveChannel, _ error: any Error) {
    stopListening(to: channel)
    refuse(APIError(error, logger: logger), channel.name)
  }

  func stopListening(to channel: LiveChannel) {
    remove(channel)
    chargeMemory()
  }

  /// Ends a subscription, but does not adjust the reserved memory. The caller must call ``chargeMemory()`` afterwards.
  func remove(_ channel: LiveChannel) {
    guard let subscription = subscriptions.removeValue(forKey: channel) else { return }
    set(nil, in: subscription)
    // Remove the channel's waiting requests now, so that they do not delay other channels.
    starting.removeAll { $0 == channel }
    replays.removeAll { $0.subscription === subscription }
    if reading?.subscription === subscription { reading?.task?.cancel() }
    if subscription.hasRecords { loopConnections?.stopListening(self, to: channel) }
    leaveAudience(subscription)
    hub.count(channel, hasRecords: subscription.hasRecords, by: -1)
  }

  /// Sends an update to a subscription. If older records are still being read, keeps the update until they were sent.
  func deliver(_ update: LiveUpdate) {
    guard let subscription = subscriptions[update.channel] else { return }
    guard let held = subscription.held else {
      pass(update, to: subscription)
      return
    }
    guard !subscription.isOverfull else { return }
    guard subscription.heldBytes + update.frames.readableBytes <= hub.settings.behindBytes else {
      // Do not keep the update: it will be read from the store.
      subscription.isOverfull = true
      store([], in: subscription)
      return
    }
    store(held + [update], in: subscription)
  }
}
