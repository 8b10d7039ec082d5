import FleetDomain

/// A member of a thing's JSON that is computed from other things, for example the vehicles of a fleet. It is not stored
/// in the thing.
struct DerivedField<Value: Kind>: Sendable {
  /// The key in JSON.
  let key: String
  /// The JSON Schema of the value, as JSON text.
  let schema: String
  /// Returns the value for each thing, in the order of the things; `null` for a thing without a value.
  let read: @Sendable ([Stored<Value>], any FleetView) throws(ThingError) -> [JSON]
  /// Changes the other things so that the member gets a new value; `nil` if clients cannot set it.
  ///
  /// - Parameter seen: the version of the thing that the client has read.
  var write:
    (
      @Sendable (
        JSON, Stored<Value>, _ seen: Int64, any FleetTransaction, Call
      ) throws(ThingError) -> Stored<Value>
    )?
}
