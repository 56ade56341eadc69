import { parseCron } from '@lateen/cron';
import type {
  Backup,
  Engine,
  RecurringJob,
  RecurringJobSpec,
  Snapshot,
  VolumeSpec,
  VolumeStatus,
} from '@lateen/storage-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings, readSettings } from '../settings/read-settings.ts';
import { anEngine, aVolumeObject } from '../volume/example-volume.ts';
import { decideRecurring } from './decide-recurring.ts';
import { dueRun } from './due-run.ts';
import { isForVolume } from './jobs-of-volume.ts';
import { recurringRunOf, recurringRunText } from './recurring-run.ts';
import type { JobStep, RecurringRun, RecurringSeen, RecurringVolume } from './recurring-seen.ts';

const apiVersion = 'longhorn.io/v1beta2';
const t0 = Date.parse('2026-03-01T03:00:00Z');
const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

const aJob = (spec: Partial<RecurringJobSpec> = {}, executionCount = 0): RecurringJob => ({
  apiVersion,
  kind: 'RecurringJob',
  metadata: { name: 'daily', creationTimestamp: '2026-02-28T10:00:00Z' },
  spec: { task: 'snapshot', cron: '0 3 * * *', retain: 2, concurrency: 2, groups: ['default'], ...spec },
  status: { executionCount },
});
const aSnapshot = (name: string, at: string, job?: string, status: Snapshot['status'] = {}): Snapshot => ({
  apiVersion,
  kind: 'Snapshot',
  metadata: { name },
  spec: { volume: 'vol', ...(job === undefined ? {} : { labels: { RecurringJob: job } }) },
  status: { creationTime: at, readyToUse: true, userCreated: true, ...status },
});
const aBackup = (name: string, at: string, state: 'Completed' | 'InProgress' | 'Error', job = 'daily'): Backup => ({
  apiVersion,
  kind: 'Backup',
  metadata: { name },
  spec: { snapshotName: 's', labels: { RecurringJob: job } },
  status: { state, snapshotCreatedAt: at, volumeName: 'vol' },
});
const on = (parts: Partial<RecurringVolume> = {}, status: VolumeStatus = {}, name = 'vol'): RecurringVolume => {
  const volume = aVolumeObject({} as VolumeSpec, { state: 'attached', ...status });
  return { volume: { ...volume, metadata: { name } }, snapshots: [], backups: [], ...parts };
};
const at = (seen: Partial<RecurringSeen>, nowMs = t0) =>
  decideRecurring({ job: aJob(), run: undefined, volumes: [on()], settings: defaultSettings, ...seen }, nowMs);
const doing = (steps: readonly JobStep[]): string[] =>
  steps.map((step) => ('name' in step ? `${step.do} ${step.name}` : step.do));
const run = (going: string[], left: string[] = []): RecurringRun => ({ dueAt: iso(t0), left, going });
const nameOf = (steps: readonly JobStep[], what: JobStep['do']): string => {
  const step = steps.find((each) => each.do === what);
  return step !== undefined && 'name' in step ? step.name : '';
};

describe('the volumes of a recurring job', () => {
  const enabled = 'enabled';
  it.each([
    ['no labels: the job is in the default group', {}, undefined, true],
    ['label of another job', { 'recurring-job.longhorn.io/weekly': enabled }, undefined, false],
    ['label of the job', { 'recurring-job.longhorn.io/daily': enabled }, undefined, true],
    [
      'label of the job, but not enabled: counts as no label',
      { 'recurring-job.longhorn.io/daily': 'no' },
      undefined,
      true,
    ],
    ['label of one of its groups', { 'recurring-job-group.longhorn.io/default': enabled }, undefined, true],
    ['label of another group', { 'recurring-job-group.longhorn.io/gold': enabled }, undefined, false],
    [
      'label on a claim that is not a label source',
      { 'recurring-job.longhorn.io/weekly': enabled },
      { 'recurring-job.longhorn.io/daily': enabled },
      false,
    ],
    [
      'label on a claim that is a label source',
      { 'recurring-job.longhorn.io/weekly': enabled },
      { 'recurring-job.longhorn.io/source': enabled, 'recurring-job.longhorn.io/daily': enabled },
      true,
    ],
  ] as const)('%s', (_title, labels, claimLabels, wanted) => {
    expect(isForVolume(aJob(), { labels, ...(claimLabels === undefined ? {} : { claimLabels }) })).toBe(wanted);
  });
});

describe('when a run is due', () => {
  const daily = parseCron('0 3 * * *');
  it('is due at its time, and up to two minutes late', () => {
    expect(dueRun(daily, t0 - 1000, t0 - 1)).toEqual({ nextMs: t0 });
    expect(dueRun(daily, t0 - 1000, t0).dueMs).toBe(t0);
    expect(dueRun(daily, t0 - 1000, t0 + 119_000).dueMs).toBe(t0);
  });
  it('is skipped after that, and the next run is scheduled', () => {
    const { dueMs, nextMs } = dueRun(daily, t0 - 1000, t0 + 121_000);
    expect([dueMs, nextMs]).toEqual([undefined, t0 + 86_400_000]);
    // Yesterday's run was missed; today's run is due.
    expect(dueRun(daily, t0 - 86_400_001, t0 + 30_000).dueMs).toBe(t0);
  });
  it('counts @every from the end of the missed time', () => {
    const every = parseCron('@every 1h');
    const { missedUntilMs } = dueRun(every, t0, t0 + 5 * 3_600_000);
    expect(missedUntilMs).toBe(t0 + 5 * 3_600_000 - 120_000);
    expect(dueRun(every, missedUntilMs ?? 0, (missedUntilMs ?? 0) + 3_600_000).dueMs).toBe(
      (missedUntilMs ?? 0) + 3_600_000,
    );
  });
});

describe('a recurring job', () => {
  it('waits for its time and reports it', () => {
    const before = at({}, t0 - 60_000);
    expect(before.effects).toEqual([]);
    expect(before.again).toEqual({ afterMs: 60_000, reason: 'the next run' });
  });
  it('records the run before it creates the snapshot, and counts the run', () => {
    const { effects, status } = at({});
    expect(doing(effects)).toEqual(['note-run', expect.stringMatching(/^create-snapshot snap-[0-9a-f]{16}$/)]);
    expect(status.executionCount).toBe(1);
    expect(effects[1]).toMatchObject({ labels: { RecurringJob: 'daily' } });
  });
  it('creates the same snapshot when the decision is repeated', () => {
    expect(nameOf(at({ run: run(['vol']) }, t0 + 5000).effects, 'create-snapshot')).toBe(
      nameOf(at({}).effects, 'create-snapshot'),
    );
  });
  it('deletes only its own snapshots beyond retain, and then completes the run', () => {
    const snapshot = nameOf(at({}).effects, 'create-snapshot');
    const snapshots = [
      aSnapshot(snapshot, iso(t0 + 1000), 'daily'),
      aSnapshot('d1', '2026-02-27T03:00:00Z', 'daily'),
      aSnapshot('d2', '2026-02-28T03:00:00Z', 'daily'),
      aSnapshot('bad', '', 'daily', { error: 'lost' }),
      aSnapshot('mine', '2026-01-01T00:00:00Z'),
      aSnapshot('other', '2026-01-01T00:00:00Z', 'weekly'),
    ];
    const first = at({ run: run(['vol']), volumes: [on({ snapshots })] }, t0 + 9000);
    expect(doing(first.effects)).toEqual(['delete-snapshot d1']);
    const rest = snapshots.filter(({ metadata }) => metadata.name !== 'd1');
    const second = at({ run: run(['vol']), volumes: [on({ snapshots: rest })] }, t0 + 9000);
    expect(second.effects).toEqual([{ do: 'note-run', run: run([]) }]);
  });
  it.each([
    ['snapshot', ['note-run', 'delete-snapshot d1']],
    ['snapshot-force-create', ['note-run', expect.stringContaining('create-snapshot')]],
  ] as const)('task %s when more snapshots exist than retain allows', (task, wanted) => {
    const snapshots = ['1', '2', '3'].map((n) => aSnapshot(`d${n}`, `2026-02-2${n}T03:00:00Z`, 'daily'));
    expect(doing(at({ job: aJob({ task }), volumes: [on({ snapshots })] }).effects)).toEqual(wanted);
  });
  it('backs up the snapshot when it is ready, and makes every n-th backup a full one', () => {
    const job = (count: number) => aJob({ task: 'backup', parameters: { 'full-backup-interval': '3' } }, count);
    const name = nameOf(at({ job: job(0) }).effects, 'create-snapshot');
    const of = (count: number, at1: string) =>
      at(
        { job: job(count), run: run(['vol']), volumes: [on({ snapshots: [aSnapshot(name, at1, 'daily')] })] },
        t0 + 5000,
      );
    expect(of(3, '').waitsFor).toContain('is being taken');
    expect(of(3, iso(t0)).effects[0]).toMatchObject({ do: 'create-backup', snapshot: name, mode: 'full' });
    expect(of(4, iso(t0)).effects[0]).toMatchObject({ mode: 'incremental', labels: { RecurringJob: 'daily' } });
  });
  it('starts no backup of a volume while a backup of an earlier run continues', () => {
    const backups = [aBackup('b0', '2026-02-28T03:00:00Z', 'InProgress')];
    const { effects, waitsFor } = at({ job: aJob({ task: 'backup' }), volumes: [on({ backups })] });
    expect(doing(effects)).toEqual(['note-run']);
    expect(waitsFor).toContain('backup b0 of an earlier run is still running; at the latest until the next run');
  });
  it('keeps as many completed backups as retain says and the snapshot of the last one; a failed backup replaces none', () => {
    const job = aJob({ task: 'backup' });
    const snapshot = nameOf(at({ job }).effects, 'create-snapshot');
    const snapshots = [aSnapshot(snapshot, iso(t0), 'daily'), aSnapshot('d1', '2026-02-28T03:00:00Z', 'daily')];
    const ready = at({ job, run: run(['vol']), volumes: [on({ snapshots: snapshots.slice(0, 1) })] }, t0 + 5000);
    const backup = nameOf(ready.effects, 'create-backup');
    const old = ['1', '2', '3'].map((n) =>
      aBackup(`b${n}`, `2026-02-2${n}T03:00:00Z`, n === '3' ? 'Error' : 'Completed'),
    );
    const backups = [...old, aBackup(backup, iso(t0), 'Completed')];
    const after = at({ job, run: run(['vol']), volumes: [on({ snapshots, backups })] }, t0 + 5000);
    expect(doing(after.effects)).toEqual(['delete-backup b1', 'delete-snapshot d1']);
    const failed = [...old, aBackup(backup, iso(t0), 'Error')];
    const bad = at({ job, run: run(['vol']), volumes: [on({ snapshots, backups: failed })] }, t0 + 5000);
    expect(doing(bad.effects)).toEqual(['note-run']);
    expect(bad.events[0]?.reason).toBe('Failed');
  });
  it('snapshot-delete keeps the newest of all snapshots; snapshot-cleanup deletes system snapshots, but not during a rebuild', () => {
    const snapshots = [
      aSnapshot('a', '2026-02-20T00:00:00Z'),
      aSnapshot('b', '2026-02-21T00:00:00Z', undefined, { userCreated: false }),
      aSnapshot('c', '2026-02-22T00:00:00Z', 'weekly'),
      aSnapshot('later', iso(t0 + 1000)),
    ];
    const of = (task: 'snapshot-delete' | 'snapshot-cleanup', engine?: Engine) =>
      at(
        { job: aJob({ task, retain: 1 }), volumes: [on({ snapshots, ...(engine === undefined ? {} : { engine }) })] },
        t0,
      );
    expect(doing(of('snapshot-delete').effects)).toEqual(['note-run', 'delete-snapshot a', 'delete-snapshot b']);
    expect(doing(of('snapshot-cleanup').effects)).toEqual(['note-run', 'delete-snapshot b']);
    expect(doing(of('snapshot-cleanup', anEngine({ r1: 'RW', r2: 'WO' })).effects)).toEqual(['note-run']);
  });
  it('trims each attached volume once', () => {
    const volumes = [on({}, {}, 'a'), on({}, { state: 'detached' }, 'b'), on({}, {}, 'c'), on({}, {}, 'd')];
    const { effects, events } = at({ job: aJob({ task: 'filesystem-trim' }), volumes });
    expect(effects).toEqual([
      { do: 'note-run', run: run([]) },
      { do: 'trim', volumes: ['a', 'c', 'd'], atOnce: 2 },
    ]);
    expect(events.map(({ reason, after }) => [reason, after === effects[0]])).toEqual([['Skipped', true]]);
  });
  it('skips detached volumes unless the setting allows them', () => {
    const volumes = [on({}, { state: 'detached' })];
    expect(doing(at({ volumes }).effects)).toEqual(['note-run']);
    const value = 'true';
    const metadata = { name: 'allow-recurring-job-while-volume-detached' };
    const { settings } = readSettings([{ apiVersion, kind: 'Setting', metadata, value }]);
    expect(doing(at({ volumes, settings }).effects)).toHaveLength(2);
  });
  it.each([
    ['system-backup', { task: 'system-backup' }, 'not supported by this volume manager yet'],
    [
      'a wrong expression',
      { cron: '61 * * * *' },
      'invalid cron format(61 * * * *): end of range (61) above maximum (59)',
    ],
    ['too much', { retain: 101 }, 'retain value should be less than or equal to 100'],
  ] as const)('never runs with %s, and reports the reason', (_title, spec, message) => {
    const { effects, events, again } = at({ job: aJob(spec) });
    expect([effects, again]).toEqual([[], undefined]);
    expect(events[0]?.message).toContain(message);
  });
  it('reads the run that it has written, and rejects any other text', () => {
    const of = (text: string) =>
      recurringRunOf({ ...aJob(), metadata: { annotations: { 'storage.lateen.dev/recurring-run': text } } });
    expect(of(recurringRunText(run(['a'], ['b'])))).toEqual(run(['a'], ['b']));
    for (const text of [
      '',
      '{',
      '1',
      '{"dueAt":"x","left":[],"going":[]}',
      `{"dueAt":"${iso(t0)}","left":[1],"going":[]}`,
    ])
      expect(of(text)).toBeUndefined();
  });
});

describe('with random volumes, days and delays', () => {
  it('works on no more volumes than concurrency allows, touches only its own snapshots, and keeps as many as retain says', () => {
    const runs = Number(process.env.LATEEN_RECURRING_RUNS ?? 10);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.nat({ max: 5 }), { minLength: 4, maxLength: 40 }),
        (count, concurrency, retain, dice) => {
          const job = aJob({ concurrency, retain });
          const made = new Map<string, Snapshot[]>();
          for (let n = 0; n < count; n++) made.set(`v${n}`, [aSnapshot('user', '2026-01-01T00:00:00Z')]);
          let noted: RecurringRun | undefined;
          let nowMs = t0;
          const days = 5;
          for (let step = 0; step < days * 25; step++) {
            const volumes = [...made].map(([name, snapshots]) => on({ snapshots: [...snapshots] }, {}, name));
            const { effects } = at({ job, run: noted, volumes }, nowMs);
            for (const effect of effects) {
              // The manager sometimes dies between two steps; the decision is then repeated.
              if (dice[step % dice.length] === 5 && effect.do !== 'note-run') break;
              if (effect.do === 'note-run') noted = effect.run;
              if (effect.do === 'create-snapshot') {
                const list = made.get(effect.volume) ?? [];
                expect(list.some(({ metadata }) => metadata.name === effect.name)).toBe(false);
                list.push(aSnapshot(effect.name, iso(nowMs), effect.labels.RecurringJob));
              }
              if (effect.do === 'delete-snapshot') {
                const list = made.get(effect.volume) ?? [];
                const index = list.findIndex(({ metadata }) => metadata.name === effect.name);
                expect(list[index]?.spec.labels?.RecurringJob).toBe('daily');
                list.splice(index, 1);
              }
            }
            expect(noted?.going.length ?? 0).toBeLessThanOrEqual(concurrency);
            nowMs = (step + 1) % 25 === 0 ? t0 + ((step + 1) / 25) * 86_400_000 : nowMs + 1000;
          }
          for (const list of made.values()) {
            expect(list.filter(({ metadata }) => metadata.name === 'user')).toHaveLength(1);
            if (!dice.includes(5)) expect(list).toHaveLength(1 + Math.min(retain, days));
          }
        },
      ),
      { numRuns: runs },
    );
  });
});
