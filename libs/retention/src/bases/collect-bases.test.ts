import { labels, persistentVolumeClaimType, volumeSnapshotType } from '@lateen/api-types';
import { baseNotes } from '@lateen/changed-blocks/base';
import type { KubeObject } from '@lateen/kube';
import {
  aPersistentVolumeClaim,
  aVolumeSnapshot,
  FakeClock,
  fakeCluster,
  letWorkRun,
  recordingLog,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { collectBases, collectBasesOnce } from './collect-bases.ts';

const hourMs = 3_600_000;
const claim = (name: string, uid = `uid-of-${name}`) => aPersistentVolumeClaim({ namespace: 'shop', name, uid });
const base = (name: string, claimName: string, o: { day?: string; namespace?: string; readyToUse?: boolean } = {}) =>
  aVolumeSnapshot({
    namespace: o.namespace ?? 'velero',
    name,
    uid: `uid-of-${name}`,
    readyToUse: o.readyToUse ?? true,
    metadata: {
      ...baseNotes({
        claim: { namespace: 'shop', name: claimName, uid: `uid-of-${claimName}` },
        driver: 'csi.lateen.dev',
        volumeHandle: 'v',
        snapshotHandle: 's',
        snapshotID: 'm',
        backupStorageLocation: 'default',
      }),
      creationTimestamp: `${o.day ?? '2029-12-31'}T00:00:00Z`,
    },
  });

function world(objects: readonly KubeObject[]) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const cluster = fakeCluster({ clock, objects });
  const ports = { kube: cluster, clock, log: recordingLog(), namespace: 'velero', frequencyMs: hourMs };
  const names = () => cluster.all(volumeSnapshotType).map(({ metadata }) => metadata.name ?? '');
  return { cluster, clock, ports, names };
}

describe('base snapshots for the next upload', () => {
  it('are kept while their claim exists and they are young, and other snapshots are not touched', async () => {
    const others = [
      aVolumeSnapshot({ namespace: 'velero', name: 'of-a-user' }),
      base('in-another-namespace', 'gone', { namespace: 'shop' }),
    ];
    const { ports, names } = world([claim('data'), base('good', 'data'), ...others]);
    await collectBasesOnce(ports, new AbortController().signal);
    expect(names().sort()).toEqual(['good', 'in-another-namespace', 'of-a-user']);
  });

  it('are deleted when no upload will use them, and the log says why', async () => {
    const { ports, names } = world([
      claim('data'),
      claim('old'),
      claim('broken'),
      claim('replaced', 'another'),
      base('good', 'data'),
      base('older', 'data', { day: '2029-12-30' }),
      base('too-old', 'old', { day: '2029-12-01' }),
      base('not-ready', 'broken', { readyToUse: false }),
      base('of-one-before', 'replaced'),
      base('of-none', 'gone'),
    ]);
    await collectBasesOnce(ports, new AbortController().signal);
    expect(names()).toEqual(['good']);
    const said = Object.fromEntries(ports.log.lines.map(({ fields }) => [fields.snapshot, fields.reason]));
    expect(said).toEqual({
      older: 'there is a newer one of its claim',
      'too-old': 'it is too old',
      'not-ready': 'it is not ready any more',
      'of-one-before': 'another claim has the name of its own',
      'of-none': 'its claim is gone',
    });
  });

  it('are kept when their labels are incomplete, because their origin is unknown', async () => {
    const { metadata, ...rest } = base('odd', 'gone');
    const odd = { ...rest, metadata: { ...metadata, labels: { [labels.baseOf]: 'other' } } };
    const { ports, names } = world([odd]);
    await collectBasesOnce(ports, new AbortController().signal);
    expect(names()).toEqual(['odd']);
  });

  it('are checked every hour, even after a failed check', async () => {
    const { cluster, clock, ports, names } = world([base('of-none', 'gone')]);
    cluster.failTimes(1, 'get', persistentVolumeClaimType, 'KUBE_UNAVAILABLE');
    const stop = new AbortController();
    const running = collectBases(ports, stop.signal);
    await letWorkRun();
    expect(names()).toEqual(['of-none']);
    await clock.advance(hourMs);
    await letWorkRun();
    expect(names()).toEqual([]);
    stop.abort();
    await running;
  });

  it('are none in a cluster without snapshots', async () => {
    const { cluster, ports } = world([]);
    cluster.failTimes(1, 'list', volumeSnapshotType, 'KUBE_NOT_FOUND');
    await collectBasesOnce(ports, new AbortController().signal);
    expect(ports.log.lines).toEqual([]);
  });
});
