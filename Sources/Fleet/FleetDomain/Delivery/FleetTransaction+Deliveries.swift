import Telemetry

/// The result of an attempt to send a delivery.
public enum DeliveryResult: Equatable, Sendable {
  case delivered
  /// The receiver does not accept this delivery now. It is sent again after `seconds`. Deliveries about other things
  /// are still sent.
  case refused(seconds: Int)
  /// The receiver cannot be reached, or asks the server to wait. No delivery is sent to it for `seconds`.
  case unavailable(seconds: Int)
  /// The receiver never accepts this delivery.
  case failed
}

/// The result of one attempt to send a delivery, with its duration.
public struct DeliveryAttempt: Equatable, Sendable {
  public var result: DeliveryResult
  /// HTTP status of the answer; `nil` if there was none.
  public var status: Int64?
  /// Duration of the attempt, ms.
  public var duration: Int64
  /// Reason of the failure; `nil` if the attempt succeeded.
  public var error: String?

  public init(_ result: DeliveryResult, status: Int64?, duration: Int64, error: String?) {
    (self.result, self.status, self.duration, self.error) = (result, status, duration, error)
  }
}

extension FleetTransaction {
  private static func waiting(for receiver: UUIDv7) -> [ThingQuery<Delivery>.Condition] {
    [.oneOf(key: "receiverId", [receiver.json]), .oneOf(key: "state", [Delivery.State.waiting.json])]
  }

  /// Adds a delivery, unless it was added before. It is sent after the commit, when no earlier delivery about the same
  /// thing is waiting.
  ///
  /// - Returns: `false` if the delivery was not added, because too many deliveries wait for the receiver.
  @discardableResult
  public func enqueue(_ new: Delivery) throws(ThingError) -> Bool {
    let id = Delivery.id(of: new.eventID, to: new.receiverID)
    guard try find(id, Delivery.self) == nil else { return true }
    let stored = try find(new.receiverID, DeliveryProgress.self)
    var progress = stored?.value ?? DeliveryProgress()
    progress.channel = new.channel
    guard progress.waiting < DeliveryLimits.mostWaiting(new.channel) else { return false }
    var delivery = new
    try append(&delivery, &progress)
    try insert(delivery, id: id, action: "create")
    if let stored {
      try update(stored, to: progress, action: "enqueue")
    } else {
      try insert(progress, id: new.receiverID, action: "enqueue")
    }
    return true
  }

  /// Sends a finished delivery once more, after all waiting deliveries about the same thing.
  ///
  /// - Throws: `invalidState` if the delivery is still waiting.
  public func sendAgain(_ stored: Stored<Delivery>) throws(ThingError) -> Stored<Delivery> {
    guard stored.value.state != .waiting, let known = try find(stored.value.receiverID, DeliveryProgress.self) else {
      throw .invalidState(state: stored.value.state.rawValue, allowedFrom: ["delivered", "failed"])
    }
    var (delivery, progress) = (stored.value, known.value)
    (delivery.state, delivery.attempts, delivery.error) = (.waiting, 0, nil)
    try append(&delivery, &progress)
    try update(known, to: progress, action: "enqueue")
    return try update(stored, to: delivery, action: "sendAgain")
  }

  private func append(_ delivery: inout Delivery, _ progress: inout DeliveryProgress) throws(ThingError) {
    progress.lastNumber += 1
    progress.waiting += 1
    delivery.number = progress.lastNumber
    delivery.expiresAt = now.adding(seconds: DeliveryLimits.seconds)
    var earlier = ThingQuery<Delivery>(.oneOf(key: "thing", [delivery.thing.json]))
    earlier.conditions += Self.waiting(for: delivery.receiverID)
    guard try first(earlier) == nil else { return }
    delivery.nextAttemptAt = now
    let due = max(now, progress.pausedUntil ?? now)
    progress.nextAt = min(progress.nextAt ?? due, due)
  }

  /// Returns the next due delivery to a receiver, and counts the attempt to send it. Expired deliveries are marked as
  /// failed.
  ///
  /// - Parameter progress: the leased progress of the receiver. The function changes it, but does not store it.
  /// - Returns: `nil` if no delivery is due, or while sending to the receiver is paused.
  public func nextDelivery(
    of receiver: UUIDv7, _ progress: inout DeliveryProgress
  ) throws(ThingError) -> Stored<Delivery>? {
    guard progress.pausedUntil.map({ $0 <= now }) ?? true else { return nil }
    let due = ThingQuery<Delivery>(
      .oneOf(key: "receiverId", [receiver.json]), .atMost(key: "nextAttemptAt", now.json),
      order: [.init("nextAttemptAt"), .init("number")], limit: 20)
    for stored in try list(due).items {
      guard stored.value.expiresAt > now else {
        var over = DeliveryAttempt(.failed, status: stored.value.status, duration: 0, error: stored.value.error)
        over.error = over.error ?? "the receiver was not reached for a day"
        try finish(stored, over, &progress)
        continue
      }
      var taken = stored.value
      taken.attempts += 1
      (taken.attemptedAt, taken.nextAttemptAt) = (now, now.adding(seconds: DeliveryLimits.lease))
      return try update(stored, to: taken, action: "attempt")
    }
    return nil
  }

  /// Stores the result of an attempt. When a delivery has ended, the next delivery about the same thing becomes due.
  public func finish(
    _ stored: Stored<Delivery>, _ attempt: DeliveryAttempt, _ progress: inout DeliveryProgress
  ) throws(ThingError) {
    var delivery = stored.value
    (delivery.status, delivery.error) = (attempt.status, attempt.error)
    delivery.duration = attempt.duration
    switch attempt.result {
    case .delivered:
      (progress.failures, progress.failingSince, progress.pausedUntil) = (0, nil, nil)
      delivery.state = .delivered
    case .failed: delivery.state = .failed
    case .refused(let seconds):
      progress.failures += 1
      progress.failingSince = progress.failingSince ?? now
      delivery.nextAttemptAt = now.adding(seconds: seconds)
    case .unavailable(let seconds):
      progress.failures += 1
      progress.failingSince = progress.failingSince ?? now
      progress.pausedUntil = now.adding(seconds: seconds)
      delivery.nextAttemptAt = now
    }
    guard delivery.state != .waiting else {
      try update(stored, to: delivery, action: "attempt")
      return
    }
    delivery.nextAttemptAt = nil
    progress.waiting -= 1
    if stored.value.channel == .push {
      // A push message is for one person only and is not shown again, so it need not be kept.
      try remove(stored, action: "finish")
    } else {
      try update(stored, to: delivery, action: "finish")
    }
    var following = ThingQuery<Delivery>(.oneOf(key: "thing", [delivery.thing.json]), order: [.init("number")])
    following.conditions += Self.waiting(for: delivery.receiverID)
    if let next = try first(following), next.value.nextAttemptAt == nil {
      var ready = next.value
      ready.nextAttemptAt = now
      try update(next, to: ready, action: "follow")
    }
  }

  /// Ends the lease of a receiver's progress, and sets the time from which the next delivery can be sent.
  public func release(
    _ stored: Stored<DeliveryProgress>, _ progress: DeliveryProgress, isActive: Bool
  ) throws(ThingError) {
    var released = progress
    (released.leaseHolder, released.leaseUntil) = (nil, nil)
    released.nextAt = isActive ? try nextAttempt(for: stored.id, progress) : nil
    try update(stored, to: released, action: "release")
  }

  /// Returns the time from which a delivery can be sent; `nil` if none is waiting.
  private func nextAttempt(for receiver: UUIDv7, _ progress: DeliveryProgress) throws(ThingError) -> Timestamp? {
    let query = ThingQuery<Delivery>(
      .oneOf(key: "receiverId", [receiver.json]), .isSet(key: "nextAttemptAt"), order: [.init("nextAttemptAt")])
    guard let next = try first(query)?.value.nextAttemptAt else { return nil }
    return max(next, progress.pausedUntil ?? next)
  }

  /// Applies a receiver's changed settings to its progress. Failures and pauses are forgotten. If the receiver is
  /// active, its waiting deliveries are sent when their next attempts are due.
  public func follow(receiver: UUIDv7, isActive: Bool) throws(ThingError) {
    guard let stored = try find(receiver, DeliveryProgress.self) else { return }
    var progress = stored.value
    (progress.failures, progress.failingSince, progress.pausedUntil) = (0, nil, nil)
    progress.nextAt = isActive ? try nextAttempt(for: receiver, progress) : nil
    try update(stored, to: progress, action: "follow")
  }

  /// Removes the progress of a receiver and at most 500 of its deliveries.
  ///
  /// - Returns: whether the receiver has no more deliveries.
  @discardableResult
  public func removeDeliveries(of receiver: UUIDv7) throws(ThingError) -> Bool {
    if let progress = try find(receiver, DeliveryProgress.self) { try remove(progress, action: "remove") }
    let page = try list(ThingQuery<Delivery>(.oneOf(key: "receiverId", [receiver.json]), limit: 500))
    for delivery in page.items { try remove(delivery, action: "remove") }
    return page.next == nil
  }
}
