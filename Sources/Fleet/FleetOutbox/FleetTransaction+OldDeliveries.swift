import FleetDomain
import FleetWork
import Telemetry

extension FleetTransaction {
  /// Removes some of the deliveries that are no longer shown: deliveries of removed receivers, old deliveries, and for
  /// each webhook the finished deliveries beyond the newest ``DeliveryLimits/kept``.
  ///
  /// - Returns: whether more deliveries may have to be removed.
  func removeOldDeliveries() throws(ThingError) -> Bool {
    let limit = 200
    var old = ThingQuery<Delivery>(
      .below(key: "createdAt", now.adding(seconds: -DeliveryLimits.keptSeconds).json), limit: limit)
    old.leavesOutUnreadable = true
    var removable: [Stored<Delivery>] = []
    for delivery in try list(old).items {
      if delivery.value.state == .waiting, let stored = try find(delivery.value.receiverID, DeliveryProgress.self) {
        // The webhook is not active. End the delivery, because its webhook still counts it as waiting.
        var progress = stored.value
        try finish(delivery, DeliveryAttempt(.failed, status: nil, duration: 0, error: "not active"), &progress)
        try update(stored, to: progress, action: "expire")
      }
      if let present = try find(delivery.id, Delivery.self) { removable.append(present) }
    }
    for webhook in try list(ThingQuery<Webhook>(limit: Webhook.most)).items {
      var finished = ThingQuery<Delivery>(
        .oneOf(key: "receiverId", [webhook.id.json]), .oneOf(key: "state", ["delivered", "failed"].map { .text($0) }),
        order: [.init("number", isDescending: true)], limit: DeliveryLimits.kept)
      finished.cursor = try list(finished).next
      guard finished.cursor != nil else { continue }
      removable += try list(finished).items
    }
    for delivery in removable.prefix(limit) where try find(delivery.id, Delivery.self) != nil {
      try remove(delivery, action: "expire")
    }
    return removable.count >= DeliveryLimits.kept
  }
}
