import { backupType, eventType, scheduleType } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { aSchedule, jitter, namespace, scheduleWorld } from './schedule-world.ts';

const hourMs = 3_600_000;
const writes = (calls: readonly { verb: string; type: { resource: string } }[]) =>
  calls.filter(({ verb, type }) => !['list', 'watch', 'get'].includes(verb) && type.resource !== 'events').length;

describe('a Schedule', () => {
  it('becomes Enabled, creates a Backup on time and records that', async () => {
    const world = scheduleWorld(aSchedule('nightly'));
    world.start();
    await world.clock.advance(hourMs - 1_000);
    expect(world.schedule('nightly')?.status).toEqual({ phase: 'Enabled' });
    expect(world.backups()).toEqual([]);
    await world.clock.advance(1_000);
    expect(world.backups()).toEqual(['nightly-20300101010000']);
    expect(world.schedule('nightly')?.status).toEqual({ phase: 'Enabled', lastBackup: '2030-01-01T01:00:00Z' });
    const [backup] = world.cluster.all(backupType);
    expect(backup?.spec).toEqual({ includedNamespaces: ['shop'] });
    expect(world.intervals.get('nightly')).toBe(hourMs);
  });

  it('makes no API call between its times', async () => {
    const world = scheduleWorld(aSchedule('yearly', { schedule: '@yearly' }));
    world.start();
    await world.clock.advance(60_000);
    const before = writes(world.cluster.calls);
    await world.clock.advance(24 * hourMs);
    expect(writes(world.cluster.calls)).toBe(before);
  });

  it('creates no Backup while an earlier one is queued or running, reports that once, and creates one afterwards', async () => {
    const world = scheduleWorld(aSchedule('nightly'));
    world.start();
    await world.clock.advance(hourMs);
    world.setPhase('nightly-20300101010000', 'Queued');
    await world.clock.advance(3 * hourMs + 600_000);
    expect(world.backups()).toHaveLength(1);
    const events = world.cluster.all(eventType);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      reason: 'BackupDelayed',
      count: 1,
      message:
        'the Backup that is due since 2030-01-01T02:00:00Z is made when Backup nightly-20300101010000 is further: it is Queued',
    });
    world.setPhase('nightly-20300101010000', 'WaitingForPluginOperations');
    await world.cluster.settle();
    expect(world.backups()).toEqual(['nightly-20300101010000', 'nightly-20300101041000']);
  });

  it('does not run while it is paused, and then creates one Backup for all missed times', async () => {
    const world = scheduleWorld(aSchedule('nightly', { paused: true }));
    world.start();
    await world.clock.advance(5 * hourMs + 60_000);
    expect([world.backups(), world.intervals.get('nightly')]).toEqual([[], undefined]);
    world.cluster.change(scheduleType, { namespace, name: 'nightly' }, ({ spec }) => {
      spec.paused = false;
    });
    await world.clock.advance(1_000);
    expect(world.backups()).toEqual(['nightly-20300101050100']);
  });

  it.each([
    ['it says so', { skipImmediately: true }, false],
    ['the server says so', {}, true],
  ])('skips what is due immediately, once, when %s', async (_, spec, skipImmediately) => {
    const world = scheduleWorld(aSchedule('nightly', spec));
    await world.clock.advance(5 * hourMs + 60_000);
    world.start({ skipImmediately });
    await world.clock.advance(60_000);
    expect(world.backups()).toEqual([]);
    expect(world.schedule('nightly')).toMatchObject({
      spec: { skipImmediately: false },
      status: { phase: 'Enabled', lastSkipped: '2030-01-01T05:01:00Z' },
    });
    await world.clock.advance(hourMs);
    expect(world.backups()).toEqual(['nightly-20300101060000']);
  });

  it('of Velero continues at its next time after it was taken over', async () => {
    const status = { phase: 'Enabled', lastBackup: '2029-12-31T23:30:00Z' } as const;
    const world = scheduleWorld(aSchedule('nightly', { schedule: '@every 2h' }, { status }));
    world.start();
    await world.clock.advance(1.5 * hourMs - 1_000);
    expect(world.backups()).toEqual([]);
    await world.clock.advance(1_000);
    expect(world.backups()).toEqual(['nightly-20300101013000']);
  });

  it('with an invalid spec reports it, creates nothing, and runs when it is corrected', async () => {
    const world = scheduleWorld(aSchedule('bad', { schedule: '61 * * * *', template: { cancel: true } }));
    world.start();
    await world.clock.advance(2 * hourMs);
    expect(world.schedule('bad')?.status).toEqual({
      phase: 'FailedValidation',
      validationErrors: [
        'invalid schedule: end of range (61) above maximum (59): 61',
        expect.stringContaining('spec.template.cancel'),
      ],
    });
    expect(world.cluster.all(eventType)).toHaveLength(1);
    world.cluster.change(scheduleType, { namespace, name: 'bad' }, (schedule) => {
      schedule.spec = { schedule: '0 * * * *', template: {} };
    });
    await world.clock.advance(1_000);
    expect(world.schedule('bad')?.status).toMatchObject({ phase: 'Enabled' });
    expect(world.backups()).toEqual(['bad-20300101020000']);
  });

  it('without a spec does not affect others', async () => {
    const world = scheduleWorld(
      { apiVersion: 'velero.io/v1', kind: 'Schedule', metadata: { name: 'none', namespace } } as never,
      aSchedule('nightly'),
    );
    world.start();
    await world.clock.advance(hourMs);
    expect(world.backups()).toEqual(['nightly-20300101010000']);
    expect(world.schedule('none')?.status?.phase).toBe('FailedValidation');
  });

  it('uses the next second when its name is already taken', async () => {
    const world = scheduleWorld(aSchedule('nightly'));
    world.cluster.put({
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: { name: 'nightly-20300101010000', namespace },
      spec: {},
      status: { phase: 'Completed' },
    } as never);
    world.start();
    await world.clock.advance(hourMs);
    expect(world.backups()).toEqual(['nightly-20300101010000', 'nightly-20300101010001']);
    expect(world.schedule('nightly')?.status?.lastBackup).toBe('2030-01-01T01:00:01Z');
  });

  it('runs later by its jitter', async () => {
    const world = scheduleWorld(aSchedule('nightly', {}, { annotations: jitter('10m') }));
    world.start();
    await world.clock.advance(600_000);
    expect(world.backups()).toEqual([expect.stringMatching(/^nightly-2030010100\d*[1-9]/)]);
    const first = world.schedule('nightly')?.status?.lastBackup ?? '';
    for (const name of world.backups()) world.setPhase(name, 'Completed');
    await world.clock.advance(hourMs);
    expect(Date.parse(world.schedule('nightly')?.status?.lastBackup ?? '') - Date.parse(first)).toBe(hourMs);
  });

  it('with an invalid jitter runs without it, and reports that once', async () => {
    const world = scheduleWorld(aSchedule('nightly', {}, { annotations: jitter('a while') }));
    world.start();
    await world.clock.advance(hourMs);
    expect(world.backups()).toEqual(['nightly-20300101010000']);
    expect(world.cluster.all(eventType)).toMatchObject([{ reason: 'JitterInvalid', count: 1 }]);
  });

  it('runs on time when the date jumps forward, and once when it is set back', async () => {
    const world = scheduleWorld(aSchedule('nightly', { schedule: '0 */6 * * *' }));
    world.start();
    await world.clock.advance(60_000);
    world.clock.setBy(6 * hourMs);
    await world.clock.advance(10_000);
    expect(world.backups()).toEqual(['nightly-20300101060110']);
    world.setPhase('nightly-20300101060110', 'Completed');
    world.clock.setBy(-6 * hourMs);
    // The run at 06:01:10 is now in the future. It does not prevent the run at 06:00.
    await world.clock.advance(6 * hourMs);
    expect(world.backups()).toEqual(['nightly-20300101060000', 'nightly-20300101060110']);
    expect(world.schedule('nightly')?.status?.lastBackup).toBe('2030-01-01T06:00:00Z');
  });

  it('in another namespace is ignored', async () => {
    const schedule = aSchedule('nightly');
    const world = scheduleWorld({ ...schedule, metadata: { ...schedule.metadata, namespace: 'default' } });
    world.start();
    await world.clock.advance(2 * hourMs);
    expect(world.backups()).toEqual([]);
  });
});

describe('three hundred Schedules', () => {
  it('that are due in the same second all run, each once', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `s-${String(index).padStart(3, '0')}`);
    const world = scheduleWorld(...names.map((name) => aSchedule(name)));
    world.start();
    await world.clock.advance(hourMs);
    expect(world.backups()).toEqual(names.map((name) => `${name}-20300101010000`));
    expect(names.every((name) => world.schedule(name)?.status?.lastBackup === '2030-01-01T01:00:00Z')).toBe(true);
    const creates = world.cluster.calls.filter(({ verb, type }) => verb === 'create' && type.resource === 'backups');
    expect(creates).toHaveLength(300);
  });
});

describe('controllers that are replaced', () => {
  it('create one Backup while two lead at the same time', async () => {
    const world = scheduleWorld(aSchedule('nightly'), aSchedule('other', { schedule: '30 * * * *' }));
    world.start();
    world.start();
    await world.clock.advance(hourMs);
    for (const name of world.backups()) world.setPhase(name, 'Completed');
    await world.clock.advance(hourMs);
    expect(world.backups()).toEqual([
      'nightly-20300101010000',
      'nightly-20300101020000',
      'other-20300101003000',
      'other-20300101013000',
    ]);
  });

  it('create one Backup, whichever write one of them dies at', async () => {
    for (let atWrite = 0; atWrite < 4; atWrite++) {
      for (const when of ['before', 'after'] as const) {
        const world = scheduleWorld(aSchedule('nightly'));
        world.start({ death: { atWrite, when } });
        await world.clock.advance(hourMs + 90_000);
        world.start();
        await world.clock.advance(600_000);
        expect(world.backups(), `dead ${when} write ${atWrite}`).toHaveLength(1);
        const madeMs = Date.parse(world.schedule('nightly')?.status?.lastBackup ?? '');
        expect(madeMs).toBeGreaterThanOrEqual(Date.parse('2030-01-01T01:00:00Z'));
      }
    }
  });

  it('retry when the API server fails', async () => {
    const world = scheduleWorld(aSchedule('nightly'));
    world.cluster.failTimes(3, 'create', backupType, 'KUBE_UNAVAILABLE');
    world.start();
    await world.clock.advance(hourMs + 60_000);
    expect(world.backups()).toEqual(['nightly-20300101010000']);
  });
});
