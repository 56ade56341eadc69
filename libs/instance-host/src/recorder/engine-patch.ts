import { apiTime, type JsonPatchOperation } from '@lateen/kube';
import { type Engine, generationOf, type ReplicaMode, storageAnnotations } from '@lateen/storage-types';

/** Which Engine and which of its starts may still record something. */
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
 * The patch of an Engine's status that records a failure; the API server refuses it when another start has begun, because it checks and writes in one
 * step. If the status has no map yet, the patch tests the version that was read, and is refused after any change.
 */
export function failurePatch(
  { uid, generation }: EngineRun,
  { replica, atMs }: { replica: string; atMs: number },
  read?: Engine,
): readonly JsonPatchOperation[] {
  return [
    ...stillRun(uid, generation),
    ...(read === undefined ? [] : missingParents(read)),
    ...modeSince(replica, 'ERR', atMs),
  ];
}

/** A step of a rebuild in the Engine's modes: written to from now on, or healthy. */
export interface RebuildMode {
  /** Name of the Replica object. */
  readonly replica: string;
  readonly from: 'WO' | undefined;
  readonly to: 'WO' | 'RW';
  readonly atMs: number;
}

/**
 * The patch of a step of a rebuild. It is refused when the Engine has changed in any way since it was read: a late patch never takes effect after the
 * record of a failure, nor in a later rebuild of the same replica.
 */
export function rebuildPatch(
  { uid, generation }: EngineRun,
  { replica, from, to, atMs }: RebuildMode,
  read: Engine,
): readonly JsonPatchOperation[] {
  const { resourceVersion } = read.metadata;
  const path = `/status/replicaModeMap/${pointerPart(replica)}`;
  return [
    ...stillRun(uid, generation),
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    ...(from === undefined ? missingParents(read) : [{ op: 'test', path, value: from } as const]),
    ...modeSince(replica, to, atMs),
  ];
}

const stillRun = (uid: string, generation: number): readonly JsonPatchOperation[] => [
  { op: 'test', path: '/metadata/uid', value: uid },
  { op: 'test', path: `/metadata/annotations/${pointerPart(storageAnnotations.generation)}`, value: `${generation}` },
];

const modeSince = (replica: string, mode: ReplicaMode, atMs: number): readonly JsonPatchOperation[] => [
  { op: 'add', path: `/status/replicaModeMap/${pointerPart(replica)}`, value: mode },
  { op: 'add', path: `/status/replicaTransitionTimeMap/${pointerPart(replica)}`, value: apiTime(atMs) },
];

function missingParents({ metadata, status }: Engine): readonly JsonPatchOperation[] {
  const { resourceVersion } = metadata;
  const missing: JsonPatchOperation[] = [];
  if (status === undefined) missing.push({ op: 'add', path: '/status', value: {} });
  for (const map of ['replicaModeMap', 'replicaTransitionTimeMap'] as const)
    if (status?.[map] === undefined || status[map] === null)
      missing.push({ op: 'add', path: `/status/${map}`, value: {} });
  // An `add` would overwrite a value that was written meanwhile.
  return missing.length === 0
    ? []
    : [{ op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }, ...missing];
}

const pointerPart = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1');
