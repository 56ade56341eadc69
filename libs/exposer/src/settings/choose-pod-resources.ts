import type { PersistentVolumeClaim, ResourceRequirements } from '@lateen/api-types';
import { asksForSomething, readPodResources } from '@lateen/kube';
import type { ExposureSettings } from './exposure-settings.ts';
import { boundPodResources } from './pod-resources-max.ts';

/** On a workload's claim: a `podResources` block for the hosting pods that move this volume, as JSON. */
export const podResourcesAnnotation = 'lateen.dev/pod-resources';

export interface ChosenPodResources {
  /** Absent means best effort. */
  resources: ResourceRequirements | undefined;
  /** A setting that was ignored, and why; for the log and an Event. */
  remark?: string;
}

/**
 * The resources of the hosting pod for one volume. The most specific setting wins as a whole: the claim's annotation, its storage
 * class, the installation's. An invalid annotation is ignored, and one that asks for too much (`podResourcesMax`) is reduced: a
 * user who may write to a claim must not be able to delay a backup or to take the nodes from others.
 */
export function podResourcesFor(
  settings: ExposureSettings,
  claim: PersistentVolumeClaim | undefined,
  storageClass: string | undefined,
): ChosenPodResources {
  const byClass = settings.podResourcesPerStorageClass ?? {};
  const general =
    storageClass !== undefined && Object.hasOwn(byClass, storageClass) ? byClass[storageClass] : settings.podResources;
  const annotation = claim?.metadata.annotations?.[podResourcesAnnotation];
  if (annotation === undefined) return { resources: saying(general) };
  const reading = readPodResources(parse(annotation));
  const where = `annotation ${podResourcesAnnotation} of PersistentVolumeClaim ${claim?.metadata.namespace}/${claim?.metadata.name}`;
  if ('problem' in reading) return { resources: saying(general), remark: `${where} is ignored: ${reading.problem}` };
  const bounded = boundPodResources(reading.resources, { max: settings.podResourcesMax, own: general });
  const remarks = [
    ...(bounded.changes.length === 0
      ? []
      : [`asks for more than podResourcesMax of the node-agent configuration allows: ${bounded.changes.join(', ')}`]),
    ...(reading.unknownKeys.length === 0 ? [] : [`has unknown keys: ${reading.unknownKeys.join(', ')}`]),
  ];
  const resources = saying(bounded.resources);
  return remarks.length === 0 ? { resources } : { resources, remark: `${where} ${remarks.join('; it ')}` };
}

function saying(resources: ResourceRequirements | undefined): ResourceRequirements | undefined {
  return resources !== undefined && asksForSomething(resources) ? resources : undefined;
}

/** Text that is not JSON is passed on unchanged, so that the parser reports it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
