import FleetDomain

/// The role of a request's sender.
enum Caller: String, Hashable, CaseIterable, Sendable {
  /// A gateway with its key: writes records of its vehicles and fetches fences.
  case gateway
  /// A token that reads.
  case readOnly
  /// A token that may do everything within its tenant.
  case admin
}

/// The owner of the key or token of a request, which also determines the tenant.
struct Identity: Sendable {
  let principal: Principal
  /// The key that rate limits count.
  let key: SecretHash

  var tenant: TenantID {
    switch principal {
    case .gateway(_, let tenant), .token(_, let tenant): tenant
    }
  }

  var caller: Caller {
    switch principal {
    case .gateway: .gateway
    case .token(let token, _): token.role == .admin ? .admin : .readOnly
    }
  }

  /// The caller for whom the storage works.
  var storageCaller: StorageCaller { StorageCaller(tenant: tenant, key: key) }

  var gateway: Gateway? {
    if case .gateway(let gateway, _) = principal { gateway } else { nil }
  }

  /// Whether the key was revoked.
  var isRevoked: Bool {
    switch principal {
    case .gateway(let gateway, _): gateway.revokedAt != nil
    case .token(let token, _): token.revokedAt != nil
    }
  }
}
