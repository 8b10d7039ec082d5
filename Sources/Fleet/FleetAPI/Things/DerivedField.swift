import FleetDomain

/// A member of a thing's JSON that is computed from other things, for example the vehicles of a fleet.
struct DerivedField<Value: Kind>: Sendable {
  /// The key in JSON.
  let key: String
  /// The JSON Schema of the value, as JSON.
  let schema: String
  /// Returns the values for things, in their order; `null` for an absent value.
  let read: @Sendable ([Stored<Value>], any FleetView) throws(ThingError) -> [JSON]
  /// Changes the other things so that the value becomes this one; `nil` if clients cannot set it.
  ///
  /// - Parameter seen: the version of the thing from which the client made the change.
  var write:
    (
      @Sendable (
        JSON, Stored<Value>, _ seen: Int64, any FleetTransaction, Call
      ) throws(ThingError) -> Stored<Value>
    )?
}
