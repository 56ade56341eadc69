import { backupStorageLocationType } from '@lateen/api-types';
import { FakeClock, fakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { waitForApi } from './wait-for-api.ts';

function start() {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock });
  const reasons: string[] = [];
  const abort = new AbortController();
  const onMissing = (reason: string) => reasons.push(reason);
  const options = {
    kube: cluster,
    type: backupStorageLocationType,
    namespace: 'velero',
    definitionsAt: 'deploy/crds',
    clock,
    random: seededRandom(1),
    log: recordingLog(),
    onMissing,
  };
  return { clock, cluster, reasons, abort, wait: () => waitForApi(options, abort.signal) };
}

describe('waitForApi', () => {
  it('reports the missing resource and continues when it is served', async () => {
    const { clock, cluster, reasons, wait } = start();
    cluster.failOnce('list', backupStorageLocationType, 'KUBE_UNAVAILABLE');
    cluster.failOnce('list', backupStorageLocationType, 'KUBE_NOT_FOUND');
    const ready = wait();
    await clock.advance(5_000);
    await ready;
    expect(reasons).toHaveLength(2);
    expect(reasons[1]).toMatch(
      /does not know BackupStorageLocations of velero.io.*Apply the custom resource definitions in deploy.crds/,
    );
  });

  it('ends with the reason of an abort', async () => {
    const { clock, cluster, abort, wait } = start();
    cluster.failTimes(100, 'list', backupStorageLocationType, 'KUBE_UNAVAILABLE');
    const ready = wait();
    const outcome = expect(ready).rejects.toThrow('stop');
    await clock.advance(3_000);
    abort.abort(new Error('stop'));
    await outcome;
  });
});
