import FleetAccess
import FleetDomain
import FleetMessages
import FleetWork
import Telemetry

extension FleetTransaction {
  /// Makes notifications of the oldest events.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of events.
  ///   - hasMail: whether mails can be sent.
  /// - Returns: the number of processed events.
  func notify(limit: Int, hasMail: Bool) throws(ThingError) -> Int {
    let events = try list(ThingQuery<FleetEvent>(order: [.init("createdAt")], limit: limit)).items
    guard !events.isEmpty else { return 0 }
    try addDefaultRules()
    let rules = try list(ThingQuery<NotificationRule>(.oneOf(key: "isActive", [.bool(true)]), limit: 1_000)).items
    let people = try people()
    for event in events {
      let context = try EventContext(event, self)
      for rule in rules where context.matches(rule.value) {
        for person in people where context.concerns(person, rule.value) {
          try notify(person, context, rule, hasMail: hasMail)
        }
      }
      try remove(event, action: "notify")
    }
    return events.count
  }

  /// Adds the default rules to a tenant that has no rules.
  func addDefaultRules() throws(ThingError) {
    guard try first(ThingQuery<NotificationRule>()) == nil else { return }
    for rule in NotificationRule.defaults { try insert(rule) }
  }

  private func people() throws(ThingError) -> [Stored<Person>] {
    var query = ThingQuery<Person>(.oneOf(key: "isActive", [.bool(true)]), limit: 1_000)
    var people: [Stored<Person>] = []
    repeat {
      let page = try list(query)
      people += page.items
      query.cursor = page.next
    } while query.cursor != nil
    return people
  }

  private func notify(
    _ person: Stored<Person>, _ context: EventContext, _ rule: Stored<NotificationRule>, hasMail: Bool
  ) throws(ThingError) {
    let event = context.event
    let id = Notification.id(of: event.id, for: person.id)
    let mailAt = hasMail && rule.value.channels.contains(.email) ? rule.value.mailTime(at: now) : nil
    if let known = try find(id, Notification.self) {
      // Another rule has already notified the person of this event. If its mail is earlier, that mail is sufficient.
      guard let mailAt, known.value.mailAt.map({ mailAt < $0 }) ?? true else { return }
      var changed = known.value
      changed.mailAt = mailAt
      try update(known, to: changed, action: "change")
      return
    }
    var new = Notification()
    (new.personID, new.ruleID, new.at) = (person.id, rule.id, now)
    (new.event, new.kind, new.thing) = (event.value.event, event.value.kind, event.value.thing)
    new.vehicleID = event.value.vehicleID
    new.text = EventText.text(of: event.value, driver: context.driver?.value.name, locale: person.value.locale)
    new.deliveries = rule.value.channels.contains(.inApp) ? [.init(.inApp, at: now)] : []
    new.mailAt = mailAt
    try insert(new, id: id, action: "create")
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
      // If the person has received too many mails, the next mail also contains these notifications.
      changed.mailAt = isQueued || person?.value.isActive != true ? nil : now.adding(seconds: 3_600)
      if isQueued { changed.deliveries.append(.init(.email, at: now)) }
      try update(notification, to: changed, action: "mail")
    }
    return true
  }

  /// Removes notifications that are older than 90 days.
  func removeOldNotifications() throws(ThingError) {
    let old = ThingQuery<Notification>(
      .below(key: "createdAt", now.adding(seconds: -90 * 86_400).json), limit: 1_000)
    for notification in try list(old).items { try remove(notification, action: "expire") }
  }
}

/// An event with the data that determine its recipients.
private struct EventContext {
  let event: Stored<FleetEvent>
  let driver: Stored<Driver>?
  private let fleets: Set<UUIDv7>

  init(_ event: Stored<FleetEvent>, _ view: any FleetView) throws(ThingError) {
    self.event = event
    driver = if let id = event.value.driverID { try view.find(id, Driver.self) } else { nil }
    var fleets: Set<UUIDv7> = []
    if let id = event.value.vehicleID {
      if let fleet = try view.vehicle(named: id)?.value.fleetID { fleets.insert(fleet) }
    } else if let fleet = driver?.value.fleetID {
      fleets.insert(fleet)
    }
    self.fleets = fleets
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
      .person(roles: Set(person.value.roles), scope: person.value.scope), to: .read, event.value.event.area, relation
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
