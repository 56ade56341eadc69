import { silentLogger } from '@lateen/kernel';
import { FakeClock, letWorkRun } from '@lateen/testing';
import { expect, it } from 'vitest';
import type { ReplicaHost } from './replica-host.ts';
import { SnapshotReaders } from './snapshot-readers.ts';

const o = { signal: new AbortController().signal };
const ask = { replica: 'r1', snapshot: 's1', layerAlone: true };
const [a, b] = [
  { ...ask, reader: 'a' },
  { ...ask, reader: 'b' },
];

function world() {
  const seen = { opened: [] as string[], closed: [] as string[], fault: undefined as Error | undefined };
  const store = {
    openReader: async ({ exportName }: { exportName: string }) => {
      seen.opened.push(exportName);
      const close = async () => {
        if (seen.fault !== undefined) throw seen.fault;
        seen.closed.push(exportName);
      };
      return { sizeBytes: 4096n, chain: [], close };
    },
  };
  const entry = { is: { name: 'r1', volumeUid: 'uid' }, line: { connected: {} }, run: 'run1', port: 10_005, store };
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const host = {
    inTurn: (_replica: string, _signal: AbortSignal, work: () => Promise<unknown>) => work(),
    find: () => entry,
    ports: { clock, log: silentLogger, exportKey: async () => new Uint8Array(32) },
  } as unknown as ReplicaHost;
  return { readers: new SnapshotReaders(host), entry, clock, seen };
}

it('opens a snapshot again when the daemon of its replica was restarted', async () => {
  const { readers, entry, seen } = world();
  const first = await readers.open(a, o);
  expect(await readers.open(a, o)).toEqual(first);
  entry.run = 'run2';
  const second = await readers.open(a, o);
  expect(second.export).not.toBe(first.export);
  expect(seen.opened).toHaveLength(2);
});

it('closes a snapshot as soon as its reader has closed it, and only then', async () => {
  const { readers, seen } = world();
  await readers.close(a, o);
  await readers.open(a, o);
  await readers.close({ ...a, layerAlone: false }, o);
  await readers.close({ ...a, snapshot: 's2' }, o);
  expect(seen.closed).toEqual([]);
  await readers.close(a, o);
  await readers.close(a, o);
  expect(seen.closed).toEqual(seen.opened);
});

it('keeps it open for the other readers when one closes it, however often that one does', async () => {
  const { readers, seen } = world();
  await readers.open(a, o);
  await readers.open(b, o);
  await readers.close(a, o);
  await readers.close(a, o);
  expect(seen.closed).toEqual([]);
  await readers.close(b, o);
  expect(seen.closed).toHaveLength(1);
});

it('keeps it open for the lease of a reader of an older version, which gives no name and never closes', async () => {
  const { readers, clock, seen } = world();
  const stop = new AbortController();
  await readers.open({ ...ask, reader: '' }, o);
  await readers.open(a, o);
  await readers.close(a, o);
  const running = readers.run(stop.signal);
  await clock.advance(59_000);
  expect(seen.closed).toEqual([]);
  await clock.advance(6_000);
  await letWorkRun();
  expect(seen.closed).toHaveLength(1);
  stop.abort();
  await running;
});

it('does not count a reader whose lease has expired', async () => {
  const { readers, clock, seen } = world();
  await readers.open(a, o);
  await clock.advance(30_000);
  await readers.open(b, o);
  await clock.advance(31_000);
  await readers.close(b, o);
  expect(seen.closed).toHaveLength(1);
});

it('retries a failed close, before it opens again and by itself', async () => {
  const { readers, clock, seen } = world();
  const first = await readers.open(a, o);
  seen.fault = new Error('the daemon does not answer');
  await expect(readers.close(a, o)).rejects.toThrow('does not answer');
  await expect(readers.open(b, o)).rejects.toThrow('does not answer');
  seen.fault = undefined;
  expect((await readers.open(b, o)).export).not.toBe(first.export);
  expect(seen.closed).toEqual(seen.opened.slice(0, 1));
  seen.fault = new Error('the daemon does not answer');
  await expect(readers.close(b, o)).rejects.toThrow('does not answer');
  seen.fault = undefined;
  const stop = new AbortController();
  const running = readers.run(stop.signal);
  await clock.advance(5_000);
  await letWorkRun();
  expect(seen.closed).toEqual(seen.opened);
  stop.abort();
  await running;
});

it('limits the readers of one snapshot', async () => {
  const { readers } = world();
  for (let n = 0; n < 256; n++) await readers.open({ ...ask, reader: `${n}` }, o);
  await expect(readers.open(a, o)).rejects.toMatchObject({ code: 'NO_ROOM' });
  await readers.open({ ...ask, reader: '7' }, o);
});
