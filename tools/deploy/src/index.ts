export { type ApplyEvent, type ApplyOptions, applyLimits, applyManifests } from './apply-manifests.ts';
export { imageDigestAnnotation, renderManifests } from './render-manifests.ts';
export {
  type ExtraArgs,
  type ManifestPart,
  manifestParts,
  type NodeDirectories,
  type RenderOptions,
} from './render-options.ts';
