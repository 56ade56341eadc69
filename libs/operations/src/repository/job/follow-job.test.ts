import { type Job, jobType, podType } from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import { type OperationEnd, reportLine, terminationText } from '@lateen/maintenance';
import { FakeClock, fakeCluster, type JobProgram, jobActor, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { followJob } from './follow-job.ts';

const namespace = 'velero';
const end: OperationEnd = {
  operation: 'maintain',
  repository: 'a',
  durationMs: 1,
  succeeded: true,
  result: { engine: 'kopia', mode: 'quick' },
};

/** A program that runs for this time and then reports its result. */
const works =
  (clock: FakeClock, ms: number): JobProgram =>
  async (job) => {
    await clock.sleep(ms);
    job.write(reportLine({ report: 'end', ...end }));
    return { exitCode: 0, terminationMessage: terminationText(end) };
  };

async function follow(program?: (clock: FakeClock) => JobProgram) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock });
  if (program !== undefined) jobActor(cluster, program(clock));
  const job = await cluster.create(jobType, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'job', namespace },
    spec: { template: { spec: { containers: [{ name: 'c', image: 'lateen:1' }] } } },
  } as Job);
  const ports = { kube: cluster, logs: cluster.podLogs, clock, random: seededRandom() };
  const waits: string[] = [];
  const events = { onWait: (why: string) => waits.push(why), onProgress: () => {}, onRemark: () => {} };
  const stop = new AbortController();
  const following = followJob(ports, job, events, stop.signal);
  let hasEnded = false;
  following.catch(() => {}).finally(() => (hasEnded = true));
  const ended = async () => {
    await clock.advanceUntil(() => hasEnded, { withinMs: 7_200_000 });
    return following;
  };
  return { clock, cluster, stop, waits, ended };
}

const isOver = (object: { kind: string; status?: unknown }): boolean =>
  object.kind === 'Job' && ((object.status as Job['status'])?.conditions ?? []).length > 0;

describe('following a Job', () => {
  it('uses watches: a longer Job causes no more calls, and no watch stays open', async () => {
    const { clock, cluster, ended } = await follow((time) => works(time, 3_600_000));
    await clock.advance(1_000);
    const looks = () => cluster.calls.filter(({ verb }) => verb === 'get' || verb === 'list').length;
    const before = looks();
    expect(await ended()).toMatchObject({ succeeded: true });
    expect(looks()).toBe(before);
    expect(cluster.openWatches).toBe(0);
  });

  it.each([
    ['together with its pod', true],
    ['with its pod left to the garbage collector', false],
  ])('returns the result of a Job that is deleted at the moment it ends, %s', async (_, withPod) => {
    const { cluster, ended } = await follow((time) => works(time, 2_000));
    cluster.onChange(({ type, object }) => {
      if (type !== 'MODIFIED' || !isOver(object)) return;
      for (const pod of withPod ? cluster.all(podType) : []) cluster.remove(podType, keyOf(pod));
      cluster.remove(jobType, { namespace, name: 'job' });
    });
    expect(await ended()).toEqual(expect.objectContaining({ succeeded: true, result: end.result }));
  });

  it('waits for the result of the pod when the Job ends first', async () => {
    const { clock, cluster, ended } = await follow((time) => async (job) => {
      await time.sleep(2_000);
      cluster.change(jobType, { namespace, name: 'job' }, (each) => {
        each.status = { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] };
      });
      await time.sleep(1_000);
      return works(time, 0)(job);
    });
    await clock.advance(1_000);
    expect(await ended()).toMatchObject({ succeeded: true });
  });

  it('returns only after the Job is marked as ended, so that the next Job is not rejected', async () => {
    const { cluster, ended } = await follow((time) => async (job) => {
      const exit = await works(time, 2_000)(job);
      cluster.setPodPhase(job.pod, 'Succeeded', exit);
      await time.sleep(8_000);
      return exit;
    });
    expect(await ended()).toMatchObject({ succeeded: true });
    expect(cluster.all(jobType).filter(isOver)).toHaveLength(1);
  });

  it('fails when the Job succeeded but no pod is left to give the result', async () => {
    const { cluster, ended } = await follow();
    cluster.change(jobType, { namespace, name: 'job' }, (job) => {
      job.status = { conditions: [{ type: 'Complete', status: 'True' }] };
    });
    await expect(ended()).rejects.toMatchObject({ code: 'JOB_POD_GONE' });
  });

  it('fails when the API server is unavailable for longer than a restart takes, and not before', async () => {
    const { clock, cluster, ended } = await follow((time) => works(time, 3_600_000));
    await clock.advance(5_000);
    const away = () => Promise.reject(Object.assign(new Error('connection refused'), unavailable));
    cluster.intercept(({ verb }, next) => (verb === 'watch' || verb === 'list' ? away() : next()));
    cluster.closeWatches();
    const sinceMs = clock.monotonicMs();
    await expect(ended()).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE' });
    expect(clock.monotonicMs() - sinceMs).toBeGreaterThan(120_000);
  });

  it('ends with the reason of an abort', async () => {
    const { clock, cluster, stop, ended } = await follow(() => () => new Promise(() => {}));
    await clock.advance(5_000);
    stop.abort(new Error('enough'));
    await expect(ended()).rejects.toThrow('enough');
    expect(cluster.openWatches).toBe(0);
  });
});

/** The client's error for an API server that does not answer. */
const unavailable = { [Symbol.for('lateen.dev/AppError')]: true, code: 'KUBE_UNAVAILABLE', retry: 'soon', details: {} };
