import type { EngineOf, InstanceHost } from '@lateen/block-engine';
import type { LiveEngine } from '../engine/live-engine.ts';
import { addReplica } from '../rebuild/add-replica.ts';
import { deleteSnapshot } from './delete-snapshot.ts';
import { dropReplica } from './drop-replica.ts';
import { growEngine } from './grow-engine.ts';
import { purgeEngine } from './purge-engine.ts';
import { revertEngine } from './revert-engine.ts';
import { takeSnapshot } from './take-snapshot.ts';

export type EngineOperations = Pick<
  InstanceHost,
  | 'engineSnapshot'
  | 'engineAddReplica'
  | 'engineDropReplica'
  | 'engineGrow'
  | 'engineRevert'
  | 'engineSnapshotDelete'
  | 'enginePurge'
>;

/** The operations of a running engine. `engineOf` refuses a request for another one. */
export const engineOperations = (engineOf: (request: EngineOf) => LiveEngine): EngineOperations => ({
  engineSnapshot: async (request, { signal }) => takeSnapshot(engineOf(request), request, signal),
  engineAddReplica: async function* (request, { signal }) {
    yield* addReplica(engineOf(request), request, signal);
  },
  engineDropReplica: async (request, { signal }) => dropReplica(engineOf(request), request, signal),
  engineGrow: async (request, { signal }) => growEngine(engineOf(request), request.sizeBytes, signal),
  engineRevert: async (request, { signal }) => revertEngine(engineOf(request), request.snapshot, signal),
  engineSnapshotDelete: async (request, { signal }) => deleteSnapshot(engineOf(request), request.snapshot, signal),
  enginePurge: async function* (request, { signal }) {
    yield* purgeEngine(engineOf(request), signal);
  },
});
