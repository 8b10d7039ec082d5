import FleetDomain

/// The schemas of people's accounts in `openapi.json`.
enum AccountSchemas {
  /// The schemas with their names, as members of a JSON object, without the braces of the object.
  static let text = [
    ThingSchema.members(of: Person.self),
    ThingSchema.members(of: Session.self, added: [("isCurrent", #"{"type":"boolean"}"#)]),
    ThingSchema.members(of: Factor.self),
    ThingSchema.members(of: LinkedIdentity.self),
    own,
  ].joined(separator: ",")

  private static let own = ##"""
    "TenantName": { "type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,62}$" },
    "Password": { "type": "string", "minLength": 1, "maxLength": 1024 },
    "SignIn": {
      "type": "object", "required": ["email", "password"], "additionalProperties": false,
      "properties": {
        "email": { "type": "string", "maxLength": 254 }, "password": { "$ref": "#/components/schemas/Password" },
        "tenant": { "description": "Absent: `default`.", "$ref": "#/components/schemas/TenantName" }
      }
    },
    "SignInStep": {
      "description": "Either the session, or `next`: `factor` with the factors of which one is needed, or `newPassword` with the token with which `POST /api/auth/reset` sets a longer password, because the account no longer has a second factor.",
      "type": "object", "properties": {
        "next": { "enum": ["factor", "newPassword"] },
        "needsFactor": { "description": "`true`: the tenant requires a second factor, and the account has none. The session can only add one.", "type": "boolean" },
        "token": { "description": "For a new password; good once, for ten minutes.", "type": "string" },
        "ticket": { "description": "For the second step.", "type": "string" },
        "factors": { "type": "array", "items": { "$ref": "#/components/schemas/FactorChoice" } },
        "person": { "$ref": "#/components/schemas/Person" },
        "tenant": { "$ref": "#/components/schemas/TenantName" },
        "sessionId": { "type": "string", "format": "uuid" },
        "expiresAt": { "$ref": "#/components/schemas/Time" },
        "permissions": { "$ref": "#/components/schemas/Permissions" }
      }
    },
    "TokenStep": {
      "description": "Either the tokens, or `next` as in `SignInStep`.",
      "type": "object", "properties": {
        "next": { "enum": ["factor", "newPassword"] }, "token": { "type": "string" }, "ticket": { "type": "string" },
        "factors": { "type": "array", "items": { "$ref": "#/components/schemas/FactorChoice" } },
        "accessToken": { "type": "string" }, "tokenType": { "const": "Bearer" },
        "expiresIn": { "description": "Seconds.", "type": "integer", "minimum": 1 },
        "refreshToken": { "description": "Good once.", "type": "string" },
        "person": { "$ref": "#/components/schemas/Person" }, "tenant": { "$ref": "#/components/schemas/TenantName" },
        "sessionId": { "type": "string", "format": "uuid" }, "expiresAt": { "$ref": "#/components/schemas/Time" },
        "permissions": { "$ref": "#/components/schemas/Permissions" }
      }
    },
    "Permissions": {
      "description": "For each area, its actions with `all`, `scope` (what belongs to the account's fleets) or `own`.",
      "type": "object",
      "additionalProperties": { "type": "object", "additionalProperties": { "enum": ["all", "scope", "own"] } }
    },
    "FactorChoice": {
      "type": "object", "required": ["id", "kind", "name"], "properties": {
        "id": { "type": "string", "format": "uuid" }, "kind": { "type": "string" }, "name": { "type": "string" }
      }
    },
    "FactorAnswer": {
      "type": "object", "required": ["ticket"], "additionalProperties": false,
      "oneOf": [{ "required": ["code"] }, { "required": ["assertion"] }],
      "properties": {
        "ticket": { "type": "string" }, "code": { "type": "string" },
        "assertion": { "$ref": "#/components/schemas/PasskeyCredential" },
        "kind": {
          "description": "Absent: `totp`, or `passkey` with an assertion.",
          "enum": ["totp", "recoveryCodes", "emailCode", "passkey"]
        }
      }
    },
    "TokenGrant": {
      "description": "`password` needs `email` and `password`, and `code` if there is a second factor; `factor` needs `ticket` and `code`; `refresh` needs `refreshToken`.",
      "type": "object", "required": ["grant"], "additionalProperties": false,
      "properties": {
        "grant": { "enum": ["password", "factor", "refresh"] },
        "email": { "type": "string", "maxLength": 254 }, "password": { "$ref": "#/components/schemas/Password" },
        "tenant": { "$ref": "#/components/schemas/TenantName" },
        "ticket": { "type": "string" }, "code": { "type": "string" },
        "kind": { "enum": ["totp", "recoveryCodes", "emailCode"] }, "refreshToken": { "type": "string" }
      }
    },
    "AccountSetUp": {
      "description": "The first administrator also sends what `POST /api/people` needs, without roles and scope.",
      "type": "object", "required": ["token", "password"],
      "properties": {
        "token": { "type": "string" }, "password": { "$ref": "#/components/schemas/Password" },
        "email": { "type": "string", "maxLength": 254 }, "firstName": { "type": "string" },
        "lastName": { "type": "string" }
      }
    },
    "Recovery": {
      "type": "object", "required": ["email"], "additionalProperties": false,
      "properties": {
        "email": { "type": "string", "maxLength": 254 }, "tenant": { "$ref": "#/components/schemas/TenantName" }
      }
    },
    "PasswordReset": {
      "type": "object", "required": ["token", "password"], "additionalProperties": false,
      "properties": { "token": { "type": "string" }, "password": { "$ref": "#/components/schemas/Password" } }
    },
    "PasswordChange": {
      "type": "object", "required": ["password", "newPassword"], "additionalProperties": false,
      "properties": {
        "password": { "$ref": "#/components/schemas/Password" }, "newPassword": { "$ref": "#/components/schemas/Password" }
      }
    },
    "PasswordConfirmation": {
      "type": "object", "required": ["password"], "additionalProperties": false,
      "properties": { "password": { "$ref": "#/components/schemas/Password" } }
    },
    "Invitation": {
      "type": "object", "required": ["link", "token", "expiresAt", "isMailed"], "properties": {
        "isMailed": {
          "description": "Whether the link is sent by email: not without mail, and not beyond a limit.", "type": "boolean"
        },
        "link": { "type": "string" }, "token": { "type": "string" }, "expiresAt": { "$ref": "#/components/schemas/Time" }
      }
    },
    "ProviderList": {
      "type": "object", "required": ["data"], "additionalProperties": false,
      "properties": { "data": { "type": "array", "items": {
        "type": "object", "required": ["id", "name", "url"], "properties": {
          "id": { "type": "string" }, "name": { "type": "string" },
          "url": { "description": "The path with which a browser begins.", "type": "string" }
        }
      } } }
    },
    "ProviderPage": {
      "type": "object", "required": ["url"],
      "properties": { "url": { "description": "A page of the provider.", "type": "string" } }
    },
    "IdentityLink": {
      "type": "object", "additionalProperties": false,
      "properties": { "returnTo": { "description": "A path of this server.", "type": "string", "pattern": "^/" } }
    },
    "ProviderLogout": {
      "type": "object", "required": ["logout_token"], "properties": { "logout_token": { "type": "string" } }
    },
    "FactorCodeRequest": {
      "type": "object", "required": ["ticket"], "additionalProperties": false,
      "properties": { "ticket": { "description": "That of the sign-in.", "type": "string" } }
    },
    "FactorRequest": {
      "type": "object", "required": ["kind"], "additionalProperties": false,
      "properties": { "kind": { "enum": ["totp", "emailCode"] }, "name": { "$ref": "#/components/schemas/Text" } }
    },
    "FactorSecret": {
      "type": "object", "required": ["factor"], "properties": {
        "factor": { "$ref": "#/components/schemas/Factor" },
        "secret": { "description": "Base32; of an authenticator app.", "type": "string" },
        "uri": { "description": "For the QR code of an authenticator app.", "type": "string" }
      }
    },
    "FactorCode": {
      "type": "object", "required": ["code"], "additionalProperties": false,
      "properties": { "code": { "type": "string" } }
    },
    "ConfirmedFactor": {
      "type": "object", "required": ["factor"], "properties": {
        "factor": { "$ref": "#/components/schemas/Factor" },
        "recoveryCodes": { "description": "Shown once.", "type": "array", "items": { "type": "string" } }
      }
    },
    "PasskeyOptions": {
      "description": "For `navigator.credentials.create()` or `get()`, in the JSON form that browsers parse.",
      "type": "object", "required": ["publicKey"], "properties": { "publicKey": { "type": "object" } }
    },
    "PasskeyCredential": {
      "description": "What `toJSON()` of the browser's credential gives; bytes are base64url.",
      "type": "object", "required": ["rawId", "response"], "properties": {
        "rawId": { "type": "string" }, "response": {
          "type": "object", "required": ["clientDataJSON"], "properties": {
            "clientDataJSON": { "type": "string" }, "attestationObject": { "type": "string" },
            "authenticatorData": { "type": "string" }, "signature": { "type": "string" },
            "userHandle": { "type": ["string", "null"] }
          }
        }
      }
    },
    "NewPasskey": {
      "type": "object", "required": ["credential"], "additionalProperties": false, "properties": {
        "credential": { "$ref": "#/components/schemas/PasskeyCredential" },
        "name": { "$ref": "#/components/schemas/Text" }
      }
    },
    "PasskeySignInBeginning": {
      "type": "object", "additionalProperties": false,
      "properties": { "tenant": { "$ref": "#/components/schemas/TenantName" } }
    },
    "PasskeySignIn": {
      "type": "object", "required": ["credential"], "additionalProperties": false, "properties": {
        "credential": { "$ref": "#/components/schemas/PasskeyCredential" },
        "session": { "description": "`token`: for an app. Absent: `cookie`.", "enum": ["cookie", "token"] }
      }
    },
    "RecoveryCodes": {
      "type": "object", "required": ["recoveryCodes"],
      "properties": { "recoveryCodes": { "type": "array", "items": { "type": "string" } } }
    },
    "AuditList": {
      "type": "object", "required": ["data"], "additionalProperties": false,
      "properties": {
        "data": { "type": "array", "items": { "$ref": "#/components/schemas/AuditEntry" } }, "next": { "type": "string" }
      }
    },
    "AuditVerification": {
      "type": "object", "required": ["number", "hash", "isComplete"], "additionalProperties": false, "properties": {
        "number": { "description": "The number of the last entry that is as it was written.", "type": "integer", "minimum": 0 },
        "hash": { "type": "string", "pattern": "^[0-9a-f]{64}$" },
        "isComplete": { "description": "Whether all entries were checked, or a fault was found.", "type": "boolean" },
        "fault": {
          "type": "object", "required": ["kind", "number"], "additionalProperties": false, "properties": {
            "kind": { "enum": ["changed", "misfiled", "miscounted", "endRemoved"] },
            "number": { "description": "`changed` and `misfiled`: the entry at fault. Otherwise: how many entries are there.", "type": "integer" },
            "counted": { "description": "How many entries the database has counted.", "type": "integer" }
          }
        }
      }
    },
    "AuditEntry": {
      "type": "object", "required": ["number", "hash", "time", "actor", "action", "kind"], "properties": {
        "number": { "type": "integer", "minimum": 1 },
        "hash": { "type": "string", "pattern": "^[0-9a-f]{64}$" }, "time": { "$ref": "#/components/schemas/Time" },
        "actor": {
          "type": "object", "required": ["kind"], "properties": {
            "kind": { "enum": ["person", "token", "gateway", "rule", "command", "server", "nobody"] },
            "id": { "type": "string" }
          }
        }, "address": { "type": "string" }, "action": { "type": "string" },
        "kind": { "type": "string" }, "thing": { "type": "string", "format": "uuid" }, "version": { "type": "integer" },
        "before": { "type": "object" }, "after": { "type": "object" }, "details": { "type": "object" }
      }
    }
    """##
}
