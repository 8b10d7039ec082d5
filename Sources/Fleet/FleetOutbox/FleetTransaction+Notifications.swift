import FleetAccess
import FleetDomain
import FleetMessages
import FleetWork
import Telemetry

/// An event, and the notifications about it that do not exist yet.
struct PendingEvent: Sendable {
  struct Recipient: Sendable {
    let person: Stored<Person>
    /// The first rule that applies to the person.
    let rule: Stored<NotificationRule>
    /// The time at which a mail is sent; `nil` if no mail is to be sent.
    let mailAt: Timestamp?
  }

  let event: Stored<FleetEvent>
  let driver: String?
  var recipients: ArraySlice<Recipient>
  /// Whether the event has no other recipients. It is then removed after their notifications were added.
  var isComplete = true
}

extension FleetView {
  /// Finds the recipients of the oldest events who have no notification yet.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of events.
  ///   - most: the maximum number of recipients of all these events together.
  ///   - hasMail: whether mails can be sent.
  /// - Returns: the events with their recipients, and descriptions of the rows that cannot be read.
  func pendingNotifications(
    events limit: Int, most: Int, hasMail: Bool, at now: Timestamp
  ) throws(ThingError) -> (events: [PendingEvent], unreadable: [String]) {
    var query = ThingQuery<FleetEvent>(order: [.init("createdAt")], limit: limit)
    query.leavesOutUnreadable = true
    let page = try list(query)
    var unreadable = page.unreadable
    guard !page.items.isEmpty else { return ([], unreadable) }
    var active = ThingQuery<NotificationRule>(.oneOf(key: "isActive", [.bool(true)]), limit: 1_000)
    active.leavesOutUnreadable = true
    let rules = try list(active)
    unreadable += rules.unreadable
    let people = try people(&unreadable)
    var (events, rest): ([PendingEvent], Int) = ([], most)
    for event in page.items where rest > 0 {
      let context = try EventContext(event, self, &unreadable)
      let matching = rules.items.filter { context.matches($0.value) }
      var recipients: [PendingEvent.Recipient] = []
      for person in people {
        let applying = matching.filter { context.concerns(person, $0.value) }
        guard let first = applying.first else { continue }
        // Send only one mail, at the earliest time that the rules give.
        let mailed = hasMail ? applying.filter { $0.value.channels.contains(.email) } : []
        var mailAt: Timestamp?
        if !mailed.isEmpty {
          let zone = if let own = person.value.timeZone { self.zone(own) } else { try self.zone(ofFleet: nil) }
          mailAt = mailed.map { $0.value.mailTime(at: now, in: zone) }.min()
        }
        recipients.append(.init(person: person, rule: first, mailAt: mailAt))
      }
      if recipients.count > rest { recipients = try withoutNotified(recipients, of: event.id, most: rest + 1) }
      var pending = PendingEvent(
        event: event, driver: context.driver?.value.name, recipients: recipients.prefix(rest))
      pending.isComplete = recipients.count <= rest
      rest -= pending.recipients.count
      events.append(pending)
    }
    return (events, unreadable)
  }

  /// Returns the recipients who have no notification of an event yet.
  ///
  /// - Parameter most: the maximum number of recipients.
  private func withoutNotified(
    _ recipients: [PendingEvent.Recipient], of event: UUIDv7, most: Int
  ) throws(ThingError) -> [PendingEvent.Recipient] {
    var (found, rest) = ([PendingEvent.Recipient](), recipients[...])
    while !rest.isEmpty, found.count < most {
      let part = rest.prefix(500)
      rest = rest.dropFirst(500)
      let ids = part.map { Notification.id(of: event, for: $0.person.id).json }
      let known = Set(
        try values(["personId"], ThingQuery<Notification>(.oneOf(key: "id", ids))).map { $0[0] })
      found += part.filter { !known.contains($0.person.id.json) }
    }
    return Array(found.prefix(most))
  }

  private func people(_ unreadable: inout [String]) throws(ThingError) -> [Stored<Person>] {
    var query = ThingQuery<Person>(.oneOf(key: "isActive", [.bool(true)]), limit: 1_000)
    query.leavesOutUnreadable = true
    var people: [Stored<Person>] = []
    repeat {
      let page = try list(query)
      people += page.items
      unreadable += page.unreadable
      query.cursor = page.next
    } while query.cursor != nil
    return people
  }
}

extension FleetTransaction {
  /// Adds notifications of events, until a time limit has passed.
  ///
  /// - Returns: the events, with their recipients, for which notifications are still missing.
  func notify(_ events: [PendingEvent], for patience: Duration) throws(ThingError) -> [PendingEvent] {
    let clock = ContinuousClock()
    let start = clock.now
    var rest = events[...]
    while var pending = rest.popFirst() {
      // Another server may have processed the event.
      guard let event = try find(pending.event.id, FleetEvent.self) else { continue }
      while let recipient = pending.recipients.popFirst() {
        try notify(recipient, of: pending)
        guard clock.now - start < patience else { return [pending] + rest }
      }
      if pending.isComplete { try remove(event, action: "notify") }
    }
    return []
  }

  private func notify(_ recipient: PendingEvent.Recipient, of pending: PendingEvent) throws(ThingError) {
    let event = pending.event
    let id = Notification.id(of: event.id, for: recipient.person.id)
    guard try find(id, Notification.self) == nil else { return }
    var new = Notification()
    (new.personID, new.ruleID, new.at) = (recipient.person.id, recipient.rule.id, now)
    (new.event, new.kind, new.thing) = (event.value.event, event.value.kind, event.value.thing)
    new.vehicleID = event.value.vehicleID
    new.text = EventText.text(of: event.value, driver: pending.driver, locale: recipient.person.value.locale)
    new.deliveries = recipient.rule.value.channels.contains(.inApp) ? [.init(.inApp, at: now)] : []
    new.mailAt = recipient.mailAt
    try insert(new, id: id, action: "create")
  }

  /// Adds the default rules to a tenant that has no rules.
  func addDefaultRules() throws(ThingError) {
    guard try first(ThingQuery<NotificationRule>()) == nil else { return }
    for rule in NotificationRule.defaults { try insert(rule) }
  }

  /// Queues one mail with all due notifications of a person.
  ///
  /// - Returns: whether a mail was due.
  func queueNotificationMail(_ keys: SecretKeys) throws(ThingError) -> Bool {
    let due = ThingQuery<Notification>.Condition.below(key: "mailAt", now.adding(seconds: 1).json)
    guard let first = try first(ThingQuery<Notification>(due, order: [.init("mailAt")])) else { return false }
    let all = try list(
      ThingQuery<Notification>(
        due, .oneOf(key: "personId", [first.value.personID.json]), order: [.init("at")], limit: 100)
    ).items
    var isQueued = false
    let person = try find(first.value.personID, Person.self)
    if let person, person.value.isActive {
      var details = MailDetails(of: person.value)
      details.items = all.map(\.value.text)
      isQueued = try enqueueMail(.notification, to: person, details, keys)
    }
    for notification in all {
      var changed = notification.value
      // If the limit of mails to the person is reached, the next mail will also contain these notifications.
      changed.mailAt = isQueued || person?.value.isActive != true ? nil : now.adding(seconds: 3_600)
      if isQueued { changed.deliveries.append(.init(.email, at: now)) }
      try update(notification, to: changed, action: "mail")
    }
    return true
  }

  /// Removes some of the notifications that are older than 90 days.
  ///
  /// - Returns: whether there are more old notifications.
  func removeOldNotifications() throws(ThingError) -> Bool {
    var old = ThingQuery<Notification>(.below(key: "createdAt", now.adding(seconds: -90 * 86_400).json), limit: 100)
    old.leavesOutUnreadable = true
    let page = try list(old)
    for notification in page.items { try remove(notification, action: "expire") }
    return page.next != nil
  }
}

/// An event with the data that determine its recipients.
private struct EventContext {
  let event: Stored<FleetEvent>
  let driver: Stored<Driver>?
  private let fleets: Set<UUIDv7>

  /// - Parameter unreadable: descriptions of the rows that cannot be read are appended to it. If the vehicle of an
  ///   event cannot be read, only people who see all fleets are notified.
  init(_ event: Stored<FleetEvent>, _ view: any FleetView, _ unreadable: inout [String]) throws(ThingError) {
    self.event = event
    driver = try Self.readable(&unreadable) { () throws(ThingError) in
      if let id = event.value.driverID { try view.find(id, Driver.self) } else { nil }
    }
    var fleets: Set<UUIDv7> = []
    if let id = event.value.vehicleID {
      let vehicle = try Self.readable(&unreadable) { () throws(ThingError) in try view.vehicle(named: id) }
      if let fleet = vehicle?.value.fleetID { fleets.insert(fleet) }
    } else if let fleet = driver?.value.fleetID {
      fleets.insert(fleet)
    }
    self.fleets = fleets
  }

  private static func readable<Value: Kind>(
    _ unreadable: inout [String], _ read: () throws(ThingError) -> Stored<Value>?
  ) throws(ThingError) -> Stored<Value>? {
    do throws(ThingError) {
      return try read()
    } catch {
      guard error.isUnreadable else { throw error }
      unreadable.append(error.reason)
      return nil
    }
  }

  func matches(_ rule: NotificationRule) -> Bool {
    rule.events.contains(event.value.event)
      && (rule.fleetIDs.isEmpty || rule.fleetIDs.contains { fleets.contains($0) })
  }

  /// Whether a rule applies to a person and the person may see the event.
  func concerns(_ person: Stored<Person>, _ rule: NotificationRule) -> Bool {
    let isDriver = driver?.value.personID == person.id
    guard
      rule.personIDs.contains(person.id) || rule.roles.contains(where: person.value.roles.contains)
        || rule.notifiesDriver && isDriver
    else { return false }
    let relation = Relation(fleets: fleets, isOwn: isDriver, isOfVehicle: event.value.vehicleID != nil)
    return Permission.of(
      person.value.requester, to: .read, event.value.event.area, relation
    ).isAllowed
  }
}

extension FleetEvent.Event {
  /// The area of the permission that a person needs in order to be notified.
  fileprivate var area: Area {
    switch self {
    case .journeyNeedsReview, .journeyIncident: .journeys
    case .inspectionDefects: .inspections
    case .documentExpiring: .documents
    case .licenceExpiring: .licences
    }
  }
}
