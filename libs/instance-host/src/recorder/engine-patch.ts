import { apiTime, type JsonPatchOperation } from '@lateen/kube';
import { type Engine, generationOf, storageAnnotations } from '@lateen/storage-types';

/** Which Engine, and which of its starts, may still record anything. */
export interface EngineRun {
  readonly namespace: string;
  /** Name of the Engine object. */
  readonly engine: string;
  readonly uid: string;
  readonly generation: number;
}

/** True while no other start of the engine has begun. */
export const isStillRun = (engine: Engine, run: EngineRun): boolean =>
  engine.metadata.uid === run.uid && generationOf(engine) === run.generation;

/**
 * The patch of an Engine's status that records a failure, or is refused when another start has begun: the API server checks and
 * writes in one step. With what was read, also where the status has no map yet; then it is refused when anything has
 * changed since.
 */
export function failurePatch(
  { uid, generation }: EngineRun,
  { replica, atMs }: { replica: string; atMs: number },
  read?: Engine,
): readonly JsonPatchOperation[] {
  const name = pointerPart(replica);
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: `/metadata/annotations/${pointerPart(storageAnnotations.generation)}`, value: `${generation}` },
    ...(read === undefined ? [] : missingParents(read)),
    { op: 'add', path: `/status/replicaModeMap/${name}`, value: 'ERR' },
    { op: 'add', path: `/status/replicaTransitionTimeMap/${name}`, value: apiTime(atMs) },
  ];
}

function missingParents({ metadata, status }: Engine): readonly JsonPatchOperation[] {
  const { resourceVersion } = metadata;
  const missing: JsonPatchOperation[] = [];
  if (status === undefined) missing.push({ op: 'add', path: '/status', value: {} });
  for (const map of ['replicaModeMap', 'replicaTransitionTimeMap'] as const)
    if (status?.[map] === undefined || status[map] === null)
      missing.push({ op: 'add', path: `/status/${map}`, value: {} });
  // An `add` replaces what somebody else may have put there meanwhile.
  return missing.length === 0
    ? []
    : [{ op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }, ...missing];
}

const pointerPart = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1');
