import FleetAccess
import FleetDomain
import FleetMessages
import FleetWork
import Telemetry

/// A delivery that must be sent now, and its receiver.
struct DeliveryJob: Sendable {
  let delivery: Stored<Delivery>
  let target: DeliveryTarget
  /// The number of failed attempts of the receiver since its last success.
  let failures: Int64
}

extension FleetTransaction {
  /// Stores the result of an attempt, and returns the next delivery of the same receiver.
  ///
  /// - Parameters:
  ///   - receiver: the id of the receiver. The holder must have the lease of its progress.
  ///   - finished: the delivery that was sent, and the result of the attempt; `nil` at the beginning of a turn.
  ///   - mayContinue: whether another delivery may be sent in this turn.
  /// - Returns: the next delivery; `nil` if the turn has ended. The lease is then released.
  func nextJob(
    of receiver: UUIDv7, holder: UUIDv7, after finished: (job: DeliveryJob, attempt: DeliveryAttempt)?,
    mayContinue: Bool, _ keys: SecretKeys
  ) throws(ThingError) -> DeliveryJob? {
    guard let stored = try leased(receiver, DeliveryProgress.self, to: holder) else { return nil }
    var progress = stored.value
    if let (job, attempt) = finished, let sent = try find(job.delivery.id, Delivery.self),
      sent.value.state == .waiting, sent.value.attempts == job.delivery.value.attempts
    {
      try finish(sent, attempt, &progress)
      guard try show(attempt, of: receiver, progress) else { return nil }
    }
    if progress.channel == .webhook, let since = progress.failingSince, since <= now.adding(seconds: -Webhook.patience),
      let webhook = try find(receiver, Webhook.self), webhook.value.isActive
    {
      try disable(webhook, because: "no success for a day")
    }
    guard let target = try target(receiver, progress.channel, keys) else {
      try release(stored, progress, isActive: false)
      return nil
    }
    if mayContinue, let next = try nextDelivery(of: receiver, &progress) {
      progress.leaseUntil = now.adding(seconds: DeliveryLimits.lease)
      try update(stored, to: progress, action: "send")
      return DeliveryJob(delivery: next, target: target, failures: progress.failures)
    }
    try release(stored, progress, isActive: true)
    return nil
  }

  /// Stores the result of an attempt in the webhook or push subscription, where people can see it.
  ///
  /// - Returns: `false` if the answer means that the browser no longer exists, and its subscription was removed.
  private func show(
    _ attempt: DeliveryAttempt, of receiver: UUIDv7, _ progress: DeliveryProgress
  ) throws(ThingError) -> Bool {
    switch progress.channel {
    case .webhook:
      guard let webhook = try find(receiver, Webhook.self) else { return true }
      var changed = webhook.value
      if let error = attempt.error {
        if DeliveryAnswer.isGone(attempt.status, .webhook) {
          try disable(webhook, because: "\(error): the receiver is gone")
          return true
        }
        changed.state = .failing
        changed.failures = RecentFailure.adding(error, at: now, to: changed.failures)
      } else {
        (changed.state, changed.lastDeliveredAt, changed.delivered) = (.working, now, changed.delivered + 1)
      }
      try refresh(webhook, to: changed)
    case .push:
      guard let subscription = try find(receiver, PushSubscription.self) else { return true }
      if DeliveryAnswer.isGone(attempt.status, .push) {
        try remove(subscription: subscription, action: "expire")
        return false
      }
      guard attempt.error == nil else { return true }
      var changed = subscription.value
      changed.lastSentAt = now
      try update(subscription, to: changed, action: "send")
    }
    return true
  }

  /// Returns a receiver with its keys; `nil` if the receiver does not exist or is not active.
  private func target(
    _ receiver: UUIDv7, _ channel: Delivery.Channel, _ keys: SecretKeys
  ) throws(ThingError) -> DeliveryTarget? {
    switch channel {
    case .webhook:
      guard let webhook = try find(receiver, Webhook.self), webhook.value.isActive else { return nil }
      guard let sealed = webhook.value.secret else {
        return .unusable("the webhook has no secret; make a new one with the command rotate")
      }
      guard let opened = keys.open(sealed, for: SecretPlace.eventWebhook(receiver)) else {
        return .unusable("the secret cannot be decrypted: its key is not in accounts.secretKeysFile")
      }
      var secret = String(decoding: opened, as: UTF8.self)
      if webhook.value.previousSecretUntil.map({ $0 <= now }) ?? true {
        secret = secret.split(separator: " ").first.map(String.init) ?? secret
      }
      guard let signature = WebhookSignature(secret) else { return .unusable("the secret is not valid") }
      return .webhook(url: webhook.value.url, signature)
    case .push:
      guard let subscription = try find(receiver, PushSubscription.self) else { return nil }
      guard let encryption = PushEncryption(key: subscription.value.key, auth: subscription.value.auth),
        let signer = try pushSigner(keys)
      else { return .unusable("the keys of push messages cannot be read") }
      return .push(url: subscription.value.endpoint, encryption, signer)
    }
  }

  private func pushSigner(_ keys: SecretKeys) throws(ThingError) -> PushSigner? {
    guard let sealed = try find(PushKey.id, PushKey.self)?.value.secret,
      let bytes = keys.open(sealed, for: SecretPlace.pushKey)
    else { return nil }
    return PushSigner(bytes)
  }
}
