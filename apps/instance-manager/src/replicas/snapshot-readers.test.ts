import { silentLogger } from '@lateen/kernel';
import { FakeClock } from '@lateen/testing';
import { expect, it } from 'vitest';
import type { ReplicaHost } from './replica-host.ts';
import { SnapshotReaders } from './snapshot-readers.ts';

const o = { signal: new AbortController().signal };

it('opens a snapshot anew when the daemon of its replica has been started again', async () => {
  const opened: string[] = [];
  const store = {
    openReader: async ({ exportName }: { exportName: string }) => {
      opened.push(exportName);
      return { sizeBytes: 4096n, chain: [], close: async () => {} };
    },
  };
  const entry = { is: { name: 'r1', volumeUid: 'uid' }, line: { connected: {} }, run: 'run1', port: 10_005, store };
  const host = {
    inTurn: (_replica: string, _signal: AbortSignal, work: () => Promise<unknown>) => work(),
    find: () => entry,
    ports: {
      clock: new FakeClock('2030-01-01T00:00:00Z'),
      log: silentLogger,
      exportKey: async () => new Uint8Array(32),
    },
  } as unknown as ReplicaHost;
  const readers = new SnapshotReaders(host);
  const request = { replica: 'r1', snapshot: 's1', layerAlone: true };
  const first = await readers.open(request, o);
  expect(await readers.open(request, o)).toEqual(first);
  entry.run = 'run2';
  const second = await readers.open(request, o);
  expect(second.export).not.toBe(first.export);
  expect(opened).toHaveLength(2);
});
