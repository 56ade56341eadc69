import { movementLimits } from '@lateen/data-movement';
import { noFaults, type SimulationPlan } from './plan.ts';

/** A plan of that many DataUploads, created at once for one node, without faults. */
export const queuePlan = (uploads: number, slots = 2): SimulationPlan => ({
  seed: uploads,
  nodes: ['node-1'],
  slots,
  prepareQueueLength: 0,
  exposuresMax: movementLimits.exposuresMax,
  waitForFirstConsumer: false,
  retain: false,
  movements: Array.from({ length: uploads }, (_, index) => ({
    kind: 'DataUpload' as const,
    name: `upload-${String(index).padStart(4, '0')}`,
    createdAtMs: 0,
    block: false,
    fates: ['complete' as const],
    movesMs: 100,
  })),
  chaos: [],
  calls: noFaults,
  reactionMsMax: 1_000,
  calmAtMs: 0,
});
