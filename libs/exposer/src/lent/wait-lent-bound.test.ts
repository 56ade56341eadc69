import { annotations, type PersistentVolumeClaim, persistentVolumeClaimType } from '@lateen/api-types';
import {
  aPersistentVolumeClaim,
  FakeClock,
  fakeCluster,
  letTimePass,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { waitLentBound } from './wait-lent-bound.ts';

const key = { namespace: 'velero', name: 'dl' };
const never = new AbortController().signal;

/** A binder that reacts to changes of the claim, or sees it in its next periodic round. */
function setUp({ bindsAfterReminders = Number.POSITIVE_INFINITY, roundMs = 15_000 } = {}) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [aPersistentVolumeClaim(key)] });
  const startedMs = clock.monotonicMs();
  const remindersMs: number[] = [];
  const bind = () =>
    cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, key, (claim) => {
      claim.status = { phase: 'Bound' };
    });
  void clock.sleep(roundMs, never).then(bind);
  cluster.intercept(async (call, next) => {
    const answer = await next();
    if (call.verb === 'patch') {
      remindersMs.push(clock.monotonicMs() - startedMs);
      if (remindersMs.length === bindsAfterReminders) bind();
    }
    return answer;
  });
  const ports = { kube: cluster, clock, random: seededRandom(1), log: recordingLog() };
  const wait = (signal = never) => letTimePass(waitLentBound(ports, key, signal), clock);
  return { clock, cluster, remindersMs, wait, elapsedMs: () => clock.monotonicMs() - startedMs };
}

describe('the claim on a second PersistentVolume', () => {
  it('is bound after the first change that the binder sees, and not written again', async () => {
    const { cluster, wait, remindersMs, elapsedMs } = setUp({ bindsAfterReminders: 1 });
    const claim = await wait();
    expect(claim.metadata.annotations?.[annotations.binderReminded]).toMatch(/Z$/);
    expect([remindersMs, elapsedMs()]).toEqual([[1_000], 1_000]);
    expect(cluster.calls.filter(({ verb }) => verb === 'patch')).toHaveLength(1);
  });

  it("is bound in the binder's round when it may not be written or reminders do not help", async () => {
    const refused = setUp();
    refused.cluster.failOnce('patch', persistentVolumeClaimType, 'KUBE_FORBIDDEN');
    await refused.wait();
    expect(refused.elapsedMs()).toBe(15_000);
    const deaf = setUp({ roundMs: 60_000 });
    await deaf.wait();
    expect(deaf.remindersMs).toEqual([1_000, 3_000, 7_000, 15_000]);
  });

  it('ends with the reason of the signal, and writes nothing after that', async () => {
    const { wait, remindersMs, clock } = setUp();
    const stop = new AbortController();
    void clock.sleep(1_500, never).then(() => stop.abort(new Error('cancelled')));
    await expect(wait(stop.signal)).rejects.toThrow('cancelled');
    await clock.advance(20_000);
    expect(remindersMs).toEqual([1_000]);
  });
});
