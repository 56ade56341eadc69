export { renderManifests } from './render-manifests.ts';
export { type AuditedCall, auditedCall } from './rights/audited-call.ts';
export { deniedCalls, unusedRights } from './rights/compare-rights.ts';
export { grantedRights, type Right } from './rights/granted-rights.ts';
