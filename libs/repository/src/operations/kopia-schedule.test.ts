import { describe, expect, it } from 'vitest';
import type { KopiaSession } from '../engine/kopia-session.ts';
import { dueMode, fullInterval, readSchedule } from './kopia-schedule.ts';

const { signal } = new AbortController();
const sessionSaying = (stdout: string): KopiaSession =>
  ({
    run: async () => ({ exitCode: 0, endedBy: undefined, stdout, stderr: '', aborted: false }),
  }) as unknown as KopiaSession;
const nowMs = Date.parse('2030-01-01T12:00:00Z');

describe("kopia's maintenance schedule", () => {
  it.each([
    ['2030-01-01T11:00:00.5+01:00', '2030-01-01T11:59:59Z', 'full'],
    ['2030-01-01T12:00:00.000000001Z', '2030-01-02T00:00:00Z', 'full'],
    ['2030-01-02T00:00:00Z', '2030-01-01T11:59:59Z', 'quick'],
    ['2030-01-02T00:00:00Z', '2030-01-01T12:00:01Z', undefined],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z', 'full'],
  ])('full at %s, quick at %s: %s', async (nextFullMaintenance, nextQuickMaintenance, mode) => {
    const json = JSON.stringify({
      owner: 'default@default',
      full: { enabled: true, interval: 86_400_000_000_000 },
      schedule: { nextFullMaintenance, nextQuickMaintenance, runs: {} },
    });
    const schedule = await readSchedule(sessionSaying(json), signal);
    expect(schedule).toMatchObject({ owner: 'default@default', fullIntervalMs: 86_400_000 });
    expect(dueMode(schedule, nowMs)).toBe(mode);
  });

  it('is not read from other output', async () => {
    await expect(readSchedule(sessionSaying('Owner: me'), signal)).rejects.toMatchObject({ code: 'ENGINE_BAD_ANSWER' });
  });

  it.each([
    [{ fullMaintenanceInterval: 'normalGC' }, 86_400_000],
    [{ fullMaintenanceInterval: 'fastGC' }, 43_200_000],
    [{ fullMaintenanceInterval: 'eagerGC' }, 21_600_000],
    [{ fullMaintenanceInterval: 'toString' }, undefined],
    [{}, undefined],
    [null, undefined],
  ])('derives the full interval from %j', (config, ms) => {
    expect(fullInterval(config)).toBe(ms);
  });
});
