import { annotations, type Backup, type BackupPhase, labels, type Schedule } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { backupName, timeInBackupName } from './backup-name.ts';
import { decideSchedule, type ScheduleView } from './decide-schedule.ts';
import { jitterOf } from './jitter.ts';
import { scheduleBackup } from './schedule-backup.ts';
import { validateSchedule } from './validate-schedule.ts';

const at = (text: string): number => Date.parse(`2026-03-01T${text}Z`);

interface Parts {
  spec?: Partial<Schedule['spec']>;
  status?: Schedule['status'];
  metadata?: Schedule['metadata'];
}

const aSchedule = ({ spec, status = { phase: 'Enabled' }, metadata }: Parts = {}): Schedule => ({
  apiVersion: 'velero.io/v1',
  kind: 'Schedule',
  metadata: {
    name: 'nightly',
    namespace: 'velero',
    uid: 'uid-1',
    creationTimestamp: '2026-03-01T00:30:00Z',
    ...metadata,
  },
  spec: { schedule: '0 * * * *', template: {}, ...spec },
  status,
});

const aBackup = (phase: BackupPhase | undefined, name = 'nightly-20260301010000', uid = 'uid-1'): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name, labels: { [labels.scheduleName]: 'nightly' }, annotations: { [annotations.scheduleUid]: uid } },
  spec: {},
  ...(phase === undefined ? {} : { status: { phase } }),
});

function decide(schedule: Schedule, now: string, view: Partial<ScheduleView> = {}) {
  const nowMs = at(now);
  const check = validateSchedule(schedule, nowMs);
  const plain = { backups: [], madeMs: undefined, laterMs: 0, skipImmediately: false };
  return decideSchedule({ schedule, check, nowMs, ...plain, ...view });
}

const enabled = (status: Schedule['status']) => ({ phase: 'Enabled', ...status }) as const;

describe('decideSchedule', () => {
  it.each<[string, Parts, string, object]>([
    ['is not due before its time', {}, '00:59:59', { kind: 'wait', afterMs: 1_000 }],
    ['is due at its time', {}, '01:00:00', { kind: 'run', dueMs: at('01:00:00') }],
    [
      'counts from its last Backup, not from its creation',
      { status: enabled({ lastBackup: '2026-03-01T02:00:00Z' }) },
      '02:30:00',
      { kind: 'wait', afterMs: 1_800_000 },
    ],
    [
      'counts from the last skipped run when that is later',
      { status: enabled({ lastBackup: '2026-03-01T02:00:00Z', lastSkipped: '2026-03-01T03:10:00Z' }) },
      '03:20:00',
      { kind: 'wait', afterMs: 2_400_000 },
    ],
    [
      'makes one run for many missed ones',
      { status: enabled({ lastBackup: '2026-03-01T02:00:00Z' }) },
      '22:10:00',
      { kind: 'run', dueMs: at('03:00:00') },
    ],
    [
      'ignores a last Backup in the future, because the clock was set back',
      { status: enabled({ lastBackup: '2031-01-01T00:00:00Z' }) },
      '02:30:00',
      { kind: 'run', dueMs: at('01:00:00') },
    ],
    [
      'waits when the last Backup is slightly in the future, because clocks differ',
      { status: enabled({ lastBackup: '2026-03-01T02:00:00Z' }) },
      '01:59:30',
      { kind: 'wait', afterMs: 3_630_000 },
    ],
    [
      'does nothing while it is paused',
      { spec: { paused: true } },
      '05:00:00',
      { kind: 'rest', why: 'the end of its pause' },
    ],
    [
      'every so often counts from the last Backup',
      { spec: { schedule: '@every 90m' }, status: enabled({ lastBackup: '2026-03-01T02:10:00Z' }) },
      '02:10:00',
      { kind: 'wait', afterMs: 5_400_000 },
    ],
    [
      'becomes Enabled',
      { status: {} },
      '05:00:00',
      { kind: 'write', skip: false, status: { phase: 'Enabled', validationErrors: [] } },
    ],
    [
      'becomes Enabled even while it is paused',
      { status: {}, spec: { paused: true } },
      '05:00:00',
      { kind: 'write', skip: false, status: { phase: 'Enabled', validationErrors: [] } },
    ],
    [
      'reports an invalid expression',
      { spec: { schedule: '' } },
      '05:00:00',
      {
        kind: 'write',
        skip: false,
        status: { phase: 'FailedValidation', validationErrors: ['Schedule must be a non-empty valid Cron expression'] },
      },
    ],
    [
      'does nothing after it has reported the error',
      {
        spec: { schedule: 'x' },
        status: {
          phase: 'FailedValidation',
          validationErrors: ['invalid schedule: expected exactly 5 fields, found 1: [x]'],
        },
      },
      '05:00:00',
      { kind: 'rest' },
    ],
    [
      'becomes Enabled again when the expression is corrected',
      { status: { phase: 'FailedValidation', validationErrors: ['x'] } },
      '05:00:00',
      { kind: 'write', status: { phase: 'Enabled', validationErrors: [] } },
    ],
    [
      'skips an immediate run when it says so',
      { spec: { skipImmediately: true } },
      '05:00:00',
      { kind: 'write', skip: true, status: { phase: 'Enabled', lastSkipped: '2026-03-01T05:00:00Z' } },
    ],
    [
      'keeps this setting until the end of its pause',
      { spec: { skipImmediately: true, paused: true } },
      '05:00:00',
      { kind: 'rest' },
    ],
  ])('%s', (_, parts, now, step) => {
    expect(decide(aSchedule(parts), now)).toMatchObject(step);
  });

  it.each<[string, boolean | undefined, boolean, string]>([
    ['the server setting, when the schedule has none', undefined, true, 'write'],
    ['the schedule says false', false, true, 'run'],
    ['no setting', undefined, false, 'run'],
  ])('skips an immediate run according to the server setting: %s', (_, own, skipImmediately, kind) => {
    const spec = own === undefined ? {} : { skipImmediately: own };
    expect(decide(aSchedule({ spec }), '05:00:00', { skipImmediately }).kind).toBe(kind);
  });

  it.each<[BackupPhase | undefined, 'delayed' | 'run']>([
    [undefined, 'delayed'],
    ['New', 'delayed'],
    ['Queued', 'delayed'],
    ['ReadyToStart', 'delayed'],
    ['InProgress', 'delayed'],
    ['WaitingForPluginOperations', 'run'],
    ['WaitingForPluginOperationsPartiallyFailed', 'run'],
    ['Finalizing', 'run'],
    ['FinalizingPartiallyFailed', 'run'],
    ['Completed', 'run'],
    ['PartiallyFailed', 'run'],
    ['Failed', 'run'],
    ['FailedValidation', 'run'],
    ['Deleting', 'run'],
    ['Canceling', 'run'],
    ['Canceled', 'run'],
  ])('with its Backup %s: %s', (phase, kind) => {
    const status = enabled({ lastBackup: '2026-03-01T01:00:00Z' });
    expect(decide(aSchedule({ status }), '02:00:00', { backups: [aBackup(phase)] }).kind).toBe(kind);
  });

  it('records a Backup that was created by a process which ended before it could record it', () => {
    const backups = [aBackup('InProgress'), aBackup('Completed', 'nightly-20260301000000')];
    expect(decide(aSchedule(), '01:00:05', { backups })).toEqual({ kind: 'record', madeMs: at('01:00:00') });
  });

  it.each([
    ['of another schedule with its name', aBackup('Completed', 'nightly-20260301010000', 'uid-0')],
    ['with another name', aBackup('Completed', 'by-hand')],
    ['with an invalid time', aBackup('Completed', 'nightly-20261399999999')],
    ['with a time in the future', aBackup('Completed', 'nightly-20360301000000')],
  ])('does not count a Backup %s as its own', (_, backup) => {
    expect(decide(aSchedule(), '01:00:05', { backups: [backup] }).kind).toBe('run');
  });

  it('counts Backups that this process created while the cache is stale', () => {
    expect(decide(aSchedule(), '01:00:05', { madeMs: at('01:00:00') })).toEqual({ kind: 'wait', afterMs: 3_595_000 });
  });

  it('is delayed by its jitter, each time by the same amount', () => {
    const laterMs = 90 * 60_000;
    const status = enabled({ lastBackup: '2026-03-01T02:30:00Z' });
    expect(decide(aSchedule({ status }), '02:30:00', { laterMs })).toEqual({ kind: 'wait', afterMs: 3_600_000 });
    expect(decide(aSchedule({ status }), '03:30:00', { laterMs })).toEqual({ kind: 'run', dueMs: at('03:30:00') });
  });
});

describe('validateSchedule', () => {
  it.each<[string, Parts, string]>([
    [
      'an expression',
      { spec: { schedule: '60 * * * *' } },
      'invalid schedule: end of range (60) above maximum (59): 60',
    ],
    ['a day that never comes', { spec: { schedule: '0 0 30 2 *' } }, 'invalid schedule: "0 0 30 2 *" never comes'],
    ['a cancelled template', { spec: { template: { cancel: true } } }, 'spec.template.cancel is not allowed'],
    ['cancel: false too', { spec: { template: { cancel: false } } }, 'spec.template.cancel is not allowed'],
    ['a name that is too long', { metadata: { name: 'n'.repeat(239) } }, 'the name is longer than 238 characters'],
  ])('reports %s', (_, parts, message) => {
    expect(validateSchedule(aSchedule(parts), at('00:00:00')).errors).toEqual([expect.stringContaining(message)]);
  });

  it('reports all problems', () => {
    const wrong = aSchedule({ spec: { schedule: '', template: { cancel: true } } });
    expect(validateSchedule(wrong, at('00:00:00')).errors).toHaveLength(2);
  });
});

describe('jitterOf', () => {
  const withJitter = (text: string, uid = 'uid-1') =>
    aSchedule({ metadata: { uid, annotations: { [annotations.jitter]: text } } });

  it('spreads schedules, each with a stable delay in whole seconds', () => {
    const places = Array.from({ length: 300 }, (_, index) => jitterOf(withJitter('10m', `uid-${index}`)).laterMs);
    expect(places).toEqual(
      Array.from({ length: 300 }, (_, index) => jitterOf(withJitter('10m', `uid-${index}`)).laterMs),
    );
    expect(places.every((ms) => ms >= 0 && ms < 600_000 && ms % 1_000 === 0)).toBe(true);
    const minutes = new Set(places.map((ms) => Math.floor(ms / 60_000)));
    expect(minutes.size).toBe(10);
  });

  it.each(['soon', '-5m', '25h', '10'])('ignores "%s" and reports it', (text) => {
    expect(jitterOf(withJitter(text))).toEqual({ laterMs: 0, warning: expect.stringContaining(`"${text}"`) });
  });

  it('is zero by default', () => {
    expect([jitterOf(aSchedule()), jitterOf(withJitter('')), jitterOf(withJitter('0s'))]).toEqual([
      { laterMs: 0 },
      { laterMs: 0 },
      { laterMs: 0 },
    ]);
  });
});

describe('scheduleBackup', () => {
  const name = 'nightly-20260301010000';
  const metadata = {
    labels: { team: 'a' },
    annotations: { note: 'n', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
  };

  it('has the spec of the template, labels and annotations of the schedule, and no owner', () => {
    const template = { includedNamespaces: ['shop'], ttl: '24h0m0s' };
    const backup = scheduleBackup(aSchedule({ metadata, spec: { template } }), name);
    expect(backup).toEqual({
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: {
        name,
        namespace: 'velero',
        labels: { team: 'a', 'velero.io/schedule-name': 'nightly' },
        annotations: { note: 'n', 'lateen.dev/schedule-uid': 'uid-1' },
      },
      spec: template,
    });
  });

  it('prefers labels and annotations of the template, and always adds the number to keep', () => {
    const template = { metadata: { labels: { own: 'l' }, annotations: { own: 'a' } } };
    const kept = { ...metadata, annotations: { note: 'n', [annotations.keepAtLeast]: '3' } };
    expect(scheduleBackup(aSchedule({ metadata: kept, spec: { template } }), name)).toMatchObject({
      metadata: {
        labels: { own: 'l', 'velero.io/schedule-name': 'nightly' },
        annotations: { own: 'a', 'lateen.dev/keep-at-least': '3', 'lateen.dev/schedule-uid': 'uid-1' },
      },
      spec: template,
    });
  });

  it('is owned when the schedule says so, and has a label of valid length', () => {
    const long = 'n'.repeat(100);
    const backup = scheduleBackup(
      aSchedule({ metadata: { name: long }, spec: { useOwnerReferencesInBackup: true } }),
      name,
    );
    expect(backup.metadata.ownerReferences).toEqual([
      { apiVersion: 'velero.io/v1', kind: 'Schedule', name: long, uid: 'uid-1', controller: true },
    ]);
    expect(backup.metadata.labels?.['velero.io/schedule-name']).toHaveLength(63);
  });
});

describe('backupName', () => {
  it('contains the time to the second', () => {
    const name = backupName('nightly', at('02:03:04'));
    expect([name, timeInBackupName('nightly', name)]).toEqual(['nightly-20260301020304', at('02:03:04')]);
    expect(timeInBackupName('night', name)).toBeUndefined();
  });
});
