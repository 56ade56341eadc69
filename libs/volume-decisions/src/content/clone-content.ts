import type { ContentKind } from './content-kind.ts';

/** A clone: `spec.dataSource` is a volume or a snapshot of one. */
export const cloneContent: ContentKind = {
  name: 'clone',
  isAsked: ({ dataSource = '' }) => dataSource !== '',
  refusal:
    'clones of volumes and snapshots are not supported by this volume manager: make an empty volume and copy the data, or restore a backup of Lateen',
  ticket: 'volume-clone-controller',
  stateOf: ({ status: { cloneStatus: { state = '' } = {} } = {} }) => {
    if (state === '') return 'unmarked';
    return state === 'completed' ? 'there' : 'pending';
  },
  because: ({ spec }) => `its content is being copied from ${spec.dataSource}`,
  mark: (_, { isFresh }) => ({ cloneStatus: { state: isFresh ? 'initiated' : 'completed' } }),
  engineSpec: () => ({}),
  next: () => undefined,
};
