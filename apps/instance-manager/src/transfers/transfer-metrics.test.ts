import type { Instance, TransferProgress } from '@lateen/block-engine';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { transferMetrics } from './transfer-metrics.ts';

const instance = (name: string, state: Instance['state'], transfer: Omit<TransferProgress, 'name'>): Instance => ({
  ...{ kind: 'transfer', name, volume: 'v', generation: 0, state, uuid: name, transfer: { name, ...transfer } },
});
const half = { doneBytes: 2n, totalBytes: 4n };

it('counts transfers by result, and reports the progress of running ones', async () => {
  const registry = new Registry();
  let instances = [
    instance('b-1', 'running', { ...half, ended: false }),
    instance('b-2', 'stopped', { ...half, ended: true }),
    instance('b-3', 'error', { ...half, ended: true, error: { code: 'X', message: 'x' } }),
  ];
  transferMetrics(registry, () => instances);
  const text = async () => (await registry.metrics()).split('\n');
  expect(await text()).toEqual(
    expect.arrayContaining([
      'lateen_block_transfers{state="running"} 1',
      'lateen_block_transfers{state="completed"} 1',
      'lateen_block_transfers{state="failed"} 1',
      'lateen_block_transfer_bytes{volume="v",transfer="b-1",what="done"} 2',
      'lateen_block_transfer_bytes{volume="v",transfer="b-1",what="total"} 4',
    ]),
  );
  instances = [];
  expect((await text()).filter((line) => line.startsWith('lateen_block_transfer_bytes'))).toEqual([]);
});
