import FleetDomain

/// A key in a thing's JSON whose value is computed from other things, such as the vehicles of a fleet. The value is not
/// stored in the thing.
struct DerivedField<Value: Kind>: Sendable {
  /// The key in JSON.
  let key: String
  /// The JSON Schema of the value, as JSON text.
  let schema: String
  /// Returns the value for each of several things, in the order of the things; `null` for a thing without a value.
  let read: @Sendable ([Stored<Value>], any FleetView) throws(ThingError) -> [JSON]
  /// Changes the other things so that the key gets a new value; `nil` if clients cannot set the key.
  ///
  /// - Parameter seen: the version of the thing that the client has read.
  var write:
    (
      @Sendable (
        JSON, Stored<Value>, _ seen: Int64, any FleetTransaction, Call
      ) throws(ThingError) -> Stored<Value>
    )?
  /// Changes many other things in several transactions. A field has at most one of `write` and `steps`.
  var steps: Steps?

  /// Whether clients can set the key.
  var isSettable: Bool { write != nil || steps != nil }

  /// A change of many other things, which is planned before the first transaction and then made in several short ones.
  struct Steps: Sendable {
    /// Returns the work that a new value needs, as JSON. This may read many things, so no transaction that writes may
    /// call it: in SQLite, all tenants would wait.
    ///
    /// - Parameters:
    ///   - stored: the thing; `nil` if it is created by the request.
    ///   - seen: the version of the thing that the client has read.
    let plan:
      @Sendable (
        JSON, _ stored: Stored<Value>?, _ seen: Int64, any FleetView, Call
      ) throws(ThingError) -> JSON
    /// Does a part of the work within one short transaction. Returns the changed thing, and the work that remains;
    /// `nil` if none remains.
    let perform:
      @Sendable (
        _ work: JSON, Stored<Value>, any FleetTransaction, Call
      ) throws(ThingError) -> (thing: Stored<Value>, rest: JSON?)
  }
}
