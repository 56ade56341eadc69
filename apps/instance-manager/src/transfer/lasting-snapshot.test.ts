import { hostError, linkLost, type StatusLink } from '@lateen/block-engine';
import type { LeasedSnapshot } from '@lateen/instance-host';
import { silentLogger } from '@lateen/kernel';
import { FakeClock, letTimePass, seededRandom } from '@lateen/testing';
import { expect, it } from 'vitest';
import { lastingSnapshot } from './lasting-snapshot.ts';

const o = { signal: new AbortController().signal };
const lost = linkLost('cut off');

/** One opening: its description and its answers. */
function leased(
  chain: readonly string[],
  read: () => Promise<readonly Uint8Array[]>,
): LeasedSnapshot & { ended: number } {
  const one = {
    opened: { export: 'e', port: 1, sizeBytes: 4n, leaseMs: 60_000, chain },
    ended: 0,
    link: {
      sizeBytes: 4n,
      contexts: ['qemu:allocation-depth'],
      read,
      status: async () => [{ lengthBytes: 4, value: 1 }],
      [Symbol.asyncDispose]: async () => void one.ended++,
    } as unknown as StatusLink,
  };
  return one;
}

const good = async () => [new Uint8Array([1, 2])];
const cutOff = () => Promise.reject(lost);

/** Returns these openings one after the other. */
function world(...openings: (LeasedSnapshot | Error)[]) {
  const clock = new FakeClock();
  let opens = 0;
  const open = async () => {
    const next = openings[opens++];
    if (next === undefined || next instanceof Error) throw next ?? new Error('opened too often');
    return next;
  };
  const snapshot = lastingSnapshot({ open, clock, random: seededRandom(1), log: silentLogger }, o);
  return { clock, snapshot, opens: () => opens };
}

it('is opened again once after its connection was cut, for all interrupted requests, and continues reading', async () => {
  const { snapshot, opens } = world(leased(['s2', 's1'], cutOff), leased(['s2', 's1'], good));
  const { link, chain } = await snapshot;
  expect(chain).toEqual(['s2', 's1']);
  const read = await Promise.all([link.read(0n, 2), link.read(2n, 2)]);
  expect(read).toEqual([[new Uint8Array([1, 2])], [new Uint8Array([1, 2])]]);
  expect(opens()).toBe(2);
});

it('waits for an instance manager that restarts', async () => {
  const away = hostError('HOST_UNREACHABLE', 'it does not answer');
  const { snapshot, clock, opens } = world(leased(['s1'], cutOff), away, away, leased(['s1'], good));
  const { link } = await snapshot;
  await letTimePass(link.read(0n, 2), clock);
  expect(opens()).toBe(4);
});

it.each([
  { what: 'its replica is gone', error: hostError('INSTANCE_NOT_FOUND', 'no replica'), code: 'INSTANCE_NOT_FOUND' },
  { what: 'the replica refuses', error: hostError('SNAPSHOT_NOT_FOUND', 'no snapshot'), code: 'SNAPSHOT_NOT_FOUND' },
])('ends when $what', async ({ error, code }) => {
  const { snapshot } = world(leased(['s1'], cutOff), error);
  await expect((await snapshot).link.read(0n, 2)).rejects.toMatchObject({ code });
});

it('is given up after repeated cuts', async () => {
  const { snapshot } = world(...Array.from({ length: 4 }, () => leased(['s1'], cutOff)));
  await expect((await snapshot).link.read(0n, 2)).rejects.toBe(lost);
});

it('does not report depths of layers that were merged meanwhile, and still reads', async () => {
  const { snapshot } = world(leased(['s3', 's2', 's1'], cutOff), leased(['s3', 's1'], good));
  const { link } = await snapshot;
  expect(await link.status('qemu:allocation-depth', 0n, 4)).toHaveLength(1);
  await link.read(0n, 2);
  await expect(link.status('qemu:allocation-depth', 0n, 4)).rejects.toMatchObject({ code: 'ABORTED' });
});

it('ends when the replica no longer answers, and closes what it has opened', async () => {
  const hanging = leased(['s1'], () => new Promise(() => {}));
  const { snapshot, clock } = world(hanging);
  const opened = await snapshot;
  const read = expect(opened.link.read(0n, 2)).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
  await clock.advance(120_001);
  await read;
  await opened[Symbol.asyncDispose]();
  expect(hanging.ended).toBe(1);
});
