import {
  annotations,
  type DataDownload,
  type DataMovementPhase,
  dataDownloadType,
  dataUploadType,
} from '@lateen/api-types';
import { fenceLimits } from '@lateen/datapath';
import { aDataDownload, aDataUpload, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { Movement, MovementKind } from '../kinds/movement-kind.ts';
import { ownedByAnyNode } from '../kinds/ownership.ts';
import { movementLimits } from '../movement-limits.ts';
import { beginNextAttempt, tryAgain } from './next-attempt.ts';

const { signal } = new AbortController();
const key = { namespace: 'velero', name: 'x' };

/** Ms from the loss of the first attempt to the beginning of the second. */
async function waitMs(object: Movement, writesVolume: boolean, moverEnded: boolean) {
  const clock = new FakeClock();
  const kube = fakeCluster({ clock, objects: [object] });
  const type = object.kind === 'DataUpload' ? dataUploadType : dataDownloadType;
  const kind = { type, writesVolume, owner: ownedByAnyNode() } as unknown as MovementKind<DataDownload>;
  const ports = { kube, clock, random: seededRandom(1), node: 'node-1', limits: movementLimits };
  const found = await kube.get(kind.type, key, { signal });
  const next = await beginNextAttempt(ports, kind, found, { cause: 'the node is gone', moverEnded }, signal);
  const at = next.metadata.annotations?.[annotations.nextAttemptAt] ?? '';
  return { ms: Date.parse(at) - clock.now(), message: next.status?.message };
}
const download = (phase: DataMovementPhase) =>
  aDataDownload({ name: 'x', phase, acceptedByNode: 'node-1', node: 'node-1' });

describe('the next attempt', () => {
  it('that writes a volume begins when a mover whose end was not seen must have stopped', () => {
    const {
      confirmedForMs,
      engineStopMs,
      writeBackMs,
      clockSkewMs,
      engineGraceMs,
      askEveryMs,
      askAgainMs,
      askTimeoutMs,
    } = fenceLimits;
    expect(confirmedForMs + engineStopMs + writeBackMs + clockSkewMs).toBeLessThanOrEqual(
      movementLimits.nextWriterAfterMs,
    );
    // SIGKILL comes before the process exits, with time for a few more attempts before the confirmation expires.
    expect(engineGraceMs).toBeLessThan(engineStopMs);
    expect(askEveryMs + 3 * (askTimeoutMs + askAgainMs)).toBeLessThan(confirmedForMs);
  });

  it.each<DataMovementPhase>(['InProgress', 'Canceling'])(
    'of a restore that was %s waits for that, and reports it',
    async (phase) => {
      const { ms, message } = await waitMs(download(phase), true, false);
      expect(ms).toBe(movementLimits.nextWriterAfterMs);
      expect(message).toBe(
        'attempt 1 of 3 was lost: the node is gone; the end of its mover was not observed, so the next one starts 3m20s later, when it has stopped by itself',
      );
    },
  );

  it.each<[string, Movement, boolean, boolean]>([
    ['whose mover was seen to end', download('InProgress'), true, true],
    ['whose mover had not begun', download('Prepared'), true, false],
    ['that only reads', aDataUpload({ name: 'x', phase: 'InProgress', node: 'node-1' }), false, false],
  ])('of a movement %s begins soon', async (_, object, writes, ended) => {
    const { ms, message } = await waitMs(object, writes, ended);
    expect(ms).toBeLessThanOrEqual(movementLimits.attemptBackoff.firstMs * 1.2);
    expect(message).toBe('attempt 1 of 3 was lost: the node is gone');
  });
});

describe('the next attempt of a movement that was deleted and made again', () => {
  it('is not begun, because the new object has its own attempts', async () => {
    const clock = new FakeClock();
    const kube = fakeCluster({ clock, objects: [aDataUpload({ name: 'x', phase: 'InProgress', node: 'node-1' })] });
    const kind = { type: dataUploadType, writesVolume: false } as unknown as MovementKind<Movement>;
    const ports = { kube, clock, random: seededRandom(1), node: 'node-1', limits: movementLimits };
    const again = await kube.get(dataUploadType, key);
    const object = { ...again, metadata: { ...again.metadata, uid: 'of the one that was deleted' } };
    const lost = { cause: 'the pod was deleted', moverEnded: false };
    await expect(tryAgain(ports, kind, { object, lost }, signal)).resolves.toBe('over');
    expect(kube.find(dataUploadType, key)?.status?.phase).toBe('InProgress');
  });
});
