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
}
