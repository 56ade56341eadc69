import type { Unstructured } from '@lateen/kube';
import type { Manifests } from '../read/load-manifests.ts';
import { forManagers } from './managers.ts';
import { mapStrings } from './map-strings.ts';
import { perNode } from './per-node.ts';
import { withPlugins } from './plugins.ts';
import { withPodSettings } from './pod-settings.ts';
import { withTemplate } from './pod-template.ts';
import { forPodVolumes, podVolumeArgs } from './pod-volumes.ts';
import { everyPart, type ManifestPart, manifestParts, optionalParts, type RenderOptions } from './render-options.ts';
import { forSnapshotMetadata } from './snapshot-metadata.ts';

/** What deploy/base says, and what a cluster may replace. */
const base = {
  image: 'localhost/lateen:dev',
  sidecarImage: 'localhost/lateen-sidecars:dev',
  storageImage: 'localhost/lateen-storage:dev',
  namespace: 'velero',
  logLevelArgument: '--log-level=info',
} as const;

/** The build of a release puts the names of its images here (tools/image: release.ts); in a checkout it is not there. */
declare const LATEEN_RELEASE: { image: string; sidecarImage: string; storageImage: string } | undefined;

/** The default images: those of the release that this program is of, or of a local build. */
const usual = typeof LATEEN_RELEASE === 'undefined' ? base : LATEEN_RELEASE;
export const usualImage: string = usual.image;
export const usualStorageImage: string = usual.storageImage;
/** How the volume manager is told the image of the pods that it makes. */
const storageImageArgument = '--instance-manager-image=';

/** Changed whenever the image is, and nothing else: see RenderOptions.imageDigest. */
export const imageDigestAnnotation = 'lateen.dev/image-digest';

/** The objects of deploy/ for one cluster, with the given substitutions. Pure: the same options give the same objects. */
export function renderManifests(manifests: Manifests, options: RenderOptions = {}): Unstructured[] {
  const wanted: readonly ManifestPart[] = options.parts ?? manifestParts;
  const parts = everyPart.filter((part) => wanted.includes(part));
  const objects = parts.flatMap((part) => {
    const wantedObjects = manifests[part].flatMap((object) => forSnapshotMetadata(object, options) ?? []);
    const substituted = wantedObjects.map((object) =>
      substitute(withPlugins(forManagers(forPodVolumes(object, options), options), options), options),
    );
    if (partsOfCluster.has(part)) return substituted;
    const moved = substituted.map((object) => inNamespace(object, options.namespace ?? base.namespace));
    return withPodSettings(moved, options);
  });
  return perNode(objects, options.nodes ?? []);
}

/** These are there once in a cluster, whatever namespace controller and node-agent are in. */
const partsOfCluster: ReadonlySet<ManifestPart> = new Set(['crds', 'snapshot-metadata', 'csi', ...optionalParts]);

function substitute(object: Unstructured, options: RenderOptions): Unstructured {
  const worded = mapStrings(object, (text, key) => {
    if (key === 'image' && text === base.image) return options.image ?? usual.image;
    if (key === 'image' && text === base.sidecarImage) return options.sidecarImage ?? usual.sidecarImage;
    if (text === `${storageImageArgument}${base.storageImage}`)
      return `${storageImageArgument}${options.storageImage ?? usual.storageImage}`;
    if (text === base.logLevelArgument) return `--log-level=${options.logLevel ?? 'info'}`;
    return text;
  });
  return withTemplate(worded, (template) => {
    if (options.csiResizer === false)
      template.spec.containers = template.spec.containers.filter(({ name }) => name !== 'csi-resizer');
    for (const container of template.spec.containers) {
      const extra = [...(podVolumeArgs(options)[container.name] ?? []), ...(options.extraArgs?.[container.name] ?? [])];
      if (extra.length > 0) container.args = [...(container.args ?? []), ...extra];
    }
    if (options.imageDigest !== undefined)
      template.metadata.annotations = {
        ...template.metadata.annotations,
        [imageDigestAnnotation]: options.imageDigest,
      };
  });
}

/** Two installations in one cluster share the cluster-wide names, so those carry the namespace when it is not the usual. */
function inNamespace(object: Unstructured, namespace: string): Unstructured {
  if (namespace === base.namespace) return object;
  const moved = mapStrings(object, (text, key) => (key === 'namespace' && text === base.namespace ? namespace : text));
  const { kind, metadata } = moved;
  if (kind === 'Namespace' && metadata.name === base.namespace) return withName(moved, namespace);
  if (!clusterScopedPerInstallation(moved)) return moved;
  const renamed = withName(moved, `${metadata.name}-${namespace}`);
  return mapStrings(renamed, (text, key) => (key === 'name' && text === metadata.name ? `${text}-${namespace}` : text));
}

const clusterScopedPerInstallation = ({ kind }: Unstructured): boolean =>
  kind === 'ClusterRole' || kind === 'ClusterRoleBinding';

const withName = (object: Unstructured, name: string): Unstructured => ({
  ...object,
  metadata: { ...object.metadata, name },
});
