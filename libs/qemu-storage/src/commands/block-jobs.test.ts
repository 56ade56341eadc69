import { isAppError } from '@lateen/errors';
import { systemClock as clock } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';
import { connectQmp } from '../qmp/connect-qmp.ts';
import { fakeMonitor, type MonitorCommand, type Talk } from '../testing/fake-monitor.ts';
import { mergeLayers } from './block-jobs.ts';

interface Job {
  id: string;
  status: string;
  error?: string;
  'current-progress': number;
  'total-progress': number;
}

/** The jobs of a daemon: each step of `life` is the answer to the next query; an event reports each change after the first. */
function jobs(life: readonly Partial<Job>[], running = false) {
  let job: Job | undefined = running ? aJob : undefined;
  let step = 0;
  const answer = ({ execute }: MonitorCommand, talk: Talk): void => {
    if (execute === 'block-commit') job = aJob;
    if (execute === 'job-cancel') job = { ...aJob, status: 'concluded', error: 'canceled' };
    if (execute === 'job-dismiss') job = undefined;
    talk.give(execute === 'query-jobs' ? [job].filter((it) => it !== undefined) : {});
    if (execute !== 'query-jobs' || job === undefined) return;
    const next = life[step++];
    if (next === undefined) return;
    job = { ...job, ...next };
    talk.tell('JOB_STATUS_CHANGE', { id: job.id, status: job.status });
  };
  return answer;
}

const aJob: Job = { id: 'merge-1', status: 'running', 'current-progress': 0, 'total-progress': 100 };
const merge = { jobId: 'merge-1', head: 'l2', top: 'l1', base: 'l0' };
const names = (commands: readonly MonitorCommand[]) => commands.map(({ execute }) => execute);
const failed = expect.toSatisfy((error) => isAppError(error, 'BLOCK_JOB_FAILED'));

describe('a merge of layers', () => {
  it('reports its progress, and removes the job at the end', async () => {
    await using monitor = await fakeMonitor(
      jobs([{ 'current-progress': 50 }, { status: 'concluded', 'current-progress': 100 }]),
    );
    await using qmp = await connectQmp({ path: monitor.path, clock });
    const seen: number[] = [];
    await mergeLayers(qmp, clock, { ...merge, backingFile: 'layer-0.qcow2' }, { onProgress: (p) => seen.push(p.done) });
    expect(seen).toEqual([0, 50, 100]);
    expect(monitor.commands.find(({ execute }) => execute === 'block-commit')?.arguments).toEqual({
      'job-id': 'merge-1',
      device: 'l2',
      'top-node': 'l1',
      'base-node': 'l0',
      'backing-file': 'layer-0.qcow2',
      'auto-dismiss': false,
    });
    expect(names(monitor.commands).at(-1)).toBe('job-dismiss');
  });

  it('waits for a running job, and starts no second one', async () => {
    await using monitor = await fakeMonitor(jobs([{ status: 'concluded' }], true));
    await using qmp = await connectQmp({ path: monitor.path, clock });
    await mergeLayers(qmp, clock, merge);
    expect(names(monitor.commands)).not.toContain('block-commit');
  });

  it('completes a job that is ready', async () => {
    await using monitor = await fakeMonitor(jobs([{ status: 'ready' }, { status: 'concluded' }]));
    await using qmp = await connectQmp({ path: monitor.path, clock });
    await mergeLayers(qmp, clock, merge);
    expect(names(monitor.commands)).toContain('job-complete');
  });

  it('reports why it failed, and leaves no job', async () => {
    await using monitor = await fakeMonitor(jobs([{ status: 'concluded', error: 'No space left on device' }]));
    await using qmp = await connectQmp({ path: monitor.path, clock });
    await expect(mergeLayers(qmp, clock, merge)).rejects.toThrow('merge-1 of the storage daemon has failed: No space');
    expect(names(monitor.commands).at(-1)).toBe('job-dismiss');
  });

  it('fails when another client removes the job', async () => {
    await using monitor = await fakeMonitor((_, talk) => talk.give([]));
    await using qmp = await connectQmp({ path: monitor.path, clock });
    await expect(mergeLayers(qmp, clock, merge)).rejects.toEqual(failed);
  });

  it('cancels the job when it is aborted, and leaves none', async () => {
    await using monitor = await fakeMonitor(jobs([]));
    await using qmp = await connectQmp({ path: monitor.path, clock });
    const stop = new AbortController();
    const merged = mergeLayers(qmp, clock, merge, {
      signal: stop.signal,
      onProgress: () => stop.abort(new Error('stopped')),
    });
    await expect(merged).rejects.toThrow('stopped');
    expect(names(monitor.commands).slice(-3)).toEqual(['job-cancel', 'query-jobs', 'job-dismiss']);
  });

  it.each(['', '1st', 'a b', 'x'.repeat(32), '../l1'])('rejects the node name "%s"', async (top) => {
    await using monitor = await fakeMonitor((_, talk) => talk.give([]));
    await using qmp = await connectQmp({ path: monitor.path, clock });
    const merged = mergeLayers(qmp, clock, { ...merge, top });
    await expect(merged).rejects.toSatisfy((error) => isAppError(error, 'NODE_NAME_INVALID'));
  });
});
