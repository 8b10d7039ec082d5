import FleetDomain
import Telemetry

extension ThingSession {
  func audit(thing: UUIDv7?, before number: Int64?, limit: Int) throws(ThingError) -> [AuditEntry] {
    try asking { () throws(StoreFailure) in
      var values: [SQLValue] = [SQLValue(tenant), .integer(number ?? .max), .integer(Int64(limit))]
      if let thing { values.append(.identifier(thing)) }
      let rows = try session.rows(
        """
        SELECT number, hash, content, subject FROM audit WHERE tenant = $1 AND number < $2
        \(thing == nil ? "" : "AND thing = $4") ORDER BY number DESC LIMIT $3
        """, values)
      var entries: [AuditEntry] = []
      for row in rows {
        var entry = try AuditRow.entry(row)
        if let subject = row.identifier(3), let seal = try seal(of: subject, isNew: false) {
          entry = entry.opened(with: seal)
        }
        entries.append(entry)
      }
      return entries
    }
  }

  // MARK: The audit

  func record(_ action: String, kind: String, thing: UUIDv7?, details: [String: JSON]) throws(ThingError) {
    try asking { () throws(StoreFailure) in
      try record(action, kind, thing: thing, ThingChange(before: [:], after: [:]), details: details)
    }
  }

  /// Adds an audit entry about the change of an object that is not a thing, such as a gateway.
  func record(
    _ action: String, _ kind: String, thing: UUIDv7?, _ change: ThingChange, details: [String: JSON] = [:]
  ) throws(StoreFailure) {
    try append(
      AuditEntry(
        number: head.number + 1, after: head.hash, at: now, by: actor, action: action, kind: kind, thing: thing,
        version: nil, change: change, details: details), thing: thing, subject: nil)
  }

  func announceEnd(of sessions: [UUIDv7]) throws(ThingError) {
    guard !sessions.isEmpty else { return }
    try asking { () throws(StoreFailure) in try session.recordRevocation(sessions, tenant: tenant) }
  }

  func destroyPersonalKey(of subject: UUIDv7) throws(ThingError) {
    try asking { () throws(StoreFailure) in
      try session.run(
        "UPDATE personal_key SET secret = NULL WHERE tenant = $1 AND subject = $2",
        [SQLValue(tenant), .identifier(subject)])
      try session.recordErasure()
      seals[subject] = .some(nil)
    }
  }

  func write<Value: Kind>(
    _ stored: Stored<Value>, _ change: ThingChange, _ action: String
  ) throws(StoreFailure) {
    guard Value.isAudited else { return }
    var (change, subject) = (change, UUIDv7?.none)
    let personal = Set(Value.fields.filter(\.isPersonal).map(\.key))
    if !personal.isDisjoint(with: Set(change.before.keys).union(change.after.keys)) {
      let person = stored.value.subject(id: stored.id)
      subject = person
      let seal = try seal(of: person, isNew: true)
      for key in personal {
        // If the person was erased, personal data are left out, because there is no key to encrypt them.
        if let value = change.before[key], value != .null { change.before[key] = seal?.seal(value) ?? .null }
        if let value = change.after[key], value != .null { change.after[key] = seal?.seal(value) ?? .null }
      }
    }
    try append(
      AuditEntry(
        number: head.number + 1, after: head.hash, at: now, by: actor, action: action, kind: Value.names.one,
        thing: stored.id, version: stored.version, change: change), thing: stored.id, subject: subject)
  }

  func append(_ entry: AuditEntry, thing: UUIDv7?, subject: UUIDv7?) throws(StoreFailure) {
    try session.run(
      "INSERT INTO audit (tenant, number, time, thing, subject, hash, content) VALUES ($1, $2, $3, $4, $5, $6, $7)",
      [
        SQLValue(tenant), .integer(entry.number), .integer(now.milliseconds), thing.map { .identifier($0) } ?? .null,
        subject.map { .identifier($0) } ?? .null, .bytes(entry.hash), .text(entry.content.canonicalText),
      ])
    try session.run(
      "UPDATE audit_head SET number = $2, hash = $3 WHERE tenant = $1",
      [SQLValue(tenant), .integer(entry.number), .bytes(entry.hash)])
    head = (entry.number, entry.hash)
  }

  /// Returns the key (seal) that encrypts a person's data in the audit.
  ///
  /// - Parameter isNew: whether a key is created if the person has none.
  /// - Returns: `nil` if the person has no key, or if the key was destroyed.
  private func seal(of subject: UUIDv7, isNew: Bool) throws(StoreFailure) -> PersonalSeal? {
    if let known = seals[subject] { return known }
    let rows = try session.rows(
      "SELECT secret FROM personal_key WHERE tenant = $1 AND subject = $2", [SQLValue(tenant), .identifier(subject)])
    var seal: PersonalSeal?
    if let row = rows.first {
      let secret = row.bytes(0)
      if !secret.isEmpty { seal = PersonalSeal(key: secret) }
    } else if isNew {
      let secret = PersonalSeal.newKey()
      try session.run(
        "INSERT INTO personal_key (tenant, subject, secret) VALUES ($1, $2, $3)",
        [SQLValue(tenant), .identifier(subject), .bytes(secret)])
      seal = PersonalSeal(key: secret)
    }
    seals[subject] = .some(seal)
    return seal
  }
}
