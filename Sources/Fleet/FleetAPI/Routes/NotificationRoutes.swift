import FleetAccess
import FleetDomain
import FleetWork
import HTTPTypes
import Telemetry

/// The routes of the caller's own notifications, and of the rules that determine who is notified.
struct NotificationRoutes {
  let storage: any FleetStorage

  var routes: [Route] { rules.routes + [list, read, readAll] }

  private static let path = "/api/notifications"

  var rules: ThingRoutes<NotificationRule> {
    ThingRoutes(
      storage: storage, area: .settings,
      relation: { rule, _, _ in Relation(fleets: Set(rule.value.fleetIDs), need: .eachFleetToChange) },
      restriction: { _, _, _ in nil },
      check: { _, _, _, _ throws(ThingError) in },
      order: [.init("name")])
  }

  private static func person(_ call: Call) throws -> UUIDv7 {
    guard let person = try call.caller.signedIn?.person else { throw APIError.forbidden("only people have these") }
    return person
  }

  private var list: Route {
    let parameters = ListParameters<Notification>()
    let operation = Operation(
      id: "listNotifications", summary: "One's own notifications, the newest first.",
      parameters: [
        .query("unread", "`true`: only those that are not read.", #"{"enum":["true","false"]}"#)
      ] + parameters.operations, results: [.init(.ok, "A page of notifications.", .json("NotificationList"))])
    return Route(.get, Self.path, .people, operation) { [storage] call in
      let person = try Self.person(call)
      let onlyUnread = try call.flag("unread")
      let request = try parameters.request(call, order: [.init("at", isDescending: true)])
      let page = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
        var query = try request.query(in: view)
        query.conditions.append(.oneOf(key: "personId", [person.json]))
        if onlyUnread { query.conditions.append(.oneOf(key: "readAt", [.null])) }
        return try view.list(query)
      }
      return Answer(list: page.items.map(\.json), next: page.next)
    }
  }

  private var read: Route {
    let operation = Operation(
      id: "readNotification", summary: "Marks a notification as read.",
      results: [.init(.ok, "It.", .json("Notification"))])
    return Route(.post, Self.path + "/{notificationId}/read", .people, operation) { [storage] call in
      let person = try Self.person(call)
      let id = try ThingRoutes<Notification>.id(call)
      let caller = try call.caller
      let changed = try await storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: WallClock.now
      ) { transaction throws(ThingError) in
        let stored = try transaction.existing(id, Notification.self)
        guard stored.value.personID == person else {
          throw .notFound(kind: Notification.names.one, id: id.string)
        }
        return try transaction.markRead(stored)
      }
      return Answer(json: Array(changed.json.canonicalText.utf8))
    }
  }

  private var readAll: Route {
    let operation = Operation(
      id: "readAllNotifications", summary: "Marks all of one's own notifications as read.",
      results: [.init(.noContent, "Marked.")])
    return Route(.post, Self.path + "/read", .people, operation) { [storage] call in
      let person = try Self.person(call)
      let caller = try call.caller
      // Use several transactions, so that other tenants do not wait long. Notifications that are added during this time
      // are newer than the request, and stay unread.
      let now = WallClock.now
      var remain = true
      while remain {
        remain = try await storage.change(
          tenant: caller.tenant, by: caller.actor(from: call.client.address), at: now
        ) { transaction throws(ThingError) in
          let unread = ThingQuery<Notification>(
            .oneOf(key: "personId", [person.json]), .oneOf(key: "readAt", [.null]),
            .atMost(key: "createdAt", now.json), limit: 250)
          let page = try transaction.list(unread)
          for notification in page.items { _ = try transaction.markRead(notification) }
          return page.next != nil
        }
      }
      return Answer(status: .noContent)
    }
  }
}

extension FleetTransaction {
  fileprivate func markRead(_ stored: Stored<Notification>) throws(ThingError) -> Stored<Notification> {
    guard stored.value.readAt == nil else { return stored }
    var changed = stored.value
    changed.readAt = now
    return try update(stored, to: changed, action: "read")
  }
}
