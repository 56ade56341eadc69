import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Unstructured } from '@lateen/kube';
import { loadKustomization, loadManifestDirectory } from './manifest-files.ts';
import { mapStrings } from './map-strings.ts';
import { perNode } from './per-node.ts';
import { withTemplate } from './pod-template.ts';
import { manifestParts, type RenderOptions } from './render-options.ts';

const checkoutDeployDir = fileURLToPath(new URL('../../../deploy', import.meta.url));

/** What deploy/base says, and what a cluster may replace. */
const base = {
  image: 'localhost/lateen:dev',
  sidecarImage: 'localhost/lateen-sidecars:dev',
  namespace: 'velero',
  logLevelArgument: '--log-level=info',
} as const;

/** Changed whenever the image is, and nothing else: see RenderOptions.imageDigest. */
export const imageDigestAnnotation = 'lateen.dev/image-digest';

/**
 * The objects of deploy/ for one cluster: read from deploy/base and deploy/crds, with the given substitutions. Reads
 * files only. The same options give the same objects. @throws DEPLOY_MANIFEST_INVALID
 */
export async function renderManifests(options: RenderOptions = {}): Promise<Unstructured[]> {
  const deployDir = options.deployDir ?? checkoutDeployDir;
  const loaded: Unstructured[] = [];
  for (const part of manifestParts.filter((it) => (options.parts ?? manifestParts).includes(it))) {
    const dir = part === 'crds' ? join(deployDir, 'crds') : join(deployDir, 'base', part);
    loaded.push(...(part === 'crds' ? await loadManifestDirectory(dir) : await loadKustomization(dir)));
  }
  return perNode(
    loaded.map((object) => substitute(object, options)),
    options.nodes ?? [],
  );
}

function substitute(object: Unstructured, options: RenderOptions): Unstructured {
  const named = inNamespace(object, options.namespace ?? base.namespace);
  const worded = mapStrings(named, (text, key) => {
    if (key === 'image' && text === base.image) return options.image ?? text;
    if (key === 'image' && text === base.sidecarImage) return options.sidecarImage ?? text;
    if (text === base.logLevelArgument) return `--log-level=${options.logLevel ?? 'info'}`;
    return text;
  });
  return withTemplate(worded, (template) => {
    if (options.csiResizer === false)
      template.spec.containers = template.spec.containers.filter(({ name }) => name !== 'csi-resizer');
    for (const container of template.spec.containers) {
      const extra = options.extraArgs?.[container.name];
      if (extra !== undefined) container.args = [...(container.args ?? []), ...extra];
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

function clusterScopedPerInstallation({ kind, metadata }: Unstructured): boolean {
  return (kind === 'ClusterRole' || kind === 'ClusterRoleBinding') && metadata.name !== 'lateen-csi';
}

const withName = (object: Unstructured, name: string): Unstructured => ({
  ...object,
  metadata: { ...object.metadata, name },
});
