/// How much one tenant or gateway may make, so that the cost of its work for all others stays bounded.
public enum TenantLimits {
  /// Gateways of one tenant, revoked ones included.
  public static let gateways: Int64 = 100_000
  /// Operator tokens of one tenant, revoked ones included.
  public static let tokens: Int64 = 1_000
  /// Vehicles that a gateway without a vehicle list may register.
  public static let vehiclesOfGateway: Int64 = 1_000
  /// Vehicles in one batch of a gateway that it has not written as before.
  public static let newVehiclesOfBatch = 100
  /// New vehicles in one batch that an operator imports.
  public static let newVehiclesOfImport = 1_000
}
