import FleetAccess
import FleetDomain
import FleetMessages
import FleetWork
import Telemetry

/// An event, and the people for whom notifications of this event are still missing.
struct PendingEvent: Sendable {
  struct Recipient: Sendable {
    let person: Stored<Person>
    /// The first of the rules that notify the person of the event.
    let rule: ApplyingRule
    /// The time at which a mail is sent; `nil` if no mail must be sent.
    let mailAt: Timestamp?
    /// The time at which push messages are sent; `nil` if none must be sent.
    let pushAt: Timestamp?
  }

  let event: Stored<FleetEvent>
  let driver: String?
  /// Whether the event's day was over when the event was added.
  let isDayOver: Bool
  var recipients: ArraySlice<Recipient>
  /// The webhooks that receive the event.
  let webhooks: [UUIDv7]
  /// Whether `recipients` contains all people without a notification. If so, the event is removed after their
  /// notifications were added.
  var isComplete = true
}

/// A notification rule that applies to an event.
struct ApplyingRule: Sendable {
  /// The id of the rule; `nil` for the server's own rule.
  let id: UUIDv7?
  let value: NotificationRule
}

extension FleetView {
  /// Finds the oldest events, and for each event the people who must be notified and have no notification of it yet.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of events.
  ///   - most: the maximum number of recipients for all these events together.
  ///   - hasMail: whether mails can be sent.
  /// - Returns: the events with their recipients, and descriptions of the rows that cannot be read.
  func pendingNotifications(
    events limit: Int, most: Int, hasMail: Bool, at now: Timestamp
  ) throws(ThingError) -> (events: [PendingEvent], unreadable: [String]) {
    var query = ThingQuery<FleetEvent>(order: [.init("number"), .init("createdAt")], limit: limit)
    query.leavesOutUnreadable = true
    let page = try list(query)
    var unreadable = page.unreadable
    guard !page.items.isEmpty else { return ([], unreadable) }
    var active = ThingQuery<NotificationRule>(.oneOf(key: "isActive", [.bool(true)]), limit: 1_000)
    active.leavesOutUnreadable = true
    let rules = try list(active)
    unreadable += rules.unreadable
    let all =
      rules.items.map { ApplyingRule(id: $0.id, value: $0.value) }
      + [ApplyingRule(id: nil, value: NotificationRule.ofServer)]
    let webhooks = try activeWebhooks()
    let people = try people(&unreadable)
    var (events, rest): ([PendingEvent], Int) = ([], most)
    for event in page.items where rest > 0 {
      let context = try EventContext(event, self, &unreadable)
      let matching = all.filter { context.matches($0.value) }
      var recipients: [PendingEvent.Recipient] = []
      for person in people {
        let applying = matching.filter { context.concerns(person, $0.value) }
        guard let first = applying.first else { continue }
        // Send only one mail and one push message to each person, at the earliest of the times of all rules.
        let zone = if let own = person.value.timeZone { self.zone(own) } else { try self.zone(ofFleet: nil) }
        func time(_ channel: NotificationRule.Channel) -> Timestamp? {
          applying.filter { $0.value.channels.contains(channel) }.map { $0.value.sendTime(at: now, in: zone) }.min()
        }
        recipients.append(
          .init(person: person, rule: first, mailAt: hasMail ? time(.email) : nil, pushAt: time(.push)))
      }
      if recipients.count > rest { recipients = try withoutNotified(recipients, of: event.id, most: rest + 1) }
      var pending = PendingEvent(
        event: event, driver: context.driver?.value.name, isDayOver: try context.isDayOver(self),
        recipients: recipients.prefix(rest),
        webhooks: context.webhooks(webhooks, matching.map(\.value)))
      pending.isComplete = recipients.count <= rest
      rest -= pending.recipients.count
      events.append(pending)
    }
    return (events, unreadable)
  }

  /// Returns the recipients who have no notification of an event yet.
  ///
  /// - Parameter most: the maximum number of recipients to return.
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
    try forEachPage(of: query) { page throws(ThingError) in
      people += page.items
      unreadable += page.unreadable
    }
    return people
  }
}

extension FleetTransaction {
  /// Adds notifications of events. Stops after a time limit.
  ///
  /// - Returns: the events for which notifications are still missing, with the recipients.
  func notify(_ events: [PendingEvent], for patience: Duration) throws(ThingError) -> [PendingEvent] {
    let clock = ContinuousClock()
    let start = clock.now
    var rest = events[...]
    while var pending = rest.popFirst() {
      // Another server may have processed and removed the event.
      guard let event = try find(pending.event.id, FleetEvent.self) else { continue }
      try enqueue(event, to: pending.webhooks)
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
    // The person may have been deactivated or erased since the recipients were found.
    guard try find(recipient.person.id, Person.self)?.value.isActive ?? false else { return }
    var new = Notification()
    (new.personID, new.ruleID, new.at) = (recipient.person.id, recipient.rule.id, now)
    (new.event, new.kind, new.thing) = (event.value.event, event.value.kind, event.value.thing)
    new.vehicleID = event.value.vehicleID
    new.text = EventText.text(
      of: event.value, driver: pending.driver, isDayOver: pending.isDayOver, locale: recipient.person.value.locale)
    new.deliveries = recipient.rule.value.channels.contains(.inApp) ? [.init(.inApp, at: now)] : []
    (new.mailAt, new.pushAt) = (recipient.mailAt, recipient.pushAt)
    try insert(new, id: id, action: "create")
  }

  /// Adds the default rules to a tenant that has no rules.
  func addDefaultRules() throws(ThingError) {
    guard try first(ThingQuery<NotificationRule>()) == nil else { return }
    for rule in NotificationRule.defaults { try insert(rule) }
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

/// An event, with the data that determine who is notified of it.
private struct EventContext {
  let event: Stored<FleetEvent>
  let driver: Stored<Driver>?
  private let fleets: Set<UUIDv7>

  /// Reads the data that determine who is notified.
  ///
  /// - Parameter unreadable: receives descriptions of rows that cannot be read. If the vehicle of the event cannot be
  ///   read, only people who may see all fleets are notified.
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

  /// Whether the event's day, for example the last day of a document, was over when the event was added. `false` if the
  /// event has no day.
  func isDayOver(_ view: any FleetView) throws(ThingError) -> Bool {
    guard let day = event.value.day else { return false }
    return day < (try view.zone(ofFleet: fleets.first)).day(of: event.createdAt)
  }

  func matches(_ rule: NotificationRule) -> Bool {
    rule.events.contains(event.value.event)
      && (rule.fleetIDs.isEmpty || rule.fleetIDs.contains { fleets.contains($0) })
  }

  /// Returns the webhooks that receive the event: those whose settings contain the event, and those that a rule names.
  ///
  /// - Parameters:
  ///   - webhooks: the active webhooks of the tenant.
  ///   - rules: the rules that apply to the event.
  func webhooks(_ webhooks: [Stored<Webhook>], _ rules: [NotificationRule]) -> [UUIDv7] {
    let sending = rules.filter { $0.channels.contains(.webhook) }
    return webhooks.filter { webhook in
      let isWanted =
        webhook.value.events.map { $0.contains(event.value.event) } ?? true
        || sending.contains { $0.webhookIDs.isEmpty || $0.webhookIDs.contains(webhook.id) }
      return isWanted && webhook.value.concerns(fleets)
    }.map(\.id)
  }

  /// Whether a rule applies to a person, and the person may see the event.
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
  /// The area in which a person needs the permission to read in order to be notified of the event.
  fileprivate var area: Area {
    switch self {
    case .journeyNeedsReview, .journeyIncident, .journeyStarted, .journeyCompleted: .journeys
    case .inspectionDefects: .inspections
    case .documentExpiring: .documents
    case .licenceExpiring: .licences
    case .assignmentMade, .assignmentEnded: .assignments
    case .troubleCodeFound, .defectOpened, .defectUnsafe: .defects
    case .serviceDueSoon, .serviceOverdue, .maintenanceStarted, .maintenanceCompleted: .maintenance
    case .vehicleRetired, .vehicleReactivated, .vehicleSilent, .vehicleBack, .meterSuspicious: .vehicles
    case .fuelDrop: .fuel
    case .tripEnded, .geofenceEntered, .geofenceExited, .geofenceDwelled, .drivingEvent: .records
    case .webhookDisabled: .settings
    }
  }
}
