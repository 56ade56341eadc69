import type { PodVolumeBackup, PodVolumeRestore } from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import { kubeError } from '@lateen/kube';
import {
  aPod,
  aPodVolumeBackup,
  aPodVolumeRestore,
  FakeClock,
  fakeCluster,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { MovementKind } from '../kinds/movement-kind.ts';
import { podVolumeBackupKind } from '../kinds/pod-volume-backup-kind.ts';
import type { PodVolumeKindPorts } from '../kinds/pod-volume-kind.ts';
import { podVolumeRestoreKind } from '../kinds/pod-volume-restore-kind.ts';
import { checkClient } from './check-client.ts';
import type { Ending } from './record-end.ts';

const none = {} as PodVolumeKindPorts;
const result = { target: { byPath: '/u', volumeMode: 'Filesystem' as const }, totalBytes: 1 };
const completed: Ending = { phase: 'Completed', result };
const failed: Ending = { phase: 'Failed', error: new AppError('UPLOADER_FAILED', 'no such directory') };
const thePod = aPod({ namespace: 'app', name: 'db', nodeName: 'node-1', phase: 'Running' });
const { signal } = new AbortController();

async function checked<T extends PodVolumeBackup | PodVolumeRestore>(
  kind: MovementKind<T>,
  object: T,
  ending: Ending,
  { there = false, needed = true, trouble = [] as Error[] } = {},
) {
  const clock = new FakeClock();
  const kube = fakeCluster({ clock, objects: there ? [thePod] : [] });
  const asked: string[] = [];
  kube.intercept(async (call, next) => {
    asked.push(call.verb);
    const error = trouble.shift();
    if (error !== undefined) throw error;
    return await next();
  });
  const ports = { kube, clock, random: seededRandom(1), log: recordingLog(), neededClient: () => needed };
  const checking = checkClient(ports, kind, { object, ending }, signal);
  await clock.advance(60_000);
  const end = await checking;
  return { phase: end.phase, text: end.phase === 'Failed' ? describeError(end.error) : '', asked: asked.length };
}

const backup = (ending: Ending, parts = {}) => checked(podVolumeBackupKind(none), aPodVolumeBackup(), ending, parts);
const restore = (ending: Ending, parts = {}) =>
  checked(podVolumeRestoreKind(none), aPodVolumeRestore({ node: 'node-1' }), ending, parts);
const gone = /^pod app\/db does not exist any more/;

describe('the end of a data path, depending on the pod of the volume', () => {
  it('is unchanged while the pod exists', async () => {
    expect(await backup(completed, { there: true })).toMatchObject({ phase: 'Completed', asked: 1 });
    expect(await backup(failed, { there: true })).toMatchObject({ phase: 'Failed', text: 'no such directory' });
  });

  it('is a failure when the pod of a backup is gone, whatever was read', async () => {
    expect(await backup(completed)).toMatchObject({ phase: 'Failed', text: expect.stringMatching(gone) });
  });

  it("reports the missing pod before the mover's message", async () => {
    const { text } = await restore(failed);
    expect(text).toMatch(gone);
    expect(text).toContain('no such directory');
  });

  it('is not checked where the pod does not matter', async () => {
    expect(await restore(completed)).toMatchObject({ phase: 'Completed', asked: 0 });
    expect(await backup({ phase: 'Canceled' })).toMatchObject({ phase: 'Canceled', asked: 0 });
    expect(await backup(completed, { needed: false })).toMatchObject({ phase: 'Completed', asked: 0 });
  });

  it('waits for an unavailable API server, and is unchanged when the check is denied', async () => {
    const away = kubeError('KUBE_UNAVAILABLE', 'away');
    expect(await backup(completed, { trouble: [away, away] })).toMatchObject({ phase: 'Failed', asked: 3 });
    const refused = kubeError('KUBE_FORBIDDEN', 'no');
    expect(await backup(completed, { trouble: [refused] })).toMatchObject({ phase: 'Completed', asked: 1 });
  });
});
