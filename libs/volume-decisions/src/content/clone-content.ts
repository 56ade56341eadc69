import { cloneSnapshotName, dataSourceOf } from '../clone/data-source.ts';
import type { ContentKind } from './content-kind.ts';

/** A clone: `spec.dataSource` is a volume or a snapshot of one. While it is pending, `decideClone` decides, because it reads both volumes. */
export const cloneContent: ContentKind = {
  name: 'clone',
  isAsked: ({ dataSource = '' }) => dataSource !== '',
  ticket: 'volume-clone-controller',
  stateOf: ({ status: { cloneStatus: { state = '' } = {} } = {} }) => {
    if (state === '') return 'unmarked';
    if (state === 'failed') return 'failed';
    return state === 'completed' ? 'there' : 'pending';
  },
  because: ({ spec, status }) => {
    const from = `its content is being copied from ${spec.dataSource}`;
    const { reason, message = '' } = status?.conditions?.find(({ type }) => type === 'Restore') ?? {};
    if (status?.cloneStatus?.state === 'failed') return `the clone of ${spec.dataSource} has failed: ${message}`;
    return reason === 'CloneRetried' ? `${from}; ${message}` : from;
  },
  mark: (seen, { isFresh }) => {
    const { volume, engine } = seen;
    // The copy is requested from the engine until it is complete. A copy that was begun continues with the same snapshot, or not at all.
    const wasBegun = !isFresh && (engine?.spec.requestedDataSource ?? '') !== '';
    const from = dataSourceOf(volume);
    const snapshot = from?.snapshot ?? cloneSnapshotName(volume);
    const state = isFresh || wasBegun ? 'initiated' : 'completed';
    return { cloneStatus: { sourceVolume: from?.volume ?? '', snapshot, state, attemptCount: wasBegun ? 1 : 0 } };
  },
  engineSpec: ({ volume: { spec } }) => ({ requestedDataSource: spec.dataSource ?? '' }),
  next: ({ volume }) => ({ waitsFor: cloneContent.because(volume) }),
};
