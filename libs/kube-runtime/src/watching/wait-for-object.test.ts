import { type ConfigMap, configMapType } from '@lateen/api-types';
import { kubeError } from '@lateen/kube';
import { FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { waitForObject } from './wait-for-object.ts';

const key = { namespace: 'velero', name: 'a' };
const aConfigMap = (value: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...key },
  data: { value },
});

function begin(until: (object: ConfigMap | undefined) => string | undefined, wanted = key) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock });
  const stop = new AbortController();
  const start = () =>
    waitForObject({
      api: cluster,
      type: configMapType,
      key: wanted,
      until,
      signal: stop.signal,
      clock,
      random: seededRandom(),
    });
  return { clock, cluster, stop, start };
}

const untilValue = (value: string) => (object: ConfigMap | undefined) =>
  object?.data?.value === value ? `found ${value}` : undefined;

describe('waitForObject', () => {
  it('returns at once when the object meets the condition, and leaves no watch', async () => {
    const { clock, cluster, start } = begin(untilValue('1'));
    cluster.put(aConfigMap('1'));
    await expect(start()).resolves.toBe('found 1');
    expect([clock.pending, cluster.openWatches]).toEqual([0, 0]);
  });

  it('waits through creation, changes, a lost connection and 410', async () => {
    const { clock, cluster, start } = begin(untilValue('4'));
    const result = start();
    await cluster.settle();
    cluster.put(aConfigMap('1'));
    await cluster.settle();
    cluster.closeWatches({}).put(aConfigMap('2'));
    await clock.advance(30_000);
    cluster.closeWatches({}).put(aConfigMap('3')).compact();
    await clock.advance(30_000);
    cluster.put(aConfigMap('4'));
    await expect(result).resolves.toBe('found 4');
    expect(clock.pending).toBe(0);
  });

  it('makes no call for an impossible key, because a missing namespace would match all namespaces', async () => {
    const { cluster, start } = begin(untilValue('1'), { namespace: '', name: 'a' });
    cluster.put(aConfigMap('1'));
    await expect(start()).rejects.toMatchObject({ code: 'KUBE_BAD_REQUEST' });
    expect(cluster.calls).toEqual([]);
  });

  it('can wait until the object is gone', async () => {
    const { cluster, start } = begin((object) => (object === undefined ? 'gone' : undefined));
    cluster.put(aConfigMap('1'));
    const result = start();
    await cluster.settle();
    cluster.remove(configMapType, key);
    await expect(result).resolves.toBe('gone');
  });

  it('fails with the error of the condition', async () => {
    const { cluster, start } = begin((object) => {
      if (object?.data?.value === 'bad') throw new Error('the object turned bad');
      return undefined;
    });
    const result = start();
    await cluster.settle();
    cluster.put(aConfigMap('bad'));
    await expect(result).rejects.toThrow('the object turned bad');
  });

  it('fails with the reason of the signal', async () => {
    const { cluster, stop, start } = begin(() => undefined);
    const result = start();
    await cluster.settle();
    stop.abort(new Error('resource timeout'));
    await expect(result).rejects.toThrow('resource timeout');
    await expect(start()).rejects.toThrow('resource timeout');
  });

  it('fails at once on an error that a retry cannot help', async () => {
    const { cluster, start } = begin(() => undefined);
    cluster.failOnce(
      'list',
      configMapType,
      kubeError('KUBE_NOT_FOUND', 'the server could not find the requested resource'),
    );
    await expect(start()).rejects.toThrow('could not find the requested resource');
  });

  it('continues to wait when access is denied, because it can be granted later', async () => {
    const { clock, cluster, start } = begin(untilValue('1'));
    cluster.put(aConfigMap('1')).failTimes(3, 'list', configMapType, 'KUBE_FORBIDDEN');
    const result = start();
    await clock.advance(60_000);
    await expect(result).resolves.toBe('found 1');
  });
});
