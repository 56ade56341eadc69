import type { LocationReadings } from '@lateen/locations';
import { aBackupStorageLocation } from '@lateen/testing';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { locationMetrics } from './location-metrics.ts';

function setUp() {
  const registry = new Registry();
  const observer = locationMetrics(registry);
  const lines = async (start: string) =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith(start) && !line.startsWith('#'));
  const readings: LocationReadings = { locations: [], slow: 0, attempts: 0, secrets: 0, secretLooks: 0 };
  observer.readings(() => readings);
  return { observer, lines, readings };
}

describe('the metrics of locations', () => {
  it('report which location is available, under Velero\u2019s name, and forget one that is deleted', async () => {
    const { lines, readings } = setUp();
    const good = aBackupStorageLocation({ name: 'good', status: { lastValidationTime: '2030-01-01T00:00:00Z' } });
    const bad = aBackupStorageLocation({ name: 'bad', phase: 'Unavailable' });
    const fresh = aBackupStorageLocation({ name: 'fresh', phase: undefined });
    readings.locations = [good, bad, fresh];
    expect(await lines('velero_backup_location_status_gauge')).toEqual([
      'velero_backup_location_status_gauge{backup_location_name="good"} 1',
      'velero_backup_location_status_gauge{backup_location_name="bad"} 0',
    ]);
    expect(await lines('lateen_backup_location_last_validation_timestamp_seconds')).toEqual([
      'lateen_backup_location_last_validation_timestamp_seconds{backup_location_name="good"} 1893456000',
    ]);
    readings.locations = [good];
    expect(await lines('velero_backup_location_status_gauge')).toHaveLength(1);
  });

  it('count validations by result, until the location is deleted', async () => {
    const { observer, lines } = setUp();
    observer.validated({ location: 'a', available: true, ms: 40 });
    observer.validated({ location: 'a', available: false, ms: 30_000 });
    observer.validated({ location: 'a', available: true, ms: 60 });
    expect(await lines('lateen_backup_location_validations_total')).toEqual([
      'lateen_backup_location_validations_total{backup_location_name="a",result="available"} 2',
      'lateen_backup_location_validations_total{backup_location_name="a",result="unavailable"} 1',
    ]);
    expect(await lines('lateen_backup_location_validation_duration_seconds_sum')).toEqual([
      'lateen_backup_location_validation_duration_seconds_sum{result="available"} 0.1',
      'lateen_backup_location_validation_duration_seconds_sum{result="unavailable"} 30',
    ]);
    observer.removed('a');
    expect(await lines('lateen_backup_location_validations_total')).toEqual([]);
  });

  it('report hanging locations and the cost of reading Secrets', async () => {
    const { lines, readings } = setUp();
    Object.assign(readings, { slow: 3, attempts: 4, secrets: 5, secretLooks: 60 });
    expect(await lines('lateen_backup_locations_slow')).toEqual(['lateen_backup_locations_slow 3']);
    expect(await lines('lateen_backup_location_attempts_unended')).toEqual([
      'lateen_backup_location_attempts_unended 4',
    ]);
    expect(await lines('lateen_secrets_looked_at')).toEqual(['lateen_secrets_looked_at 5']);
    expect(await lines('lateen_secret_looks_total')).toEqual(['lateen_secret_looks_total 60']);
  });
});
