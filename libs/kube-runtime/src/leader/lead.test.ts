import { leaseType } from '@lateen/api-types';
import { FakeClock, type FakeCluster, fakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { lead } from './lead.ts';

const key = { namespace: 'velero', name: 'controller' };

function world() {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const cluster = fakeCluster({ clock });
  const leaders = new Set<string>();
  const history: string[] = [];
  const candidate = (identity: string, api: Pick<FakeCluster, 'get' | 'create' | 'update'> = cluster) => {
    const stop = new AbortController();
    const log = recordingLog();
    const onLead = async (signal: AbortSignal) => {
      leaders.add(identity);
      history.push(identity);
      expect(leaders.size).toBe(1);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      leaders.delete(identity);
    };
    const options = { api: api as FakeCluster, ...key, identity, clock, random: seededRandom(), log };
    const ended = lead(options, onLead, stop.signal).then(
      () => 'ended',
      (error: unknown) => error,
    );
    return { stop, log, ended };
  };
  const lease = () => cluster.find(leaseType, key)?.spec;
  return { clock, cluster, leaders, history, candidate, lease };
}

describe('lead', () => {
  it('takes a free lease at once, in the format of the API, and renews it', async () => {
    const { clock, candidate, lease, leaders } = world();
    const one = candidate('one');
    await clock.advance(0);
    expect([...leaders]).toEqual(['one']);
    expect(lease()).toEqual({
      holderIdentity: 'one',
      leaseDurationSeconds: 15,
      acquireTime: '2030-01-01T00:00:00.000000Z',
      renewTime: '2030-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    await clock.advance(60_000);
    expect(lease()).toMatchObject({
      acquireTime: '2030-01-01T00:00:00.000000Z',
      renewTime: '2030-01-01T00:01:00.000000Z',
      leaseTransitions: 0,
    });
    one.stop.abort();
    expect(await one.ended).toBe('ended');
  });

  it('releases the lease at the end, so that the next leader need not wait', async () => {
    const { clock, candidate, history, lease } = world();
    const one = candidate('one');
    await clock.advance(0);
    const two = candidate('two');
    await clock.advance(30_000);
    expect(history).toEqual(['one']);
    one.stop.abort();
    await one.ended;
    expect(lease()?.holderIdentity).toBe('');
    await clock.advance(2_500);
    expect(history).toEqual(['one', 'two']);
    expect(lease()).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
    two.stop.abort();
    await two.ended;
    expect(clock.pending).toBe(0);
  });

  it('takes over from a dead leader only when its lease has expired', async () => {
    const { clock, cluster, candidate, history } = world();
    cluster.put({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: key,
      spec: { holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime: '2020-01-01T00:00:00.000000Z' },
    } as never);
    const one = candidate('one');
    await clock.advance(14_900);
    expect(history).toEqual([]);
    await clock.advance(3_000);
    expect(history).toEqual(['one']);
    one.stop.abort();
    await one.ended;
  });

  it('stops before another process can lead when it cannot reach the API server', async () => {
    const { clock, cluster, candidate, history, leaders } = world();
    let cut = false;
    const gate = async <R>(call: () => Promise<R>): Promise<R> => {
      if (cut) throw new Error('connect ECONNREFUSED');
      return call();
    };
    const one = candidate('one', {
      get: (...args: Parameters<FakeCluster['get']>) => gate(() => cluster.get(...args)),
      create: (...args: Parameters<FakeCluster['create']>) => gate(() => cluster.create(...args)),
      update: (...args: Parameters<FakeCluster['update']>) => gate(() => cluster.update(...args)),
    } as never);
    await clock.advance(5_000);
    const two = candidate('two');
    await clock.advance(1_000);
    cut = true;
    await clock.advance(11_000);
    expect([...leaders]).toEqual([]);
    expect(await one.ended).toMatchObject({ code: 'LEADERSHIP_LOST' });
    await clock.advance(10_000);
    expect(history).toEqual(['one', 'two']);
    two.stop.abort();
    await two.ended;
  });

  it('survives a short outage', async () => {
    const { clock, cluster, candidate, leaders } = world();
    const one = candidate('one');
    await clock.advance(0);
    cluster.failTimes(3, 'update', leaseType, 'KUBE_UNAVAILABLE');
    await clock.advance(60_000);
    expect([...leaders]).toEqual(['one']);
    expect(one.log.messages('warn')).toHaveLength(3);
    one.stop.abort();
    await one.ended;
  });

  it('stops when a renewal hangs until the deadline', async () => {
    const { clock, cluster, candidate } = world();
    const one = candidate('one');
    await clock.advance(1_000);
    cluster.intercept(async (call, next) => {
      if (call.verb !== 'update') return next();
      await clock.sleep(3_600_000, (call.options as { signal?: AbortSignal }).signal);
      return next();
    });
    await clock.advance(16_000);
    expect(await one.ended).toMatchObject({ code: 'LEADERSHIP_LOST' });
  });

  it('stops when another process has taken the lease', async () => {
    const { clock, cluster, candidate } = world();
    const one = candidate('one');
    await clock.advance(1_000);
    cluster.change(leaseType, key, (lease) => {
      lease.spec = { ...lease.spec, holderIdentity: 'thief', renewTime: '2030-01-01T00:00:01.000000Z' };
    });
    await clock.advance(3_000);
    expect(await one.ended).toMatchObject({
      code: 'LEADERSHIP_LOST',
      message: expect.stringContaining('thief holds it'),
    });
    expect(cluster.find(leaseType, key)?.spec?.holderIdentity).toBe('thief');
  });

  it('continues when only labels of the lease were changed, and when the lease was deleted', async () => {
    const { clock, cluster, candidate, leaders, lease } = world();
    const one = candidate('one');
    await clock.advance(1_000);
    cluster.change(leaseType, key, (found) => {
      found.metadata.labels = { team: 'x' };
    });
    await clock.advance(3_000);
    cluster.remove(leaseType, key);
    await clock.advance(3_000);
    expect([[...leaders], lease()?.holderIdentity]).toEqual([['one'], 'one']);
    one.stop.abort();
    await one.ended;
  });

  it('lets exactly one of many candidates lead at a time', async () => {
    const { clock, candidate, history, leaders } = world();
    const all = ['a', 'b', 'c', 'd', 'e'].map((identity) => ({ identity, ...candidate(identity) }));
    for (let round = 0; round < 5; round++) {
      await clock.advance(5_000);
      const leader = all.find(({ identity }) => leaders.has(identity));
      leader?.stop.abort();
      await leader?.ended;
    }
    expect(history.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('ends without leading when the signal aborts first, and rethrows errors of the work', async () => {
    const { clock, cluster, candidate } = world();
    const one = candidate('one');
    await clock.advance(0);
    const two = candidate('two');
    two.stop.abort();
    expect(await two.ended).toBe('ended');
    one.stop.abort();
    await one.ended;
    const options = { api: cluster, ...key, identity: 'x', clock, random: seededRandom(), log: recordingLog() };
    const failing = lead(options, () => Promise.reject(new Error('the work failed')), new AbortController().signal);
    await expect(failing).rejects.toThrow('the work failed');
    expect(cluster.find(leaseType, key)?.spec?.holderIdentity).toBe('');
    const wrong = lead({ ...options, renewDeadlineMs: 20_000 }, async () => {}, new AbortController().signal);
    await expect(wrong).rejects.toMatchObject({ code: 'LEASE_TIMES_WRONG' });
  });
});
