import { longhornGroup, longhornVersion, type RecurringJob, type RecurringJobSpec } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { bringJobs } from './bring-jobs.ts';
import { readStoredJobs, storedJobsLimits, storedJobsText } from './stored-jobs.ts';

const enabled = 'enabled';
const jobLabel = (name: string) => `recurring-job.longhorn.io/${name}`;
const groupLabel = (name: string) => `recurring-job-group.longhorn.io/${name}`;
const specOf = (spec: RecurringJobSpec = {}): RecurringJobSpec => ({
  name: 'daily',
  task: 'backup',
  cron: '0 3 * * *',
  retain: 2,
  concurrency: 1,
  ...spec,
});
const aJob = (name: string, spec: RecurringJobSpec = {}): RecurringJob => ({
  apiVersion: `${longhornGroup}/${longhornVersion}`,
  kind: 'RecurringJob',
  metadata: { name },
  spec: specOf({ name, ...spec }),
});

describe('the text of the jobs of a volume', () => {
  it('contains each job of the volume with the labels that select it, and can be read again', () => {
    const jobs = [aJob('weekly'), aJob('gold', { groups: ['gold', 'both'] }), aJob('daily', { groups: ['both'] })];
    const labels = { [jobLabel('daily')]: enabled, [groupLabel('both')]: enabled, [groupLabel('gold')]: enabled };
    const { text = '', leftOut } = storedJobsText(jobs, { labels });
    expect(JSON.parse(text)).toEqual({
      daily: { jobSpec: specOf({ groups: ['both'] }), fromGroup: ['both'], fromJob: true },
      gold: {
        jobSpec: specOf({ name: 'gold', groups: ['gold', 'both'] }),
        fromGroup: ['both', 'gold'],
        fromJob: false,
      },
    });
    expect(leftOut).toEqual([]);
    expect(readStoredJobs(text).problems).toEqual([]);
    expect(readStoredJobs(text).jobs.map(({ name }) => name)).toEqual(['daily', 'gold']);
  });
  it('contains jobs of the default group for a volume without labels, honours labels of a source claim, and is absent without jobs', () => {
    const jobs = [aJob('daily', { groups: ['default'] })];
    expect(JSON.parse(storedJobsText(jobs, { labels: {} }).text ?? '')).toMatchObject({
      daily: { fromGroup: ['default'], fromJob: false },
    });
    const claimLabels = { 'recurring-job.longhorn.io/source': enabled, [jobLabel('other')]: enabled };
    expect(storedJobsText(jobs, { labels: {}, claimLabels })).toEqual({ leftOut: [] });
    expect(storedJobsText(jobs, { labels: { [jobLabel('daily')]: 'no', [jobLabel('x')]: enabled } }).text).toBe(
      undefined,
    );
  });
  it('is limited in jobs and characters, and reports the jobs that do not fit', () => {
    const many = Array.from({ length: storedJobsLimits.jobsMax + 2 }, (_, at) =>
      aJob(`job-${String(at).padStart(4, '0')}`, { groups: ['default'] }),
    );
    const { text = '', leftOut } = storedJobsText(many, { labels: {} });
    expect(Object.keys(JSON.parse(text))).toHaveLength(storedJobsLimits.jobsMax);
    expect(leftOut).toEqual(['job-0250', 'job-0251']);
    const large = aJob('large', { groups: ['default'], labels: { a: 'x'.repeat(storedJobsLimits.charsMax) } });
    expect(storedJobsText([large], { labels: {} })).toEqual({ leftOut: ['large'] });
  });
});

describe('stored jobs in untrusted text', () => {
  it.each([
    ['', 'it is not a JSON object'],
    ['{"daily":', 'it is not a JSON object'],
    ['[]', 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    [`"${'x'.repeat(storedJobsLimits.charsMax)}"`, 'it has more than'],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 251 }, (_, at) => [`j${at}`, {}]))), 'more than 250 jobs'],
    ['{"daily":1}', 'job "daily": it is not an object'],
    ['{"daily":{}}', 'its jobSpec is not that of a RecurringJob'],
    ['{"daily":{"jobSpec":{"retain":-1}}}', 'its jobSpec is not that of a RecurringJob'],
    ['{"daily":{"jobSpec":{"retain":"2"}}}', 'its jobSpec is not that of a RecurringJob'],
    ['{"daily":{"jobSpec":{"labels":{"a":1}}}}', 'its jobSpec is not that of a RecurringJob'],
    ['{"daily":{"jobSpec":{"name":"weekly"}}}', 'another name'],
    ['{"Daily!":{"jobSpec":{}}}', 'a job cannot have this name'],
    ['{"__proto__":{"jobSpec":{}}}', 'a job cannot have this name'],
    ['{"source":{"jobSpec":{}}}', 'a job cannot have this name'],
    ['{"a/b":{"jobSpec":{}}}', 'a job cannot have this name'],
    ['{"daily":{"jobSpec":{},"fromGroup":"gold"}}', 'fromGroup is not a list'],
    ['{"daily":{"jobSpec":{},"fromGroup":["a b"]}}', 'cannot be the name of a group'],
    ['{"daily":{"jobSpec":{},"fromGroup":["a/b"]}}', 'cannot be the name of a group'],
  ])('%.60s: %s', (text, problem) => {
    const { jobs, problems } = readStoredJobs(text);
    expect(jobs).toEqual([]);
    expect(problems.join()).toContain(problem);
    expect(problems.join().length).toBeLessThan(200);
  });
  it('are used as far as they are valid; unknown fields are dropped and null counts as absent', () => {
    const good = {
      jobSpec: { ...specOf(), labels: null, retentionPolicy: 'age-based' },
      fromGroup: null,
      fromJob: true,
    };
    const { jobs, problems } = readStoredJobs(JSON.stringify({ bad: 1, daily: good }));
    expect(jobs).toEqual([{ name: 'daily', spec: specOf(), fromGroup: [], fromJob: true }]);
    expect(problems).toHaveLength(1);
  });
});

describe('recurring jobs that are restored with a volume', () => {
  const text = JSON.stringify({
    daily: { jobSpec: specOf({ groups: ['a', 'b'] }), fromGroup: ['a'], fromJob: true },
  });
  const bring = (existing: Record<string, RecurringJobSpec> = {}, of = text) =>
    bringJobs({ text: of, from: 'source', existing: new Map(Object.entries(existing)), maxRetention: 100 });
  const labels = { [jobLabel('daily')]: enabled, [groupLabel('a')]: enabled };
  it('are created when they do not exist', () => {
    expect(bring()).toMatchObject({ create: [specOf({ groups: ['a', 'b'] })], labels });
    expect(bring().events.map(({ reason }) => reason)).toEqual(['RecurringJobsRestored']);
  });
  it('stay unchanged when they exist; an Event names the fields that differ', () => {
    const same = bring({ daily: specOf({ groups: ['b', 'a'], labels: {} }) });
    expect(same).toMatchObject({ create: [], labels });
    expect(same.events.map(({ reason }) => reason)).toEqual(['RecurringJobsRestored']);
    const other = bring({ daily: specOf({ groups: ['a'], cron: '0 4 * * *' }) });
    expect(other).toMatchObject({ create: [], labels });
    expect(other.events[1]).toMatchObject({ type: 'Warning', reason: 'RecurringJobDiffers' });
    expect(other.events[1]?.message).toContain('daily (cron, groups)');
  });
  it.each([
    [{ task: 'system-backup' }, 'not supported'],
    [{ task: 'destroy' }, 'is not valid'],
    [{ cron: 'often' }, 'invalid cron'],
    [{ retain: 101 }, 'less than or equal to 100'],
  ])('that the checks refuse, %j, are skipped and reported', (spec, problem) => {
    const jobs = { daily: { jobSpec: { ...specOf(), ...spec }, fromGroup: ['a'], fromJob: true } };
    const { create, labels: given, events } = bring({}, JSON.stringify(jobs));
    expect({ create, given }).toEqual({ create: [], given: {} });
    expect(events).toMatchObject([{ type: 'Warning', reason: 'RecurringJobsNotRestored' }]);
    expect(events[0]?.message).toContain(problem);
  });
  it('are none, without an Event, when the backup has none', () => {
    expect(bring({}, '')).toEqual({ create: [], labels: {}, events: [] });
  });
});
