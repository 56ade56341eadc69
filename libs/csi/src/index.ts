export * as csi from './generated/csi.ts';
export { type RegistrationServer, RegistrationService } from './generated/registration.ts';
export { type RegistrationInfo, registrationHandlers } from './registration.ts';
