export { type ApplyEvent, type ApplyOptions, applyLimits, applyManifests } from './apply-manifests.ts';
export { imageDigestAnnotation, renderManifests } from './render-manifests.ts';
export {
  type ExtraArgs,
  type ManifestPart,
  manifestParts,
  type NodeDirectories,
  type RenderOptions,
} from './render-options.ts';
export { type AuditedCall, auditedCall } from './rights/audited-call.ts';
export { deniedCalls, unusedRights } from './rights/compare-rights.ts';
export { grantedRights, type Right } from './rights/granted-rights.ts';
