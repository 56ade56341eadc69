export {
  type ApplyChange,
  type ApplyEvent,
  type ApplyOptions,
  applyManifests,
  waitForRollouts,
} from './apply/apply-manifests.ts';
export { inApplyOrder, titleOf, typeOf } from './apply/manifest-kinds.ts';
export { checkoutCommit } from './read/checkout-commit.ts';
export { loadManifests, type Manifests } from './read/load-manifests.ts';
export { bringsPlugins, type PluginImage, pluginContainer, pluginOf, pluginsOf } from './render/plugins.ts';
export { isWorkload } from './render/pod-template.ts';
export { imageDigestAnnotation, renderManifests, usualImage, usualStorageImage } from './render/render-manifests.ts';
export {
  type ContainerResources,
  type ExtraArgs,
  everyPart,
  type ManifestPart,
  manifestParts,
  type NodeDirectories,
  optionalParts,
  type RenderOptions,
} from './render/render-options.ts';
