/// Limits for one tenant or gateway, so that none can impose an unlimited cost on others.
public enum TenantLimits {
  /// Gateways of a tenant, including revoked ones.
  public static let gateways: Int64 = 100_000
  /// Operator tokens of a tenant, including revoked ones.
  public static let tokens: Int64 = 1_000
  /// Vehicles that a gateway without a vehicle list may register.
  public static let vehiclesOfGateway: Int64 = 1_000
  /// Vehicles in one batch that are new to its gateway.
  public static let newVehiclesOfBatch = 100
  /// New vehicles in one batch that an operator imports.
  public static let newVehiclesOfImport = 1_000
}
