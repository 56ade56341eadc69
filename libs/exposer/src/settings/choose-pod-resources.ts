import type { PersistentVolumeClaim, ResourceRequirements } from '@lateen/api-types';
import type { ExposureSettings } from './exposure-settings.ts';
import { asksForSomething, readPodResources } from './pod-resources.ts';

/** On a workload's claim: a `podResources` block for the hosting pods that move this volume, as JSON. */
export const podResourcesAnnotation = 'lateen.dev/pod-resources';

export interface ChosenPodResources {
  /** Absent means best effort. */
  resources: ResourceRequirements | undefined;
  /** What was found and does not count, and why; for the log. */
  remark?: string;
}

/**
 * The resources of the hosting pod for one volume; the most specific wins, whole: the claim's annotation, its storage
 * class, the installation's. An annotation that makes no sense is passed over: it may delay nobody's backup.
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
  const resources = saying(reading.resources);
  if (reading.unknownKeys.length === 0) return { resources };
  return { resources, remark: `${where} has unknown keys: ${reading.unknownKeys.join(', ')}` };
}

function saying(resources: ResourceRequirements | undefined): ResourceRequirements | undefined {
  return resources !== undefined && asksForSomething(resources) ? resources : undefined;
}

/** What is not JSON is given on as the text that it is, for the reading to complain of. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
