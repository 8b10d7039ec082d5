import FleetAccess
import FleetDomain
import FleetMessages
import FleetWork
import Telemetry

extension FleetTransaction {
  /// Queues one mail to one person, with all notifications of this person for which a mail is due.
  ///
  /// - Returns: whether a mail was due.
  func queueNotificationMail(_ keys: SecretKeys) throws(ThingError) -> Bool {
    guard let (person, all) = try dueNotifications("mailAt") else { return false }
    var isQueued = false
    if let person {
      var details = MailDetails(of: person.value)
      details.items = all.map(\.value.text)
      isQueued = try enqueueMail(.notification, to: person, details, keys)
    }
    for notification in all {
      var changed = notification.value
      // If the limit of mails to this person is reached, a later mail will contain these notifications.
      changed.mailAt = isQueued || person == nil ? nil : now.adding(seconds: 3_600)
      if isQueued { changed.deliveries.append(.init(.email, at: now)) }
      try update(notification, to: changed, action: "mail")
    }
    return true
  }

  /// Queues one push message with all due notifications of one person. Each browser of the person receives the message.
  ///
  /// - Parameter service: the name of the server that people see.
  /// - Returns: whether a message was due.
  func queueNotificationPush(service: String) throws(ThingError) -> Bool {
    guard let (person, all) = try dueNotifications("pushAt") else { return false }
    var isQueued = false
    if let person, let newest = all.last {
      let body = PushText.body(all.map(\.value), service: service, locale: person.value.locale)
      for subscription in try liveSubscriptions(of: person.id) {
        var delivery = Delivery()
        (delivery.channel, delivery.receiverID, delivery.eventID) = (.push, subscription.id, newest.id)
        delivery.event = newest.value.event.rawValue
        delivery.thing = all.count == 1 ? newest.value.thing : person.id
        delivery.body = body
        if try enqueue(delivery) { isQueued = true }
      }
    }
    for notification in all {
      var changed = notification.value
      changed.pushAt = nil
      if isQueued { changed.deliveries.append(.init(.push, at: now)) }
      try update(notification, to: changed, action: "push")
    }
    return true
  }

  /// Returns due notifications of the person who has waited longest, the oldest first; `nil` if no notification is due.
  /// `person` is `nil` if the person's account is not active.
  private func dueNotifications(
    _ key: String
  ) throws(ThingError) -> (person: Stored<Person>?, all: [Stored<Notification>])? {
    let due = ThingQuery<Notification>.Condition.below(key: key, now.adding(seconds: 1).json)
    guard let first = try first(ThingQuery<Notification>(due, order: [.init(key)])) else { return nil }
    let all = try list(
      ThingQuery<Notification>(
        due, .oneOf(key: "personId", [first.value.personID.json]), order: [.init("at")], limit: 100)
    ).items
    let person = try find(first.value.personID, Person.self)
    return (person?.value.isActive == true ? person : nil, all)
  }

  /// Returns the push subscriptions of a person. Removes those whose sessions have ended.
  private func liveSubscriptions(of person: UUIDv7) throws(ThingError) -> [Stored<PushSubscription>] {
    let own = ThingQuery<PushSubscription>(
      .oneOf(key: "personId", [person.json]), limit: PushSubscription.most)
    var live: [Stored<PushSubscription>] = []
    for subscription in try list(own).items {
      if let session = try find(subscription.value.sessionID, Session.self), session.value.revokedAt == nil,
        session.value.expiresAt > now
      {
        live.append(subscription)
      } else {
        try remove(subscription: subscription, action: "end")
      }
    }
    return live
  }
}
