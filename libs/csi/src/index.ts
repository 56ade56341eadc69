export type { CallContext, Unary } from './call-context.ts';
export { type CallOptions, connectUnix, type ServiceClient } from './client.ts';
export * as csi from './generated/csi.ts';
export { type RegistrationServer, RegistrationService } from './generated/registration.ts';
export { InFlight, type InFlightKey } from './in-flight.ts';
export { type RegistrationInfo, registrationHandlers } from './registration.ts';
export { makeService, type Service, type ServiceHandlers, type ServiceOptions } from './service.ts';
export { socketPathOf } from './unix-endpoint.ts';
export { serveUnix, type UnixServer } from './unix-server.ts';
