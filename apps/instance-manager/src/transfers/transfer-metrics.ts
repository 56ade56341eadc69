import type { Instance } from '@lateen/block-engine';
import { Gauge, type Registry } from 'prom-client';

const states = ['running', 'completed', 'failed'] as const;

/** Series of the backups, restores and clones of a node, read at each scrape; README lists them. */
export function transferMetrics(registry: Registry, instances: () => readonly Instance[]): void {
  const transfers = () => instances().filter(({ kind }) => kind === 'transfer');
  new Gauge({
    name: 'lateen_block_transfers',
    help: 'Backups, restores and clones of volumes on this node that run or have ended and were not removed',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const found = transfers().map(stateOf);
      for (const state of states) this.set({ state }, found.filter((one) => one === state).length);
    },
  });
  new Gauge({
    name: 'lateen_block_transfer_bytes',
    help: 'Bytes of the volume that a running transfer has moved, and that it has to move',
    labelNames: ['volume', 'transfer', 'what'],
    registers: [registry],
    collect() {
      this.reset();
      for (const one of transfers()) {
        if (stateOf(one) !== 'running' || one.transfer === undefined) continue;
        const labels = { volume: one.volume, transfer: one.name };
        this.set({ ...labels, what: 'done' }, Number(one.transfer.doneBytes));
        this.set({ ...labels, what: 'total' }, Number(one.transfer.totalBytes));
      }
    },
  });
}

function stateOf({ state, transfer }: Instance): (typeof states)[number] {
  if (state === 'error' || transfer?.error !== undefined) return 'failed';
  return transfer?.ended === true ? 'completed' : 'running';
}
