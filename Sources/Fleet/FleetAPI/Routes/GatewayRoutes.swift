import FleetAccess
import FleetDomain
import HTTPTypes
import JSONText
import Telemetry

/// `/api/gateways`: the gateways and their keys.
struct GatewayRoutes {
  let storage: any FleetStorage
  let authenticator: Authenticator
  let lastSeen: LastSeenStore

  private static let path = "/api/gateways"
  /// Keys in a gateway's JSON whose values clients cannot set.
  private static let serversOwn = [
    "addedAt", "keyAt", "revokedAt", "lastSeen", "spoolDepth", "version", "currentVehicle",
  ]
  /// The maximum number of vehicles in the list of a gateway's allowed vehicles.
  private static let mostVehicles = 1_000

  var routes: [Route] { [list, add, get, replace, remove, removeRecords, rotate, revoke] }

  private var list: Route {
    let operation = Operation(
      id: "listGateways", summary: "Gateways in the order of their ids.",
      parameters: [.cursor, .limit(100, most: 1_000)],
      results: [.init(.ok, "A page of gateways.", .json("GatewayList"))])
    return Route(.get, Self.path, .may(.read, .settings), operation) { [storage, lastSeen] call in
      let tenant = try call.tenant
      await lastSeen.write(tenant)
      let page = try await BoundedPage<Gateway>(
        call, limit: try call.integer("limit", in: 1...1_000) ?? 100, cursor: try call.cursor(),
        // Estimate the length of a gateway's JSON in bytes. Only its list of vehicles can be long.
        size: { $0.allowedVehicles.reduce(768) { $0 + $1.utf8.count + 3 } },
        fetch: { try await storage.gateways(cursor: $0, limit: $1, tenant: tenant) })
      var list = ListBody()
      for gateway in page.items { list.append(JSONBody.object { gateway.write(to: &$0) }) }
      return Answer(json: list.finish(next: page.next))
    }
  }

  private var add: Route {
    let operation = Operation(
      id: "addGateway", summary: "Registers a gateway. Only this answer contains its key.",
      body: .json("NewGateway"), results: [.init(.created, "The gateway and its key.", .json("GatewayKey"))],
      errors: [.conflict])
    return Route(.post, Self.path, .may(.write, .settings), operation) { [storage] call in
      let (id, vehicles) = try await call.object { reader throws(JSONError) in
        (
          try Names.new(&reader, "id"),
          try Names.list(&reader, "vehicles", most: Self.mostVehicles) ?? []
        )
      }
      let key = Secret(.gatewayKey)
      let gateway = try await storage.addGateway(
        id, allowedVehicles: vehicles, key: key.hash, tenant: try call.tenant, by: try call.actor, at: WallClock.now)
      var answer = Answer(status: .created, json: gateway.json(with: key))
      answer.headers[.location] = "\(Self.path)/\(PercentCoding.encode(id))"
      return answer
    }
  }

  private var get: Route {
    let operation = Operation(
      id: "getGateway", summary: "A gateway with its last reported state.",
      results: [.init(.ok, "The gateway.", .json("Gateway"))])
    return Route(.get, Self.path + "/{gatewayId}", .may(.read, .settings), operation) { [storage, lastSeen] call in
      let id = try call.name("gateway")
      await lastSeen.write(try call.tenant)
      guard let gateway = try await storage.gateway(id, tenant: try call.tenant) else {
        throw APIError.notFound("no gateway \(quoted(id))")
      }
      return Answer(json: JSONBody.object { gateway.write(to: &$0) })
    }
  }

  private var replace: Route {
    let operation = Operation(
      id: "replaceGateway",
      summary: "Replaces the vehicles that a gateway may write as. If empty: vehicles that it registers first.",
      parameters: Operation.Parameter.noTag, body: .json("GatewayDetails"),
      results: [.init(.ok, "The gateway.", .json("Gateway"))],
      errors: [.preconditionFailed])
    return Route(.put, Self.path + "/{gatewayId}", .may(.write, .settings), operation) {
      [storage, authenticator] call in
      let id = try call.name("gateway")
      let present = try await storage.gateway(id, tenant: try call.tenant)
      let vehicles = try await call.object { reader throws(JSONError) in
        try Names.skipValue(&reader, id: present?.id, Self.serversOwn)
        _ = try reader.required("vehicles")
        return try Names.list(&reader, "vehicles", most: Self.mostVehicles) ?? []
      }
      // Reject an invalid request before its conditions are checked (RFC 9110, 13.2.1).
      try await call.requireNoTag { present != nil }
      let gateway = try await storage.setAllowedVehicles(
        vehicles, gateway: id, tenant: try call.tenant, by: try call.actor, at: WallClock.now)
      authenticator.forget(try call.tenant)
      return Answer(json: JSONBody.object { gateway.write(to: &$0) })
    }
  }

  private var remove: Route {
    let operation = Operation(
      id: "removeGateway",
      summary: "Removes a gateway and its key. Its vehicles and records stay.",
      parameters: Operation.Parameter.noTag, results: [.init(.noContent, "Removed.")], errors: [.preconditionFailed])
    return Route(.delete, Self.path + "/{gatewayId}", .may(.write, .settings), operation) {
      [storage, authenticator] call in
      let (id, tenant) = (try call.name("gateway"), try call.tenant)
      try await call.requireNoTag { try await storage.gateway(id, tenant: tenant) != nil }
      try await storage.removeGateway(id, tenant: tenant, by: try call.actor, at: WallClock.now)
      authenticator.forget(tenant)
      return Answer(status: .noContent)
    }
  }

  private var removeRecords: Route {
    let operation = Operation(
      id: "removeGatewayRecords",
      summary: "Removes the own records of a gateway. A record that is sent again is stored again.",
      results: [.init(.noContent, "Removed.")])
    return Route(.delete, Self.path + "/{gatewayId}/records", .may(.write, .settings), operation) { [storage] call in
      try await storage.removeRecords(
        ofGateway: try call.name("gateway"), tenant: try call.tenant, by: try call.actor, at: WallClock.now)
      return Answer(status: .noContent)
    }
  }

  private var rotate: Route {
    let operation = Operation(
      id: "rotateGatewayKey", summary: "Replaces a gateway's key, also after a revocation.",
      results: [.init(.ok, "The gateway and its key.", .json("GatewayKey"))])
    return Route(.post, Self.path + "/{gatewayId}/rotate", .may(.write, .settings), operation) {
      [storage, authenticator] call in
      let id = try call.name("gateway")
      let key = Secret(.gatewayKey)
      let gateway = try await storage.rotateKey(
        key.hash, gateway: id, tenant: try call.tenant, by: try call.actor, at: WallClock.now)
      authenticator.forget(try call.tenant)
      return Answer(json: gateway.json(with: key))
    }
  }

  private var revoke: Route {
    let operation = Operation(
      id: "revokeGateway", summary: "Revokes a gateway's key.", results: [.init(.noContent, "Revoked.")])
    return Route(.post, Self.path + "/{gatewayId}/revoke", .may(.write, .settings), operation) {
      [storage, authenticator] call in
      try await storage.revokeGateway(
        try call.name("gateway"), tenant: try call.tenant, by: try call.actor, at: WallClock.now)
      authenticator.forget(try call.tenant)
      return Answer(status: .noContent)
    }
  }
}

extension Gateway {
  /// Writes the gateway as the members of a JSON object.
  func write(to line: inout JSONLineEncoder) {
    line.field("id", id)
    line.field("vehicles", allowedVehicles)
    line.field("addedAt", addedAt)
    line.field("keyAt", keyAt)
    line.field("revokedAt", revokedAt)
    line.field("lastSeen", lastSeen)
    line.field("spoolDepth", spoolDepth.map { Int($0) })
    line.field("version", version)
    line.field("currentVehicle", currentVehicle)
  }

  /// Returns the gateway and its key as JSON. No other answer contains the key.
  func json(with key: Secret) -> [UInt8] {
    JSONBody.object { line in
      line.beginObject("gateway")
      write(to: &line)
      line.end()
      line.field("key", key.text)
    }
  }
}
