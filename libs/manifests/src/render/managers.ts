import type { Unstructured } from '@lateen/kube';
import { withTemplate } from './pod-template.ts';
import type { RenderOptions } from './render-options.ts';

/** Of managers of replicated volumes, in deploy/base/volume-manager; the node's part of the CSI driver runs beside it. */
const container = 'manager';

/** With `privilegedManagers` the container of the managers is privileged, and root: who mounts has to be both. */
export function forManagers(object: Unstructured, { privilegedManagers = false }: RenderOptions): Unstructured {
  if (!privilegedManagers || object.kind !== 'DaemonSet') return object;
  return withTemplate(object, ({ spec }) => {
    for (const each of spec.containers)
      if (each.name === container) each.securityContext = { privileged: true, runAsUser: 0 };
  });
}
