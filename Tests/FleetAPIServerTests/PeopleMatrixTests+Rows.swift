import FleetDomain

/// The table of rights: each row is a request, with the status that each caller gets.
extension PeopleMatrixTests {
  private static let bob =
    #"{"email":"$CALLER@bob.example","firstName":"Bob","lastName":"Ray","roles":["driver"]}"#
  private static let any = ["If-Match": "*"]
  private static let assignment = #"{"driverId":"$DRIVER","vehicleId":"VAN-2","to":"2089-01-01T00:00:00Z"}"#
  private static let expense =
    #"{"vehicleId":"VAN-2","at":"2026-05-04T10:00:00Z","category":"toll","amount":{"amount":"1","currency":"EUR"}}"#

  private static let journey = #"{"driverId":"$DRIVER","vehicleId":"VAN-2","purpose":"business"}"#
  private static let inspection =
    #"{"driverId":"$DRIVER","vehicleId":"VAN-2","kind":"preTrip","items":[{"item":"horn","result":"ok"}]}"#
  private static let document = #"{"of":{"kind":"vehicle","id":"VAN-2"},"kind":"insurance"}"#
  private static let rule = #"{"name":"Mine","events":["journeyIncident"],"roles":["admin"]}"#
  private static let fuel =
    #"{"vehicleId":"VAN-2","at":"2026-05-04T10:00:00Z","energy":"diesel","quantity":40,"full":true}"#

  private static let reading = #"{"vehicleId":"VAN-2","odometer":1000}"#
  private static let schedule = #"{"vehicleId":"VAN-2","serviceType":"oilChange","every":{"kilometers":10000}}"#
  private static let maintenance = #"{"vehicleId":"VAN-2","serviceType":"repair"}"#
  private static let defect = #"{"vehicleId":"VAN-2","text":"no horn"}"#

  private static let connector = #"{"name":"$CALLER","service":"samsara","isActive":false}"#
  private static let forward = #"{"name":"Influx","format":"influx","address":"https://influx.example/write"}"#
  private static let webhook =
    #"{"url":"https://hooks.example/fleet","events":["defectOpened"],"fleetIds":[],"description":"Hook"}"#
  /// The keys of the example of RFC 8291, section 5.
  private static let push = """
    {"endpoint":"https://push.example/1","keys":{"auth":"BTBZMqHH6r4Tts7J_aSIgg","p256dh":\
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"}}
    """
  private static let phone = #"{"driverId":"$DRIVER","name":"Phone"}"#
  private static let file = #"{"name":"receipt.jpg","size":3}"#

  static let rows: [Row] = [
    //                                             nobody gatew reado drive viewe maint forei token admin
    Row("GET /api/people", gets: [401, 403, 403, 200, 200, 200, 200, 200, 200]),
    Row("POST /api/people", body: bob, gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row("GET /api/people/{personId}", "/api/people/$OTHER", gets: [401, 403, 403, 404, 200, 404, 404, 200, 200]),
    Row("GET /api/people/{personId}", "/api/people/$SELF", gets: [401, 403, 403, 200, 200, 200, 200, 404, 200]),
    Row(
      "PUT /api/people/{personId}", "/api/people/$NEW", body: bob, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row(
      "PATCH /api/people/{personId}", "/api/people/$OTHER", body: #"{"lastName":"X"}"#, headers: any,
      gets: [401, 403, 403, 404, 403, 404, 404, 200, 200]),
    Row(
      "PATCH /api/people/{personId}", "/api/people/$SELF", body: #"{"locale":"de-AT"}"#, headers: any,
      gets: [401, 403, 403, 200, 200, 200, 200, 404, 200]),
    Row(
      "PATCH /api/people/{personId}", "/api/people/$SELF", body: #"{"roles":["admin","driver"]}"#, headers: any,
      gets: [401, 403, 403, 403, 403, 403, 200, 404, 200]),
    Row("DELETE /api/people/{personId}", "/api/people/$OTHER", gets: [401, 403, 403, 403, 403, 403, 404, 204, 404]),
    Row(
      "POST /api/people/{personId}/invite", "/api/people/$OTHER/invite",
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row(
      "POST /api/people/{personId}/deactivate", "/api/people/$OTHER/deactivate",
      gets: [401, 403, 403, 404, 403, 404, 404, 200, 200]),
    Row(
      "POST /api/people/{personId}/deactivate", "/api/people/$SELF/deactivate",
      gets: [401, 403, 403, 403, 403, 403, 409, 404, 409]),
    Row(
      "POST /api/people/{personId}/activate", "/api/people/$OTHER/activate",
      gets: [401, 403, 403, 404, 403, 404, 404, 200, 200]
    ),
    Row("GET /api/sessions", gets: [401, 403, 403, 200, 200, 200, 200, 200, 200]),
    Row(
      "DELETE /api/sessions/{sessionId}", "/api/sessions/$SESSION", gets: [401, 403, 403, 404, 404, 404, 404, 204, 204]),
    Row("GET /api/factors", gets: [401, 403, 403, 200, 200, 200, 200, 403, 200]),
    Row("POST /api/factors", body: #"{"kind":"totp"}"#, gets: [401, 403, 403, 201, 201, 201, 201, 403, 201]),
    Row("DELETE /api/factors/{factorId}", "/api/factors/$NEW", gets: [401, 403, 403, 404, 404, 404, 404, 403, 404]),
    Row(
      "POST /api/factors/{factorId}/confirm", "/api/factors/$NEW/confirm", body: #"{"code":"1"}"#,
      gets: [401, 403, 403, 404, 404, 404, 404, 403, 404]),
    Row("POST /api/recovery-codes", gets: [401, 403, 403, 409, 409, 409, 409, 403, 409]),
    Row("GET /api/audit", gets: [401, 403, 403, 200, 403, 403, 200, 200, 200]),
    Row("GET /api/audit/verification", gets: [401, 403, 403, 403, 403, 403, 200, 200, 200]),
    Row("GET /api/exports", gets: [401, 403, 403, 403, 403, 403, 200, 200, 200]),
    Row("GET /api/auth/session", gets: [401, 403, 403, 200, 200, 200, 200, 403, 200]),
    Row(
      "POST /api/auth/confirm", body: #"{"password":"correct horse battery"}"#,
      gets: [401, 403, 403, 204, 204, 204, 204, 403, 204]),
    Row(
      "POST /api/auth/password", body: #"{"password":"correct horse battery","newPassword":"a quite different text"}"#,
      gets: [401, 403, 403, 204, 204, 204, 204, 403, 204]),
    Row("POST /api/auth/logout", gets: [401, 403, 403, 204, 204, 204, 204, 403, 204]),
    Row("POST /api/auth/passkeys/registration", gets: [401, 403, 403, 200, 200, 200, 200, 403, 200]),
    Row(
      "POST /api/auth/passkeys",
      body: #"{"credential":{"rawId":"AA","response":{"clientDataJSON":"AA","attestationObject":"AA"}}}"#,
      gets: [401, 403, 403, 401, 401, 401, 401, 403, 401]),
    Row("GET /api/fleets", gets: [401, 403, 200, 403, 200, 200, 200, 200, 200]),
    Row("POST /api/fleets", body: #"{"name":"$CALLER"}"#, gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row("GET /api/fleets/{fleetId}", "/api/fleets/$FLEET", gets: [401, 403, 200, 403, 200, 200, 404, 200, 200]),
    Row(
      "PUT /api/fleets/{fleetId}", "/api/fleets/$NEW", body: #"{"name":"$CALLER"}"#, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row(
      "PATCH /api/fleets/{fleetId}", "/api/fleets/$FLEET", body: #"{"vehicleIds":["VAN-2"]}"#, headers: any,
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row("DELETE /api/fleets/{fleetId}", "/api/fleets/$FLEET", gets: [401, 403, 403, 403, 403, 403, 404, 204, 404]),
    Row(
      "PATCH /api/vehicles/{vehicleId}", "/api/vehicles/VAN-2", body: #"{"name":"x"}"#, headers: any,
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row("GET /api/drivers", gets: [401, 403, 200, 200, 200, 200, 200, 200, 200]),
    Row("POST /api/drivers", body: #"{"name":"Bob"}"#, gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row(
      "GET /api/drivers/{driverId}/figures", "/api/drivers/$DRIVER/figures",
      gets: [401, 403, 200, 404, 200, 403, 404, 200, 200]),
    Row("GET /api/drivers/{driverId}", "/api/drivers/$DRIVER", gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row(
      "PUT /api/drivers/{driverId}", "/api/drivers/$NEW", body: #"{"name":"Bob"}"#, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row(
      "PATCH /api/drivers/{driverId}", "/api/drivers/$DRIVER", body: #"{"phone":"1"}"#, headers: any,
      gets: [401, 403, 403, 404, 403, 403, 404, 200, 200]),
    Row("GET /api/assignments", gets: [401, 403, 200, 200, 200, 403, 200, 200, 200]),
    // The second one overlaps with the first.
    Row("POST /api/assignments", body: assignment, gets: [401, 403, 403, 403, 403, 403, 422, 201, 409]),
    Row(
      "GET /api/assignments/{assignmentId}", "/api/assignments/$ASSIGNMENT",
      gets: [401, 403, 200, 404, 200, 403, 404, 200, 200]),
    Row(
      "PUT /api/assignments/{assignmentId}", "/api/assignments/$NEW", body: assignment,
      headers: ["If-None-Match": "*"], gets: [401, 403, 403, 403, 403, 403, 422, 201, 409]),
    Row(
      "PATCH /api/assignments/{assignmentId}", "/api/assignments/$ASSIGNMENT", body: #"{"notes":"x"}"#, headers: any,
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row(
      "POST /api/assignments/{assignmentId}/end", "/api/assignments/$ASSIGNMENT/end",
      body: #"{"at":"2090-01-01T12:00:00Z"}"#,
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 409]),
    Row(
      "POST /api/assignments/{assignmentId}/cancel", "/api/assignments/$ASSIGNMENT/cancel",
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 409]),
    Row("GET /api/expenses", gets: [401, 403, 200, 200, 200, 200, 200, 200, 200]),
    Row("POST /api/expenses", body: expense, gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "GET /api/expenses/{expenseId}", "/api/expenses/$EXPENSE", gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row(
      "PUT /api/expenses/{expenseId}", "/api/expenses/$NEW", body: expense, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "PATCH /api/expenses/{expenseId}", "/api/expenses/$EXPENSE", body: #"{"notes":"x"}"#, headers: any,
      gets: [401, 403, 403, 404, 403, 200, 404, 200, 200]),
    Row("GET /api/fuel-entries", gets: [401, 403, 200, 200, 200, 200, 200, 200, 200]),
    Row("POST /api/fuel-entries", body: fuel, gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "GET /api/fuel-entries/{fuelEntryId}", "/api/fuel-entries/$FUEL",
      gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row(
      "PUT /api/fuel-entries/{fuelEntryId}", "/api/fuel-entries/$NEW", body: fuel, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "PATCH /api/fuel-entries/{fuelEntryId}", "/api/fuel-entries/$FUEL", body: #"{"notes":"x"}"#, headers: any,
      gets: [401, 403, 403, 404, 403, 200, 404, 200, 200]),
    Row(
      "GET /api/vehicles/{vehicleId}/fuel-economy", "/api/vehicles/VAN-2/fuel-economy",
      gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row("GET /api/journeys", gets: [401, 403, 200, 200, 200, 403, 200, 200, 200]),
    // A driver without a record of a driver cannot declare one.
    Row("POST /api/journeys", body: journey, gets: [401, 403, 403, 403, 403, 403, 422, 201, 201]),
    Row(
      "GET /api/journeys/{journeyId}", "/api/journeys/$JOURNEY",
      gets: [401, 403, 200, 404, 200, 403, 404, 200, 200]),
    Row(
      "PUT /api/journeys/{journeyId}", "/api/journeys/$NEW", body: journey, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 403, 403, 403, 422, 201, 201]),
    Row(
      "PATCH /api/journeys/{journeyId}", "/api/journeys/$JOURNEY", body: #"{"notes":"x"}"#, headers: any,
      gets: [401, 403, 403, 404, 403, 403, 404, 200, 200]),
    // The second one is on the way already.
    Row(
      "POST /api/journeys/{journeyId}/start", "/api/journeys/$JOURNEY/start",
      gets: [401, 403, 403, 404, 403, 403, 404, 200, 409]),
    Row(
      "POST /api/journeys/{journeyId}/pause", "/api/journeys/$JOURNEY/pause",
      gets: [401, 403, 403, 404, 403, 403, 404, 409, 409]),
    Row(
      "POST /api/journeys/{journeyId}/resume", "/api/journeys/$JOURNEY/resume",
      gets: [401, 403, 403, 404, 403, 403, 404, 409, 409]),
    Row(
      "POST /api/journeys/{journeyId}/complete", "/api/journeys/$JOURNEY/complete",
      gets: [401, 403, 403, 404, 403, 403, 404, 409, 409]),
    Row(
      "POST /api/journeys/{journeyId}/cancel", "/api/journeys/$JOURNEY/cancel",
      gets: [401, 403, 403, 404, 403, 403, 404, 200, 409]),
    Row(
      "POST /api/journeys/{journeyId}/incident", "/api/journeys/$JOURNEY/incident",
      gets: [401, 403, 403, 404, 403, 403, 404, 200, 200]),
    Row(
      "POST /api/journeys/{journeyId}/review", "/api/journeys/$JOURNEY/review",
      gets: [401, 403, 403, 404, 403, 403, 404, 200, 200]),
    Row(
      "GET /api/vehicles/{vehicleId}/driver", "/api/vehicles/VAN-2/driver",
      gets: [401, 403, 200, 404, 200, 403, 404, 200, 200]),
    Row(
      "GET /api/vehicles/{vehicleId}/reconciliation", "/api/vehicles/VAN-2/reconciliation",
      gets: [401, 403, 200, 404, 200, 403, 404, 200, 200]),
    Row("GET /api/checklists", gets: [401, 403, 200, 200, 200, 200, 200, 200, 200]),
    Row(
      "POST /api/checklists", body: #"{"name":"$CALLER","text":"x","items":[{"item":"a","text":"A"}]}"#,
      gets: [401, 403, 403, 403, 403, 201, 201, 201, 201]),
    Row(
      "GET /api/checklists/{checklistId}", "/api/checklists/$NEW",
      gets: [401, 403, 404, 403, 404, 404, 404, 404, 404]),
    Row(
      "PUT /api/checklists/{checklistId}", "/api/checklists/$NEW",
      body: #"{"name":"$CALLER","text":"x","items":[{"item":"a","text":"A"}]}"#, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 403, 403, 201, 201, 201, 201]),
    Row(
      "PATCH /api/checklists/{checklistId}", "/api/checklists/$NEW", body: #"{"text":"y"}"#, headers: any,
      gets: [401, 403, 403, 403, 403, 404, 404, 404, 404]),
    Row(
      "GET /api/fuel-entries/{fuelEntryId}/check", "/api/fuel-entries/$FUEL/check",
      gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row("GET /api/inspections", gets: [401, 403, 200, 200, 200, 200, 200, 200, 200]),
    Row("POST /api/inspections", body: inspection, gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "GET /api/inspections/{inspectionId}", "/api/inspections/$INSPECTION",
      gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row(
      "PUT /api/inspections/{inspectionId}", "/api/inspections/$NEW", body: inspection,
      headers: ["If-None-Match": "*"], gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "PATCH /api/inspections/{inspectionId}", "/api/inspections/$INSPECTION", body: #"{"notes":"x"}"#, headers: any,
      gets: [401, 403, 403, 404, 403, 200, 404, 200, 200]),
    // Signed by the first one, the mechanic.
    Row(
      "POST /api/inspections/{inspectionId}/sign", "/api/inspections/$INSPECTION/sign",
      body: #"{"signature":"X"}"#, gets: [401, 403, 403, 404, 403, 200, 404, 409, 409]),
    Row(
      "POST /api/inspections/{inspectionId}/certify", "/api/inspections/$INSPECTION/certify",
      body: #"{"result":"repaired"}"#, gets: [401, 403, 403, 404, 403, 409, 404, 409, 409]),
    Row(
      "POST /api/inspections/{inspectionId}/review", "/api/inspections/$INSPECTION/review",
      gets: [401, 403, 403, 404, 403, 409, 404, 409, 409]),
    Row("GET /api/documents", gets: [401, 403, 200, 200, 200, 200, 200, 200, 200]),
    Row("POST /api/documents", body: document, gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "GET /api/documents/{documentId}", "/api/documents/$DOCUMENT",
      gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row(
      "PUT /api/documents/{documentId}", "/api/documents/$NEW", body: document, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "PATCH /api/documents/{documentId}", "/api/documents/$DOCUMENT", body: #"{"notes":"x"}"#, headers: any,
      gets: [401, 403, 403, 404, 403, 200, 404, 200, 200]),
    Row(
      "DELETE /api/documents/{documentId}", "/api/documents/$DOCUMENT",
      gets: [401, 403, 403, 404, 403, 204, 404, 404, 404]),
    Row(
      "POST /api/imports", "/api/imports?kind=drivers&dryRun=true", body: "name\nDora\n",
      headers: ["Content-Type": "text/csv"], gets: [401, 403, 403, 403, 403, 403, 200, 200, 200]),
    Row("GET /api/rules", gets: [401, 403, 200, 403, 200, 403, 200, 200, 200]),
    Row("POST /api/rules", body: rule, gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row("GET /api/rules/{ruleId}", "/api/rules/$RULE", gets: [401, 403, 200, 403, 200, 403, 404, 200, 200]),
    Row(
      "PUT /api/rules/{ruleId}", "/api/rules/$NEW", body: rule, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row(
      "PATCH /api/rules/{ruleId}", "/api/rules/$RULE", body: #"{"isActive":false}"#, headers: any,
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row("GET /api/notifications", gets: [401, 403, 403, 200, 200, 200, 200, 403, 200]),
    Row("POST /api/notifications/read", gets: [401, 403, 403, 204, 204, 204, 204, 403, 204]),
    // The notification belongs to another person.
    Row(
      "POST /api/notifications/{notificationId}/read", "/api/notifications/$NOTIFICATION/read",
      gets: [401, 403, 403, 404, 404, 404, 404, 403, 404]),
    Row("GET /api/meter-readings", gets: [401, 403, 200, 200, 200, 200, 200, 200, 200]),
    Row("POST /api/meter-readings", body: reading, gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "GET /api/meter-readings/{meterReadingId}", "/api/meter-readings/$READING",
      gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row(
      "PUT /api/meter-readings/{meterReadingId}", "/api/meter-readings/$NEW", body: reading,
      headers: ["If-None-Match": "*"], gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "PATCH /api/meter-readings/{meterReadingId}", "/api/meter-readings/$READING", body: #"{"void":true}"#,
      headers: any, gets: [401, 403, 403, 404, 403, 200, 404, 200, 200]),
    Row("GET /api/service-types", gets: [401, 403, 200, 403, 200, 200, 200, 200, 200]),
    Row(
      "POST /api/service-types", body: #"{"code":"$CALLER","name":"x"}"#,
      gets: [401, 403, 403, 403, 403, 201, 201, 201, 201]),
    Row(
      "GET /api/service-types/{serviceTypeId}", "/api/service-types/$TYPE",
      gets: [401, 403, 200, 403, 200, 200, 404, 200, 200]),
    Row(
      "PUT /api/service-types/{serviceTypeId}", "/api/service-types/$NEW", body: #"{"code":"$CALLER","name":"x"}"#,
      headers: ["If-None-Match": "*"], gets: [401, 403, 403, 403, 403, 201, 201, 201, 201]),
    Row(
      "PATCH /api/service-types/{serviceTypeId}", "/api/service-types/$TYPE", body: #"{"name":"y"}"#, headers: any,
      gets: [401, 403, 403, 403, 403, 200, 404, 200, 200]),
    Row("GET /api/service-schedules", gets: [401, 403, 200, 403, 200, 200, 200, 200, 200]),
    Row("POST /api/service-schedules", body: schedule, gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "GET /api/service-schedules/{serviceScheduleId}", "/api/service-schedules/$SCHEDULE",
      gets: [401, 403, 200, 403, 200, 200, 404, 200, 200]),
    Row(
      "PUT /api/service-schedules/{serviceScheduleId}", "/api/service-schedules/$NEW", body: schedule,
      headers: ["If-None-Match": "*"], gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "PATCH /api/service-schedules/{serviceScheduleId}", "/api/service-schedules/$SCHEDULE", body: #"{"notes":"x"}"#,
      headers: any, gets: [401, 403, 403, 403, 403, 200, 404, 200, 200]),
    Row(
      "POST /api/service-schedules/{serviceScheduleId}/complete", "/api/service-schedules/$SCHEDULE/complete",
      gets: [401, 403, 403, 403, 403, 200, 404, 200, 200]),
    // Nothing is due.
    Row(
      "POST /api/service-schedules/{serviceScheduleId}/snooze", "/api/service-schedules/$SCHEDULE/snooze",
      gets: [401, 403, 403, 403, 403, 409, 404, 409, 409]),
    Row(
      "DELETE /api/service-schedules/{serviceScheduleId}", "/api/service-schedules/$SCHEDULE",
      gets: [401, 403, 403, 403, 403, 204, 404, 404, 404]),
    Row(
      "GET /api/vehicles/{vehicleId}/due", "/api/vehicles/VAN-2/due",
      gets: [401, 403, 200, 403, 200, 200, 404, 200, 200]),
    Row("GET /api/maintenance-records", gets: [401, 403, 200, 403, 200, 200, 200, 200, 200]),
    Row("POST /api/maintenance-records", body: maintenance, gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "GET /api/maintenance-records/{maintenanceRecordId}", "/api/maintenance-records/$RECORD",
      gets: [401, 403, 200, 403, 200, 200, 404, 200, 200]),
    Row(
      "PUT /api/maintenance-records/{maintenanceRecordId}", "/api/maintenance-records/$NEW", body: maintenance,
      headers: ["If-None-Match": "*"], gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "PATCH /api/maintenance-records/{maintenanceRecordId}", "/api/maintenance-records/$RECORD",
      body: #"{"notes":"x"}"#, headers: any, gets: [401, 403, 403, 403, 403, 200, 404, 200, 200]),
    // The second one finds the record started, and so on.
    Row(
      "POST /api/maintenance-records/{maintenanceRecordId}/start", "/api/maintenance-records/$RECORD/start",
      gets: [401, 403, 403, 403, 403, 200, 404, 409, 409]),
    Row(
      "POST /api/maintenance-records/{maintenanceRecordId}/complete", "/api/maintenance-records/$RECORD/complete",
      gets: [401, 403, 403, 403, 403, 409, 404, 409, 409]),
    Row(
      "POST /api/maintenance-records/{maintenanceRecordId}/cancel", "/api/maintenance-records/$RECORD/cancel",
      gets: [401, 403, 403, 403, 403, 200, 404, 409, 409]),
    Row("GET /api/defects", gets: [401, 403, 200, 200, 200, 200, 200, 200, 200]),
    Row("POST /api/defects", body: defect, gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "GET /api/defects/{defectId}", "/api/defects/$DEFECT", gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row(
      "PUT /api/defects/{defectId}", "/api/defects/$NEW", body: defect, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 403, 403, 201, 422, 201, 201]),
    Row(
      "PATCH /api/defects/{defectId}", "/api/defects/$DEFECT", body: #"{"severity":"major"}"#, headers: any,
      gets: [401, 403, 403, 403, 403, 200, 404, 200, 200]),
    Row(
      "POST /api/defects/{defectId}/acknowledge", "/api/defects/$DEFECT/acknowledge",
      gets: [401, 403, 403, 403, 403, 200, 404, 409, 409]),
    Row(
      "POST /api/defects/{defectId}/repair", "/api/defects/$DEFECT/repair",
      gets: [401, 403, 403, 403, 403, 409, 404, 409, 409]),
    Row(
      "POST /api/defects/{defectId}/verify", "/api/defects/$DEFECT/verify",
      gets: [401, 403, 403, 403, 403, 409, 404, 409, 409]),
    Row(
      "POST /api/defects/{defectId}/dismiss", "/api/defects/$DEFECT/dismiss", body: #"{"reason":"none"}"#,
      gets: [401, 403, 403, 403, 403, 200, 404, 409, 409]),
    Row(
      "POST /api/vehicles/{vehicleId}/retire", "/api/vehicles/VAN-2/retire",
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 409]),
    Row(
      "POST /api/vehicles/{vehicleId}/reactivate", "/api/vehicles/VAN-2/reactivate",
      gets: [401, 403, 403, 403, 403, 403, 404, 409, 409]),
    Row(
      "POST /api/vehicles/{vehicleId}/deactivate", "/api/vehicles/VAN-2/deactivate",
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 409]),
    Row(
      "POST /api/vehicles/{vehicleId}/activate", "/api/vehicles/VAN-2/activate",
      gets: [401, 403, 403, 403, 403, 403, 404, 409, 409]),
    Row("GET /api/files", gets: [401, 403, 403, 200, 403, 200, 200, 200, 200]),
    Row("POST /api/files", body: file, gets: [401, 403, 403, 201, 403, 201, 201, 201, 201]),
    Row("GET /api/files/{fileId}", "/api/files/$NEW", gets: [401, 403, 404, 404, 404, 404, 404, 404, 404]),
    Row(
      "PUT /api/files/{fileId}", "/api/files/$NEW", body: file, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 201, 403, 201, 201, 201, 201]),
    Row("DELETE /api/files/{fileId}", "/api/files/$NEW", gets: [401, 403, 403, 404, 403, 404, 404, 404, 404]),
    Row(
      "PATCH /api/files/{fileId}/content", "/api/files/$NEW/content", headers: ["Upload-Offset": "0"],
      gets: [401, 403, 403, 404, 403, 404, 404, 404, 404]),
    Row(
      "GET /api/files/{fileId}/content", "/api/files/$NEW/content",
      gets: [401, 403, 404, 404, 404, 404, 404, 404, 404]),
    Row(
      "POST /api/files/{fileId}/receipt", "/api/files/$NEW/receipt",
      gets: [401, 403, 404, 404, 404, 404, 404, 404, 404]),
    Row("POST /api/files/{fileId}/vin", "/api/files/$NEW/vin", gets: [401, 403, 404, 404, 404, 404, 404, 404, 404]),
    Row(
      "POST /api/files/{fileId}/odometer", "/api/files/$NEW/odometer",
      gets: [401, 403, 404, 404, 404, 404, 404, 404, 404]),
    Row("GET /api/reports", gets: [401, 403, 200, 200, 200, 200, 200, 200, 200]),
    Row("GET /api/reports/{reportId}", "/api/reports/$NEW", gets: [401, 403, 404, 404, 404, 404, 404, 404, 404]),
    Row(
      "POST /api/reports", body: #"{"kind":"trips","from":"2026-05-01","to":"2026-05-31"}"#,
      gets: [401, 403, 403, 403, 403, 201, 201, 201, 201]),
    Row("GET /api/connectors", gets: [401, 403, 403, 403, 403, 403, 200, 200, 200]),
    Row("POST /api/connectors", body: connector, gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row(
      "GET /api/connectors/{connectorId}", "/api/connectors/$CONNECTOR",
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row(
      "PUT /api/connectors/{connectorId}", "/api/connectors/$NEW", body: connector, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row(
      "PATCH /api/connectors/{connectorId}", "/api/connectors/$CONNECTOR", body: #"{"name":"x"}"#, headers: any,
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row(
      "DELETE /api/connectors/{connectorId}", "/api/connectors/$CONNECTOR",
      gets: [401, 403, 403, 403, 403, 403, 404, 204, 404]),
    Row(
      "POST /api/connectors/{connectorId}/pull", "/api/connectors/$CONNECTOR/pull",
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row(
      "POST /api/connectors/{connectorId}/check", "/api/connectors/$CONNECTOR/check",
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row("GET /api/connected-assets", gets: [401, 403, 200, 200, 200, 200, 200, 200, 200]),
    Row(
      "GET /api/connected-assets/{connectedAssetId}", "/api/connected-assets/$ASSET",
      gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row("GET /api/connected-drivers", gets: [401, 403, 200, 200, 200, 200, 200, 200, 200]),
    Row(
      "GET /api/connected-drivers/{connectedDriverId}", "/api/connected-drivers/$CONNECTED_DRIVER",
      gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row("GET /api/duty-periods", gets: [401, 403, 200, 200, 200, 200, 200, 200, 200]),
    Row(
      "GET /api/duty-periods/{dutyPeriodId}", "/api/duty-periods/$DUTY",
      gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row("GET /api/phones", gets: [401, 403, 200, 200, 200, 403, 200, 200, 200]),
    Row("POST /api/phones", body: phone, gets: [401, 403, 403, 403, 403, 403, 422, 201, 201]),
    Row("GET /api/phones/{phoneId}", "/api/phones/$PHONE", gets: [401, 403, 200, 404, 200, 403, 404, 200, 200]),
    Row(
      "PUT /api/phones/{phoneId}", "/api/phones/$NEW", body: phone, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 403, 403, 403, 422, 201, 201]),
    Row(
      "PATCH /api/phones/{phoneId}", "/api/phones/$PHONE", body: #"{"name":"x"}"#, headers: any,
      gets: [401, 403, 403, 404, 403, 403, 404, 200, 200]),
    Row("DELETE /api/phones/{phoneId}", "/api/phones/$PHONE", gets: [401, 403, 403, 404, 403, 403, 404, 204, 404]),
    Row(
      "POST /api/phones/{phoneId}/rotate", "/api/phones/$PHONE/rotate",
      gets: [401, 403, 403, 404, 403, 403, 404, 200, 200]),
    Row("GET /api/forwards", gets: [401, 403, 403, 403, 403, 403, 200, 200, 200]),
    Row("POST /api/forwards", body: forward, gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row(
      "GET /api/forwards/{forwardId}", "/api/forwards/$FORWARD", gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row(
      "PUT /api/forwards/{forwardId}", "/api/forwards/$NEW", body: forward, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row(
      "PATCH /api/forwards/{forwardId}", "/api/forwards/$FORWARD",
      body: #"{"name":"x","address":"https://influx.example/write"}"#, headers: any,
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row(
      "DELETE /api/forwards/{forwardId}", "/api/forwards/$FORWARD",
      gets: [401, 403, 403, 403, 403, 403, 404, 204, 404]),
    Row("GET /api/webhooks", gets: [401, 403, 403, 403, 403, 403, 200, 200, 200]),
    Row("POST /api/webhooks", body: webhook, gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row(
      "GET /api/webhooks/{webhookId}", "/api/webhooks/$WEBHOOK", gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row(
      "PUT /api/webhooks/{webhookId}", "/api/webhooks/$NEW", body: webhook, headers: ["If-None-Match": "*"],
      gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row(
      "PATCH /api/webhooks/{webhookId}", "/api/webhooks/$WEBHOOK", body: #"{"description":"x"}"#, headers: any,
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row(
      "POST /api/webhooks/{webhookId}/rotate", "/api/webhooks/$WEBHOOK/rotate",
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row(
      "POST /api/webhooks/{webhookId}/test", "/api/webhooks/$WEBHOOK/test",
      gets: [401, 403, 403, 403, 403, 403, 404, 202, 202]),
    Row(
      "GET /api/webhooks/{webhookId}/deliveries", "/api/webhooks/$WEBHOOK/deliveries",
      gets: [401, 403, 403, 403, 403, 403, 404, 200, 200]),
    Row(
      "POST /api/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
      "/api/webhooks/$WEBHOOK/deliveries/$DELIVERY/redeliver",
      gets: [401, 403, 403, 403, 403, 403, 404, 202, 409]),
    Row(
      "DELETE /api/webhooks/{webhookId}", "/api/webhooks/$WEBHOOK",
      gets: [401, 403, 403, 403, 403, 403, 404, 204, 404]),
    Row("GET /api/push-key", gets: [401, 403, 403, 200, 200, 200, 200, 403, 200]),
    Row("GET /api/push-subscriptions", gets: [401, 403, 403, 200, 200, 200, 200, 403, 200]),
    Row("POST /api/push-subscriptions", body: push, gets: [401, 403, 403, 201, 201, 201, 201, 403, 201]),
    // The subscription belongs to another person.
    Row(
      "DELETE /api/push-subscriptions/{subscriptionId}", "/api/push-subscriptions/$SUBSCRIPTION",
      gets: [401, 403, 403, 404, 404, 404, 404, 403, 404]),
    // Other programs have the secret of a signature.
    Row(
      "POST /api/connector-events/{tenant}/{connectorId}", "/api/connector-events/default/$CONNECTOR", body: "{}",
      gets: [401, 401, 401, 401, 401, 401, 401, 401, 401]),
    // Apps have the key of a phone, and nothing else counts.
    Row(
      "POST /api/phone-reports/{format}", "/api/phone-reports/owntracks", body: "{}",
      gets: [401, 401, 401, 401, 401, 401, 401, 401, 401]),
    Row(
      "GET /api/phone-reports/{format}", "/api/phone-reports/osmand?id=x&lat=1&lon=2&cell=1&cell=2",
      gets: [400, 400, 400, 400, 400, 400, 400, 400, 400]),
    Row(
      "PATCH /api/reports/{reportId}", "/api/reports/$NEW", body: #"{"schedule":null}"#, headers: any,
      gets: [401, 403, 403, 403, 403, 404, 404, 404, 404]),
    Row("GET /api/settings", gets: [401, 403, 200, 403, 200, 403, 200, 200, 200]),
    Row(
      "PATCH /api/settings", body: #"{"timeZone":"Europe/Vienna"}"#, headers: any,
      gets: [401, 403, 403, 403, 403, 403, 200, 200, 200]),
    Row("GET /api/identities", gets: [401, 403, 403, 200, 200, 200, 200, 403, 200]),
    Row(
      "DELETE /api/identities/{identityId}", "/api/identities/$NEW",
      gets: [401, 403, 403, 404, 404, 404, 404, 403, 404]),
    // There is no provider.
    Row(
      "POST /api/auth/oidc/{providerId}/link", "/api/auth/oidc/x/link", body: "{}",
      gets: [401, 403, 403, 404, 404, 404, 404, 403, 404]),
    Row("GET /api/auth/oidc", gets: [200, 200, 200, 200, 200, 200, 200, 200, 200]),
    Row(
      "GET /api/auth/oidc/{providerId}", "/api/auth/oidc/x", gets: [404, 404, 404, 404, 404, 404, 404, 404, 404]),
    Row(
      "GET /api/auth/oidc/{providerId}/callback", "/api/auth/oidc/x/callback?code=a&state=b",
      gets: [404, 404, 404, 404, 404, 404, 404, 404, 404]),
    Row(
      "POST /api/auth/oidc/{providerId}/logout", "/api/auth/oidc/x/logout", body: "{}",
      gets: [404, 404, 404, 404, 404, 404, 404, 404, 404]),
    // Open to all callers: the body decides.
    Row(
      "POST /api/auth/login", body: #"{"email":"x@y.example","password":"z"}"#,
      gets: [401, 401, 401, 401, 401, 401, 401, 401, 401]),
    Row(
      "POST /api/auth/factor", body: #"{"ticket":"x","code":"1"}"#, gets: [401, 401, 401, 401, 401, 401, 401, 401, 401]),
    Row(
      "POST /api/auth/factor/code", body: #"{"ticket":"x"}"#, gets: [401, 401, 401, 401, 401, 401, 401, 401, 401]),
    Row(
      "POST /api/auth/token", body: #"{"grant":"refresh","refreshToken":"x"}"#,
      gets: [401, 401, 401, 401, 401, 401, 401, 401, 401]),
    Row(
      "POST /api/auth/recover", body: #"{"email":"x@y.example"}"#, gets: [202, 202, 202, 202, 202, 202, 202, 202, 202]),
    Row("POST /api/auth/passkeys/assertion", body: "{}", gets: [200, 200, 200, 200, 200, 200, 200, 200, 200]),
    Row(
      "POST /api/auth/passkeys/login",
      body:
        #"{"credential":{"rawId":"AA","response":{"clientDataJSON":"AA","authenticatorData":"AA","signature":"AA"}}}"#,
      gets: [401, 401, 401, 401, 401, 401, 401, 401, 401]),
    Row(
      "POST /api/auth/setup", body: #"{"token":"x","password":"y"}"#,
      gets: [401, 401, 401, 401, 401, 401, 401, 401, 401]),
    Row(
      "POST /api/auth/reset", body: #"{"token":"x","password":"y"}"#,
      gets: [401, 401, 401, 401, 401, 401, 401, 401, 401]),
    Row(
      "GET /api/vehicles/{vehicleId}/meters", "/api/vehicles/VAN-2/meters",
      gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
  ]

  /// Routes that are older than accounts, with the results for people of each role.
  static let older: [Row] = [
    Row("GET /api/vehicles/{vehicleId}", "/api/vehicles/VAN-2", gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row("POST /api/vehicles", body: #"{"id":"NEW-$CALLER"}"#, gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row("DELETE /api/vehicles/{vehicleId}", "/api/vehicles/NONE", gets: [401, 403, 403, 403, 403, 403, 404, 404, 404]),
    Row(
      "GET /api/vehicles/{vehicleId}/latest", "/api/vehicles/VAN-2/latest",
      gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row("GET /api/positions", gets: [401, 403, 200, 200, 200, 200, 200, 200, 200]),
    Row(
      "GET /api/vehicles/{vehicleId}/days", "/api/vehicles/VAN-2/days",
      gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row(
      "GET /api/vehicles/{vehicleId}/costs", "/api/vehicles/VAN-2/costs",
      gets: [401, 403, 200, 403, 403, 200, 404, 200, 200]),
    Row(
      "GET /api/vehicles/{vehicleId}/track", "/api/vehicles/VAN-2/track",
      gets: [401, 403, 200, 404, 200, 200, 404, 200, 200]),
    Row("GET /api/trips", gets: [401, 403, 200, 200, 200, 200, 200, 200, 200]),
    Row("GET /api/geofences", gets: [401, 200, 200, 403, 200, 200, 200, 200, 200]),
    Row("DELETE /api/geofences", gets: [401, 403, 403, 403, 403, 403, 204, 204, 204]),
    Row("GET /api/gateways", gets: [401, 403, 200, 403, 200, 403, 200, 200, 200]),
    Row("POST /api/gateways", body: #"{"id":"gw-$CALLER"}"#, gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row(
      "GET /api/gateways/{gatewayId}/records", "/api/gateways/gw-2/records",
      gets: [401, 403, 200, 403, 200, 403, 404, 200, 200]),
    Row("GET /api/tokens", gets: [401, 403, 403, 403, 403, 403, 200, 200, 200]),
    Row("POST /api/tokens", body: #"{"role":"admin"}"#, gets: [401, 403, 403, 403, 403, 403, 201, 201, 201]),
    Row("GET /api/metrics", gets: [401, 403, 200, 403, 200, 403, 200, 200, 200]),
  ]
}
