import FleetDomain

/// Subscriptions to changes of things.
extension LiveConnection {
  /// Adds a subscription to the audience that matches the rights of the client.
  func enter(_ audience: ChangeAudience, _ identity: Identity, _ subscription: Subscription) {
    subscription.audience = audience
    hub.audiences.add(identity, to: audience)
    loopConnections?.listen(self, as: audience)
  }

  /// Removes a subscription from its audience, if it belongs to one.
  func leaveAudience(_ subscription: Subscription) {
    guard let audience = subscription.audience else { return }
    subscription.audience = nil
    hub.audiences.removeOne(from: audience)
    loopConnections?.stopListening(self, as: audience)
  }

  /// Moves all subscriptions to the audiences that match the rights of a new token.
  func updateAudiences(for identity: Identity) {
    for (channel, subscription) in subscriptions where subscription.audience != nil {
      let audience = ChangeAudience(channel, identity)
      guard subscription.audience != audience else { continue }
      leaveAudience(subscription)
      enter(audience, identity, subscription)
    }
  }

  func deliver(_ delivery: LiveDelivery) {
    switch delivery {
    case .records(let update): deliver(update)
    case .changes(let changes): deliver(changes)
    }
  }

  /// Sends changes, unless the subscription has ended or has not begun yet. A change that arrives before the
  /// subscription begins need not be sent: it was committed already, and clients read the things after their
  /// subscription has begun.
  private func deliver(_ changes: LiveChanges) {
    guard let subscription = subscriptions[changes.audience.channel], subscription.audience == changes.audience,
      subscription.hasBegun
    else { return }
    send(changes.frames)
  }
}
