import FleetDomain
import Telemetry

extension FleetTransaction {
  /// Checks a new or changed inspection report. If a new report has no time, sets the time to now.
  ///
  /// - Parameter old: the report before the change; `nil` if the report is new.
  /// - Throws: `invalid`; `invalidState` for a change of a signed report.
  public func check(_ new: inout Inspection, old: Stored<Inspection>?) throws(ThingError) {
    if let old {
      guard old.value.status == .draft else {
        throw .invalidState(state: old.value.status.rawValue, allowedFrom: [Inspection.Status.draft.rawValue])
      }
    } else {
      guard new.driverID != nil else {
        throw .invalid(FieldErrors([FieldError("driverId", "expected the id of a driver, found none")]))
      }
      if new.at == Inspection().at { new.at = now }
      if let id = new.supersedes { _ = try corrected(id, by: new) }
    }
    new.hasDefects = new.items.contains { $0.result == .defect }
  }

  /// Checks whether a draft can be signed, and updates some of its defects.
  ///
  /// - Parameter most: the maximum number of defects that are changed. In SQLite, all other tenants wait for the
  ///   transaction.
  /// - Returns: whether all defects are updated. If not, the function must be called again in another transaction.
  /// - Throws: the errors of ``sign(_:_:by:)``.
  public func prepareSignature(of stored: Stored<Inspection>, atMost most: Int) throws(ThingError) -> Bool {
    let superseded = try requireDraft(stored)
    var rest = most
    try updateDefects(of: stored, correcting: superseded?.id, atMost: &rest)
    return rest > 0
  }

  /// Checks whether a report is a draft that can be signed.
  ///
  /// - Returns: the report that the draft corrects; `nil` if it corrects none.
  private func requireDraft(_ stored: Stored<Inspection>) throws(ThingError) -> Stored<Inspection>? {
    try require(stored, .draft)
    guard !stored.value.items.isEmpty else {
      throw .invalid(FieldErrors([FieldError("items", "expected at least one item before the signature")]))
    }
    guard let id = stored.value.supersedes else { return nil }
    return try corrected(id, by: stored.value)
  }

  /// Signs a draft. Afterwards its content cannot be changed. If it may have many defects, first call
  /// ``prepareSignature(of:atMost:)`` in other transactions.
  ///
  /// - Parameters:
  ///   - text: the signature, for example a typed name.
  ///   - person: the person who signs; `nil` for a program.
  /// - Throws: `invalidState`; `invalid` if the draft has no items; `rule` with `superseded` if the draft corrects a
  ///   report that another report has already corrected.
  public func sign(
    _ stored: Stored<Inspection>, _ text: String, by person: UUIDv7?
  ) throws(ThingError) -> Stored<Inspection> {
    let superseded = try requireDraft(stored)
    var signed = stored.value
    if let superseded {
      var corrected = superseded.value
      corrected.supersededBy = stored.id
      try update(superseded, to: corrected, action: "supersede")
    }
    var signature = Inspection.Signature()
    (signature.text, signature.by, signature.at) = (text, person, now)
    signed.signature = signature
    signed.status = .signed
    signed.contentHash = signed.signedContent(id: stored.id).canonicalHash
    let defects = signed.items.filter { $0.result == .defect }.map(\.item)
    if !defects.isEmpty {
      try emit(.inspectionDefects, of: stored.id, signed, item: defects.joined(separator: ", "))
    }
    let report = try update(stored, to: signed, action: "sign")
    var rest = Int.max
    try updateDefects(of: report, correcting: superseded?.id, atMost: &rest)
    return report
  }

  /// Checks whether a report can be certified, and closes some of its defects.
  ///
  /// - Parameter most: the maximum number of defects that are changed. In SQLite, all other tenants wait for the
  ///   transaction.
  /// - Returns: whether all defects are closed. If not, the function must be called again in another transaction.
  /// - Throws: the errors of ``certify(_:_:notes:by:)``.
  public func prepareCertification(
    of stored: Stored<Inspection>, _ result: Inspection.Certification.Result, notes: String?, atMost most: Int
  ) throws(ThingError) -> Bool {
    try requireDefects(stored)
    var rest = most
    try closeDefects(of: stored, result, notes: notes, atMost: &rest)
    return rest > 0
  }

  /// Checks whether a report is signed and has defects.
  private func requireDefects(_ stored: Stored<Inspection>) throws(ThingError) {
    try require(stored, .signed)
    guard stored.value.hasDefects else {
      throw .rule(code: "noDefect", message: "the report has no defect; it can be reviewed")
    }
  }

  /// Certifies that the defects of a signed report are repaired, or that they need no repair. If it may have many
  /// defects, first call ``prepareCertification(of:_:notes:atMost:)`` in other transactions.
  ///
  /// - Throws: `invalidState`; `rule` with one of the codes `noDefect`, `superseded`.
  public func certify(
    _ stored: Stored<Inspection>, _ result: Inspection.Certification.Result, notes: String?, by person: UUIDv7?
  ) throws(ThingError) -> Stored<Inspection> {
    try requireDefects(stored)
    var certification = Inspection.Certification()
    (certification.result, certification.notes) = (result, notes)
    (certification.by, certification.at) = (person, now)
    var certified = stored.value
    certified.certification = certification
    certified.status = .certified
    let report = try update(stored, to: certified, action: "certify")
    var rest = Int.max
    try closeDefects(of: report, result, notes: notes, atMost: &rest)
    return report
  }

  /// Marks a report as read by the next driver of the vehicle.
  ///
  /// - Throws: `invalidState`; `rule` with `superseded`.
  public func review(_ stored: Stored<Inspection>, by person: UUIDv7?) throws(ThingError) -> Stored<Inspection> {
    try require(stored, stored.value.reviewableFrom)
    var review = Inspection.Review()
    (review.by, review.at) = (person, now)
    var reviewed = stored.value
    reviewed.review = review
    reviewed.status = .reviewed
    return try update(stored, to: reviewed, action: "review")
  }

  private func require(_ stored: Stored<Inspection>, _ state: Inspection.Status) throws(ThingError) {
    guard stored.value.status == state else {
      throw .invalidState(state: stored.value.status.rawValue, allowedFrom: [state.rawValue])
    }
    if let other = stored.value.supersededBy {
      throw .rule(code: "superseded", message: "this report was corrected by \(other.string)")
    }
  }

  /// Returns the report that a new one corrects.
  ///
  /// - Throws: `invalid`; `rule` with `superseded` if another report has already corrected it.
  private func corrected(_ id: UUIDv7, by new: Inspection) throws(ThingError) -> Stored<Inspection> {
    guard let old = try find(id, Inspection.self), old.value.vehicle == new.vehicle else {
      throw .invalid(FieldErrors([FieldError("supersedes", "no such report of this vehicle")]))
    }
    guard old.value.status != .draft else {
      throw .invalid(FieldErrors([FieldError("supersedes", "this report is a draft; change it instead")]))
    }
    if let other = old.value.supersededBy {
      throw .rule(code: "superseded", message: "this report was corrected already, by \(other.string)")
    }
    return old
  }
}
